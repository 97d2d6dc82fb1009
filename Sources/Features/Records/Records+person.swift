import API
import Archive
import EventLoop
import Files
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

extension Records {
    var personEndpoints: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/people/{id}/data-export",
                "Export one person's data as an archive",
                description:
                    "Holds everything stored about the person, progress included. The order is an audit event.",
                for: [.administrator],
                answers: [
                    .bytes(
                        "A zip with README.txt, index.json and a file NAME.ndjson for each table.",
                        ["application/zip"])
                ],
                problems: [(403, "Only administrators order one person's data.")],
                keys: .refused, cost: 20, handler: exportPerson),
            Endpoint(
                .post, "/v1/people/{id}/erasure",
                "Erase a person and everything about that person",
                description:
                    "This cannot be undone. The receipt says which copies remain elsewhere, such as backups.",
                for: [.administrator],
                answers: [
                    .json(
                        "What was erased. Nothing stays but an id in the audit trail, and imports that wait "
                            + "for approval are dropped. Repeating the call returns the same receipt.",
                        .object(RecordShapes.receipt))
                ],
                problems: [
                    (403, "Only administrators erase a person."),
                    (
                        409,
                        "The person is you or the last administrator, a hold stands (`held`), or imports are "
                            + "queued or running that might bring the person back (`imports_under_way`)."
                    ),
                ], keys: .ignored, handler: erasePerson),
        ]
    }

    /// Reads and packs the rows in batches, in one transaction with the event that records it.
    func exportPerson(_ request: Request, _ caller: Caller) async throws -> Response {
        let reference: Reference<PersonEntity> = try request.reference("id")
        let (id, archive) = try await database.transaction(as: caller) { session in
            try await session.query(.takeTime)
            let id = try await person(reference, session, caller)
            let archive = try await threads.run {
                try PersonArchive(personID: id, made: database.clock.now, in: spool)
            }
            try await session.query(.openPersonalRows(of: id))
            var rows = try await session.query(.nextPersonalRows)
            guard rows.count > 0 else { throw Problem.notFound }
            while rows.count > 0 {
                let some = rows
                try await threads.run { try archive.add(some) }
                rows = try await session.query(.nextPersonalRows)
            }
            return (id, archive)
        }
        let file = try await threads.run { try archive.packed() }
        return Response(
            200,
            headers: [
                ResponseField("Content-Type", "application/zip"),
                ResponseField("Content-Disposition", "attachment; filename=\"\(id.uuid).zip\""),
                ResponseField("Cache-Control", "no-store"),
            ], body: body(file))
    }

    /// Sent in pieces, as it is read.
    private func body(_ file: UnnamedFile) -> HTTPResponse.Body {
        let threads = threads
        return .stream(length: file.count) { client in
            var rest = 0..<file.count
            while !rest.isEmpty {
                let next = rest.prefix(65_536)
                try await client.write(try await threads.run { try file.bytes(in: next) })
                rest = next.upperBound..<rest.upperBound
            }
        }
    }

    func erasePerson(_ request: Request, _ caller: Caller) async throws -> Response {
        let reference: Reference<PersonEntity> = try request.reference("id")
        return try await database.transaction(as: caller) { session in
            try await session.query(.takeTime)
            // A person who was erased before is found by id only.
            let id =
                if let id = reference.id { id } else {
                    try await person(reference, session, caller)
                }
            let rows = try await session.query(.erase(id))
            switch try rows[0].text("outcome") {
            case "erased": return try .object(rows, columns: 4)
            case "self": throw Problem.mayNotEraseOneself
            case "lastAdministrator": throw Problem.lastAdministrator
            case "importsUnderWay": throw Problem.importsUnderWay
            case "held": throw Problem.personHeld
            default: throw Problem.notFound
            }
        }
    }

    private func person(
        _ reference: Reference<PersonEntity>, _ session: Session, _ caller: Caller
    ) async throws -> PersonID {
        let rows = try await session.query(.idOfPerson(reference, of: caller.organizationID))
        guard rows.count > 0 else { throw Problem.notFound }
        return ID(try rows[0].uuid("id"))
    }
}
