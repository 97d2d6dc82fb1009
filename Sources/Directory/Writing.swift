import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

/// One kind of thing in the directory: how it is found, made, replaced and read.
struct Kind<Entity> {
    /// A body that makes or replaces one.
    let shape: ObjectShape
    /// Finds and locks the row: `id`, `version` and what `replace` needs.
    let find: (Reference<Entity>) -> Statement
    let create: (Session, ID<Entity>, Sent) async throws -> Void
    let replace: (Session, ID<Entity>, Sent, Row) async throws -> Void
    /// The answer.
    let read: (ID<Entity>) -> Statement
    /// Which constraint keeps the school's own ids unique.
    let sourceConstraint: String
}

/// A body whose shape has been checked, and how the path names what it is about.
struct Sent {
    let body: Fields
    /// `nil` where the body alone says what the school's own id is.
    let path: String?

    /// The school's own id: the path's, which the body may repeat, else the body's.
    func sourceID() throws -> String? {
        guard let path, let named = Reference<Never>(path)?.source else {
            return body.text("sourceId")
        }
        if let sent = body.text("sourceId"), sent != named { throw Problem.sourceIDContradictsPath }
        return named
    }
}

extension Directory {
    /// Makes a new one.
    func post<Entity>(
        _ request: Request, _ caller: Caller, _ kind: Kind<Entity>
    ) async throws -> Response {
        let sent = Sent(body: try await request.body(), path: nil)
        let id = ID<Entity>(.v7())
        return try await database.transaction(as: caller) { session in
            try await kind.create(session, id, sent)
            let rows = try await session.query(kind.read(id))
            return try .object(rows, status: 201).located(at: "\(request.endpoint.path)/\(id.uuid)")
        }
    }

    /// Creates or replaces what the path names: 201 or 200 for `source:ID`, 404 for a UUID that nobody has.
    ///
    /// Two that create the same at once are told apart by the constraint, and the loser replaces.
    func put<Entity>(
        _ request: Request, _ caller: Caller, _ kind: Kind<Entity>
    ) async throws -> Response {
        let reference: Reference<Entity> = try request.reference("id")
        let sent = Sent(body: try await request.body(), path: request.path("id"))
        var attempts = 0
        while true {
            attempts += 1
            do {
                return try await putOnce(reference, sent, request, caller, kind)
            } catch let error as PostgresError
                where error.constraint == kind.sourceConstraint && reference.source != nil
                && attempts < 4
            {
                continue
            }
        }
    }

    private func putOnce<Entity>(
        _ reference: Reference<Entity>, _ sent: Sent, _ request: Request, _ caller: Caller,
        _ kind: Kind<Entity>
    ) async throws -> Response {
        try await database.transaction(as: caller) { session in
            let found = try await session.query(kind.find(reference))
            let exists = found.count > 0
            let id: ID<Entity>
            if exists {
                id = ID(try found[0].uuid("id"))
                try request.checkMatch(version: try found[0].int("version"))
                try await kind.replace(session, id, sent, found[0])
            } else {
                guard reference.source != nil else { throw Problem.notFound }
                if request.http.headers["if-match"] != nil { throw Problem.preconditionFailed }
                id = ID(.v7())
                try await kind.create(session, id, sent)
            }
            let rows = try await session.query(kind.read(id))
            return try .object(rows, status: exists ? 200 : 201)
        }
    }

    /// Changes the fields that stand in the body and leaves the rest; null takes one back to its default
    /// (RFC 7396, at the top level).
    func patch<Entity>(
        _ request: Request, _ caller: Caller, _ kind: Kind<Entity>
    ) async throws -> Response {
        let reference: Reference<Entity> = try request.reference("id")
        let change = try await request.body()
        return try await database.transaction(as: caller) { session in
            let found = try await session.query(kind.find(reference))
            guard found.count > 0 else { throw Problem.notFound }
            try request.checkMatch(version: try found[0].int("version"))
            let id = ID<Entity>(try found[0].uuid("id"))
            let now = try await session.query(kind.read(id))
            let merged = try Self.merge(change.object, into: now, kind.shape)
            let sent = Sent(body: Fields(merged), path: nil)
            try await kind.replace(session, id, sent, found[0])
            return try .object(try await session.query(kind.read(id)))
        }
    }

    /// What a `PUT` of the present state with the changes would send.
    private static func merge(
        _ change: JSONObject, into now: Rows, _ shape: ObjectShape
    ) throws -> JSONObject {
        var writer = JSONWriter()
        try now.writeJSON(row: 0, columns: now.shownColumns, into: &writer)
        let present = try JSONValue(parsing: writer.bytes)
        var merged = JSONObject()
        for field in shape.fields {
            let stays = ["managedId", "teacherIds", "studentIds"].contains(field.name)
            let value = change[field.name] ?? (stays ? nil : present[field.name])
            if let value, !value.isNull { merged[field.name] = value }
        }
        let errors = Shape.object(shape).check(.object(merged))
        guard errors.isEmpty else { throw Problem.invalid(errors) }
        return merged
    }
}

extension ObjectShape {
    /// The body of a `PATCH`: every field may be absent.
    func change(_ name: String) -> Shape {
        .fields(name, fields.changed(staying: ["managedId", "teacherIds", "studentIds"]))
    }
}
