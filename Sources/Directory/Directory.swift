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
        organizationEndpoints + locationEndpoints + personEndpoints + personStatusEndpoints
            + courseEndpoints + classEndpoints + termEndpoints + rosterEndpoints + batchEndpoints
            + progressPauseEndpoints
    }

    /// Who reads the whole directory.
    static let readers: [Standing] = Standing.directoryManagers + [.manager, .contentManager]
    /// Who reads the whole directory, and teachers, who read what belongs to their classes.
    static let readersAndTeachers: [Standing] = readers + [.teacher]
    /// Who changes the directory.
    static let writers: [Standing] = Standing.directoryManagers
    /// Who makes classes and seats people in them: a manager in those that no import brought, as in
    /// Apple School Manager.
    static let classWriters: [Standing] = writers + [.manager]
    /// Who changes people; managers those who hold only roles that are theirs to give.
    static let peopleWriters: [Standing] = writers + [.manager]
}

extension Directory {
    /// A page of a list in the order of ids, which is the order in which things were made.
    ///
    /// - Parameter isLong: the statement may have to look at many rows for a short page.
    func page(
        _ request: Request, _ caller: Caller, isLong: Bool = false,
        _ statement: (_ after: UUID?, _ limit: Int) -> Statement
    ) async throws -> Response {
        let page = try request.page()
        let after = try page.after(0).map { text in
            guard let id = UUID(text) else { throw Problem.foreignPageToken }
            return id
        }
        let statement = statement(after, page.limitPlusOne)
        let rows =
            try await isLong
            ? database.longQuery(statement, as: caller) : read(statement, page.limit, caller)
        return try page.response(
            rows, key: { [try $0.uuid("id").description] }, request: request)
    }

    /// Long pages take the lane on which nobody waits behind them.
    func read(_ statement: Statement, _ limit: Int, _ caller: Caller) async throws -> Rows {
        guard limit > 200 else { return try await database.query(statement, as: caller) }
        return try await database.transaction(as: caller) { try await $0.query(statement) }
    }
}
