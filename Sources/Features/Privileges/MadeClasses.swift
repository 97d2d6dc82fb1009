import API
import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// Classes that teachers make with the privilege to make classes.
extension Privileges {
    var madeClassEndpoints: [Endpoint] {
        let path = "/v1/me/classes"
        let made = Shape.object(PrivilegeShapes.madeClass)
        let forbidden = (
            403, "No teacher made the class, or you may not make classes at its location."
        )
        let archived = (409, "The class is archived.")
        let changed = (412, "The class was changed in the meantime.")
        return [
            Endpoint(
                .post, path, "Make a class and teach it",
                description: """
                    Needs the privilege `makeClasses` at the location. You can have 50 such classes that are not \
                    archived.
                    """, for: [.teacher],
                body: .json(.object(PrivilegeShapes.newClass)),
                answers: [.json("The new class.", made, status: 201).tagged.located],
                problems: [
                    (403, "You may not make classes at the location."),
                    (409, "The term is closed, or you made 50 classes that are not archived."),
                ], handler: makeClass),
            Endpoint(
                .patch, path + "/{id}", "Change a class that teachers made", for: [.teacher],
                body: .json(.object(PrivilegeShapes.classChange)),
                answers: [.json("As it is now.", made).tagged],
                problems: [forbidden, archived, changed], handler: changeClass),
            Endpoint(
                .delete, path + "/{id}", "Remove a class without handouts that you made",
                for: [.teacher], answers: [.empty(204, "Removed.")],
                problems: [
                    (403, "You did not make the class, or may not make classes any more."),
                    (409, "The class is archived or has handouts."), changed,
                ], handler: removeClass),
        ]
    }

    func makeClass(_ request: Request, _ caller: Caller) async throws -> Response {
        let body = try await request.body()
        let id = ClassID(.v7())
        return try await database.transaction(as: caller) { session in
            let location: LocationID? = try await find("locationId", body, session, caller)
            let term: TermID? = try await find("termId", body, session, caller)
            guard let location, let name = body.text("name") else { throw Problem.notFound }
            let rows = try await session.query(
                .make(id, at: location, in: term, name, body.text("number"), body.text("room")))
            switch try rows[0].text("outcome") {
            case "forbidden": throw Problem.mayNotMakeClasses
            case "unknownTerm": throw Problem.unknownReference("/termId")
            case "termClosed": throw Problem.termClosed
            case "tooMany": throw Problem.tooManyMadeClasses
            default: break
            }
            let read = try await session.query(.madeClass(id, of: caller.organizationID))
            return try .object(read, status: 201).located(at: "/v1/classes/\(id.uuid)")
        }
    }

    func changeClass(_ request: Request, _ caller: Caller) async throws -> Response {
        let body = try await request.body()
        return try await hold(request, caller) { session, id in
            let changes = JSONDocument(JSONValue.object(body.object).bytes)
            try Self.check(try await session.query(.change(id, changes)))
            return try .object(
                try await session.query(.madeClass(id, of: caller.organizationID)))
        }
    }

    func removeClass(_ request: Request, _ caller: Caller) async throws -> Response {
        do {
            return try await hold(request, caller) { session, id in
                let rows = try await session.query(.delete(id))
                if try rows[0].text("outcome") == "forbidden" { throw Problem.classOfAnother }
                return .noContent
            }
        } catch let error as PostgresError where error.sqlState == "23503" {
            throw Problem.inUse("class", [])
        }
    }

    /// Runs a change with its class locked, and with everything that the right to change it depends on.
    func hold(
        _ request: Request, _ caller: Caller,
        _ change: (Session, ClassID) async throws -> Response
    ) async throws -> Response {
        let id: ClassID = try request.id("id")
        return try await database.transaction(as: caller) { session in
            let rows = try await session.query(.hold(id))
            try Self.check(rows)
            try request.checkMatch(version: try rows[0].int("version"))
            return try await change(session, id)
        }
    }

    /// Says why a class may not be changed.
    static func check(_ rows: Rows) throws {
        switch try rows[0].text("outcome") {
        case "unknown": throw Problem.notFound
        case "forbidden": throw Problem.mayNotChangeClass
        case "archived": throw Problem.classArchived
        default: break
        }
    }

    /// The id that a field of the body refers to; `nil` if the field is absent.
    private func find<Entity: Referable>(
        _ name: String, _ body: Fields, _ session: Session, _ caller: Caller
    ) async throws -> ID<Entity>? {
        guard let text = body.text(name) else { return nil }
        let reference = Referring<Entity>([text], pointers: ["/\(name)"])
        let rows = try await session.query(.resolve(reference, in: caller.organizationID))
        return try reference.resolved(by: rows).first
    }
}
