import API
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

extension Records {
    var checkEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/checks",
                "Check the directory, or whether one class is ready",
                for: [.administrator, .siteManager, .peopleManager],
                query: [.optional("classId", .reference, "Only what matters for this class.")],
                answers: [.json("What was found.", .object(RecordShapes.checks))],
                problems: [(404, "There is no such class.")], cost: 5,
                handler: check)
        ]
    }

    func check(_ request: Request, _ caller: Caller) async throws -> Response {
        let reference: Reference<ClassEntity>? = request.queryReference("classId")
        return try await database.transaction(as: caller) { session in
            try await session.query(.takeTime)
            var classID: UUID?
            if let reference {
                let rows = try await session.query(
                    .idOfClass(reference, of: caller.organizationID))
                guard rows.count > 0 else { throw Problem.notFound }
                classID = try rows[0].uuid("id")
            }
            let rows = try await session.query(.organizationChecks(classID))
            let exports = try await session.query(.lastExport(of: caller.organizationID))
            let lastExport: JSONValue? = try exports.first.map { row in
                [
                    "exportedOn": .text(try row.day("exported_on").description),
                    "takenAt": .text(try row.timestamp("taken_at").description),
                    "isFull": .bool(try row.bool("is_full")),
                ]
            }
            return .json(
                try CheckReport(rows, at: database.clock.now).json(lastExport: lastExport ?? .null))
        }
    }
}
