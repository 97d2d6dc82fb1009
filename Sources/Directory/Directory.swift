import Crypto
import HTTPServer
import HTTPWire
import Postgres
import School
import Values

/// The organization, its locations, people, courses and classes, and who sits in them.
///
/// Who may read or change what is decided in `SQL/policies/directory.sql`; here stands only who has no
/// business with a call at all.
package struct Directory: Feature {
    let database: Database

    package init(database: Database) {
        self.database = database
    }

    package var endpoints: [Endpoint] {
        organizationEndpoints + locationEndpoints + personEndpoints + courseEndpoints
            + classEndpoints + rosterEndpoints
    }

    /// Who reads the whole directory.
    static let readers: [Standing] = Standing.directoryManagers + [.manager, .contentManager]
    /// Who reads the whole directory, and teachers, who read what belongs to their classes.
    static let readersAndTeachers: [Standing] = readers + [.teacher]
    /// Who changes the directory.
    static let writers: [Standing] = Standing.directoryManagers
    /// What a read with the current ETag answers.
    static let unchanged = Endpoint.Answer.empty(304, "The client has the current version.")
}

extension Directory {
    /// A page of a list in the order of ids, which is the order in which things were made.
    func page(
        _ request: Request, _ caller: Caller,
        _ statement: (_ after: UUID?, _ limit: Int) -> Statement
    ) async throws -> Response {
        let page = try request.page()
        let after = try page.after(0).map { text in
            guard let id = UUID(text) else { throw Problem.foreignPageToken }
            return id
        }
        let rows = try await read(statement(after, page.limitPlusOne), page.limit, caller)
        return try page.response(
            rows, key: { [try $0.uuid("id").description] }, request: request)
    }

    /// Long pages take the lane on which nobody waits behind them.
    func read(_ statement: Statement, _ limit: Int, _ caller: Caller) async throws -> Rows {
        guard limit > 200 else { return try await database.query(statement, as: caller) }
        return try await database.transaction(as: caller) { try await $0.query(statement) }
    }

    /// Creates or replaces what the path names: 201 or 200 for `source:ID`, 404 for a UUID that nobody has.
    ///
    /// Two that create the same at once are told apart by the constraint, and the loser replaces.
    func put<Entity>(
        _ request: Request, _ caller: Caller, _ steps: PutSteps<Entity>
    ) async throws -> Response {
        let reference: Reference<Entity> = try request.reference("id")
        var attempts = 0
        while true {
            attempts += 1
            do {
                return try await putOnce(reference, request, caller, steps)
            } catch let error as PostgresError
                where error.constraint == steps.sourceConstraint && reference.source != nil
                && attempts < 4
            {
                continue
            }
        }
    }

    private func putOnce<Entity>(
        _ reference: Reference<Entity>, _ request: Request, _ caller: Caller,
        _ steps: PutSteps<Entity>
    ) async throws -> Response {
        try await database.transaction(as: caller) { session in
            let found = try await session.query(steps.find(reference))
            let exists = found.count > 0
            let id: ID<Entity>
            if exists {
                id = ID(try found[0].uuid("id"))
                if request.http.headers["if-none-match"] == "*" { throw Problem.exists }
                try request.checkMatch(version: try found[0].int("version"))
                try await steps.replace(session, id, found[0])
            } else {
                guard reference.source != nil else { throw Problem.notFound }
                if request.http.headers["if-match"] != nil { throw Problem.preconditionFailed }
                id = ID(.v7())
                try await steps.create(session, id)
            }
            let rows = try await session.query(steps.read(id))
            return try .object(rows, status: exists ? 200 : 201)
        }
    }
}

/// What a `PUT` of one kind of thing does inside its transaction.
struct PutSteps<Entity> {
    /// Finds and locks the row: `id`, `version` and what `replace` needs.
    let find: (Reference<Entity>) -> Statement
    let create: (Session, ID<Entity>) async throws -> Void
    let replace: (Session, ID<Entity>, Row) async throws -> Void
    /// The answer.
    let read: (ID<Entity>) -> Statement
    /// Which constraint keeps the school's own ids unique.
    let sourceConstraint: String
}
