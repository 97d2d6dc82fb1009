import API
import HTTPServer
import Postgres
import School
import Values

/// What a list of handouts contains, and in which order.
struct HandoutFilter: Sendable {
    static let orders = ["newest", "due"]
    static let orderMeaning =
        "The newest first, or those due first and those without a due time last; `newest` when absent."

    let classReference: Reference<ClassEntity>?
    let state: String?
    let dueBefore: Timestamp?
    let updatedSince: Timestamp?
    let isByDueTime: Bool
    let isCounted: Bool

    init(_ request: Request) {
        classReference = request.queryReference("classId")
        state = request.query("state")
        dueBefore = request.queryTimestamp("dueBefore")
        updatedSince = request.queryTimestamp("updatedSince")
        isByDueTime = request.query("order") == "due"
        isCounted = request.queryBoolean("counts") ?? false
    }
}

/// Where a page of handouts ended.
struct HandoutPlace: Sendable {
    let id: UUID
    /// In a list by due time; `nil` if the handout has none.
    let dueAt: Timestamp?

    /// `nil` on the first page.
    init?(_ page: Page, _ filter: HandoutFilter) throws {
        guard !page.isFirst else { return nil }
        guard page.after.count == (filter.isByDueTime ? 2 : 1), let id = UUID(page.after[0]) else {
            throw Problem.foreignPageToken
        }
        self.id = id
        dueAt = page.after(1).flatMap { Timestamp($0) }
        if page.after(1).map({ !$0.isEmpty }) ?? false, dueAt == nil {
            throw Problem.foreignPageToken
        }
    }

    static func key(_ row: Row, _ filter: HandoutFilter) throws -> [String] {
        let id = try row.uuid("id").description
        return filter.isByDueTime
            ? [id, try row.optionalTimestamp("due_at")?.description ?? ""] : [id]
    }
}

extension Handouts {
    func listHandouts(_ request: Request, caller: Caller) async throws -> Response {
        let page = try request.page()
        let filter = HandoutFilter(request)
        let statement = Statement.handouts(
            of: caller.organizationID, filter, languages: request.languages,
            after: try HandoutPlace(page, filter), limit: page.limitPlusOne)
        // Counts read every seat of the classes, and the due order every handout.
        let asked = page.of(statement)
        let rows =
            filter.isCounted || filter.isByDueTime
            ? try await database.longQuery(asked, as: caller)
            : try await database.query(asked, as: caller)
        return try page.response(
            rows, key: { try HandoutPlace.key($0, filter) }, request: request
        ).varying(by: "Accept-Language")
    }
}
