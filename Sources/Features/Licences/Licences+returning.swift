import API
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// The holders whose licences are given back.
enum ReturningHolders: Sendable {
    case people([PersonID])
    /// In upper case.
    case devices([String])
}

extension Licences {
    var returnEndpoint: Endpoint {
        Endpoint(
            .post, "/v1/apps/{adamId}/return",
            "Return licences of people, a class or devices, all or none",
            for: Self.standings, body: .json(.object(LicenceShapes.newReturn)),
            answers: [
                .json(
                    "What was given back; who had no licence is passed over, so that the call may be "
                        + "repeated.", .object(LicenceShapes.returned))
            ],
            problems: [
                (409, "The app is not revocable (no book is), or the class is archived."),
                (422, "A person, the class or the location does not exist."),
            ], handler: giveBackAll)
    }

    /// Gives back all or none, in one statement, which also counts the seats that are free afterwards.
    func giveBackAll(_ request: Request, _ caller: Caller) async throws -> Response {
        let wanted = try NewLicences(try await request.body())
        let app = request.path("adamId")
        return try await database.transaction(as: caller) { session in
            let found = try await session.query(.holdableApp(app, of: caller.organizationID))
            guard let row = found.first else { throw Problem.notFound }
            guard try row.bool("is_revocable") else { throw Problem.notRevocable }
            let location = try await location(wanted, session, caller)
            let gone = try await session.query(
                .giveBack(
                    all: try await returning(wanted, app, session, caller), of: app,
                    outOf: location, in: caller.organizationID))
            if gone.count > 0 { try await auditReturn(gone, of: app, session) }
            return try Self.returned(gone)
        }
    }

    /// The holders that a body names, including deactivated people.
    private func returning(
        _ wanted: NewLicences, _ app: String, _ session: Session, _ caller: Caller
    ) async throws -> ReturningHolders {
        switch wanted.holders {
        case .devices(let serialNumbers): return .devices(serialNumbers)
        case .people(let texts):
            let rows = try await session.query(
                .people(
                    texts.map { Reference<PersonEntity>($0) }, locationsFor: app,
                    in: caller.organizationID))
            let people = try rows.map { try $0.optionalUUID("person_id") }
            let errors = people.indices.filter { people[$0] == nil }.prefix(100).flatMap {
                Problem.unknownReference("/personIds/\($0)").errors
            }
            guard errors.isEmpty else { throw Problem.invalid(errors) }
            return .people(people.compactMap { $0 }.map { PersonID($0) })
        case .classOf(let reference):
            let found = try await session.query(
                .classToLicense(reference, of: caller.organizationID))
            guard let row = found.first else { throw Problem.unknownReference("/classId") }
            if try row.bool("is_archived") { throw Problem.classArchived }
            let rows = try await session.query(
                .students(of: ClassID(try row.uuid("class_id")), in: caller.organizationID))
            return .people(try rows.map { PersonID(try $0.uuid("person_id")) })
        }
    }

    private func auditReturn(_ gone: Rows, of app: String, _ session: Session) async throws {
        let people = try gone.compactMap { try $0.optionalUUID("person_id") }
        let devices = try gone.compactMap { try $0.optionalText("serial_number") }
        try await session.query(
            .audit(
                "licenceChange", subjectKind: people.count == 1 ? "person" : nil,
                subject: people.count == 1 ? people[0] : nil,
                details: [
                    "adamId": .text(app), "returned": .count(gone.count),
                    "personIds": .array(people.map { .text($0.description) }),
                    "serialNumbers": .array(devices.map(JSONValue.text)),
                ]))
    }

    private static func returned(_ gone: Rows) throws -> Response {
        var writer = JSONWriter(reserving: 100 + gone.count * 280)
        writer.beginObject()
        writer.key("items")
        writer.beginArray()
        for row in 0..<gone.count {
            try gone.writeJSON(row: row, columns: gone.shownColumns, into: &writer)
        }
        writer.endArray()
        writer.key("returnedCount")
        writer.int(gone.count)
        writer.endObject()
        return .json(writer.bytes)
    }
}
