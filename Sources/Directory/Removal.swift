import HTTPServer
import HTTPWire
import Postgres
import School
import Values

/// How one kind of thing is removed, and what must not hang on it.
struct Removal<Entity> {
    /// What it is in the audit, and the beginning of the code of a refusal: `location`, `location_in_use`.
    let subject: String
    /// Finds and locks the row: `id` and `version`.
    let find: (Reference<Entity>) -> Statement
    /// Counts what hangs on it, in columns named as people call it: `"roles of people"`.
    let hanging: (ID<Entity>) -> Statement
    let remove: (ID<Entity>) -> Statement
}

extension Directory {
    /// The call that removes one.
    static func removalEndpoint(
        _ path: String, _ summary: String, for standings: [Standing],
        handler: @escaping Endpoint.Handler
    ) -> Endpoint {
        Endpoint(
            .delete, path, summary, for: standings, answers: [.empty(204, "Removed.")],
            problems: [
                (409, "It is still in use; the detail says by what, and how much."),
                (412, "It changed since you read it."),
            ], handler: handler)
    }

    /// Removes what the path names, unless something hangs on it, and leaves an audit event.
    func remove<Entity>(
        _ request: Request, _ caller: Caller, _ removal: Removal<Entity>
    ) async throws -> Response {
        let reference: Reference<Entity> = try request.reference("id")
        do {
            return try await database.transaction(as: caller) { session in
                let found = try await session.query(removal.find(reference))
                guard found.count > 0 else { throw Problem.notFound }
                try request.checkMatch(version: try found[0].int("version"))
                let id = ID<Entity>(try found[0].uuid("id"))
                let counts = try await session.query(removal.hanging(id))
                let hanging = try counts.columns.compactMap { column -> String? in
                    let count = try counts[0].int(column)
                    return count == 0 ? nil : "\(count) \(column)"
                }
                guard hanging.isEmpty else { throw Problem.inUse(removal.subject, hanging) }
                try await session.query(removal.remove(id))
                try await session.query(
                    .audit("removal", subjectKind: removal.subject, subject: id.uuid))
                return .noContent
            }
        } catch let error as PostgresError where error.sqlState == "23503" {
            // Came about in the meantime, or belongs to another part of the service.
            throw Problem.inUse(removal.subject, [])
        }
    }
}

extension Problem {
    /// - Parameter hanging: how many of what, such as `3 courses`; empty where that is not known.
    static func inUse(_ subject: String, _ hanging: [String]) -> Problem {
        Problem(
            409, "\(subject)_in_use", "It is still in use.",
            detail: hanging.isEmpty
                ? "Other records refer to it; remove or move them first."
                : "It has \(hanging.joined(separator: ", ")); remove or move them first.")
    }
}
