import API
import HTTPServer
import HTTPWire
import Postgres
import School
import Values

/// Who did what, when, and from where: events that no one can change. And who looked at students' work.
///
/// Features write them in the transactions that they describe; this feature only reads them.
package struct Audit: Feature {
    package let meaning = "Who did what, when and from where, and who looked at students' work."
    let database: Database

    package init(database: Database) {
        self.database = database
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/audit-events", "List audit events",
                for: [.administrator, .siteManager, .peopleManager],
                query: Endpoint.Parameter.page + [
                    .optional("kind", .word(AuditShapes.kinds), "Only events of this kind."),
                    .optional("personId", .uuid, "Only events caused by this person."),
                    .optional(
                        "serviceAccountId", .uuid, "Only events caused by this service account."),
                    .optional(
                        "subjectId", .text(1...255), "Only events about the record with this id."),
                    .optional("sessionId", .uuid, "Only events of this sign-in."),
                    .optional(
                        "tokenId", AuditShapes.tokenID,
                        "Only events of this token, by the first 16 digits of its SHA-256."),
                    .optional("since", .timestamp, "Only events at or after this moment."),
                    .optional("until", .timestamp, "Only events before this moment."), .orderByTime,
                ],
                answers: [
                    .pageOrCSV(
                        "The events; CSV has all of them, whatever the limit.",
                        of: AuditShapes.event)
                ], reads: .replica, handler: listEvents)
        ] + viewingEndpoints
    }

    private func listEvents(_ request: Request, caller: Caller) async throws -> Response {
        let page = try request.page()
        let filter = AuditFilter(
            kind: request.query("kind"), personID: request.queryID("personId"),
            serviceAccountID: request.queryID("serviceAccountId"),
            subjectID: request.query("subjectId"),
            sessionID: request.query("sessionId").flatMap { UUID($0) },
            tokenID: request.query("tokenId"), since: request.queryTimestamp("since"),
            until: request.queryTimestamp("until"), isOldestFirst: request.isOldestFirst)
        let position = try AuditPosition(page)
        if request.prefersCSV {
            return try await table(of: filter, after: position, caller).varying(by: "Accept")
        }
        let rows = try await events(
            filter, after: position, limit: page.limitPlusOne, of: page, caller)
        return try page.response(
            rows,
            key: { [try $0.timestamp("at").description, try $0.uuid("id").description] },
            request: request
        ).varying(by: "Accept")
    }

    private func events(
        _ filter: AuditFilter, after position: AuditPosition?, limit: Int, of page: Page? = nil,
        _ caller: Caller
    ) async throws -> Rows {
        let statement = Statement.events(
            of: caller.organizationID, filter, after: position, limit: limit)
        let asked = page?.of(statement) ?? statement
        // Filters without an index may read years of events, so this is not a short query.
        return try await database.read(as: caller) { try await $0.query(asked) }
    }

    /// All events as CSV. They are read while they are sent, some at a time, so that years of them take no memory and
    /// keep no transaction open.
    private func table(
        of filter: AuditFilter, after position: AuditPosition?, _ caller: Caller
    ) async throws -> Response {
        let first = try await events(filter, after: position, limit: AuditTable.batch, caller)
        return Response(
            200,
            headers: [
                ResponseField("Content-Type", "text/csv; charset=utf-8; header=present"),
                ResponseField("Cache-Control", "no-store"), .attachment("audit-events.csv"),
            ],
            body: .stream(length: nil) { client in
                var table = AuditTable()
                var rows = first
                while true {
                    try await client.write(table.lines(of: rows))
                    guard rows.count == AuditTable.batch else { break }
                    let last = try AuditPosition(rows[rows.count - 1])
                    rows = try await events(filter, after: last, limit: AuditTable.batch, caller)
                }
            })
    }
}

/// The filters of a list of events.
struct AuditFilter: Sendable {
    let kind: String?
    let personID: PersonID?
    let serviceAccountID: ServiceAccountID?
    let subjectID: String?
    let sessionID: UUID?
    let tokenID: String?
    let since: Timestamp?
    let until: Timestamp?
    let isOldestFirst: Bool
}

/// Where a page of events ended.
struct AuditPosition: Sendable {
    let moment: Timestamp
    let id: UUID

    /// After this event.
    init(_ event: Row) throws {
        moment = try event.timestamp("at")
        id = try event.uuid("id")
    }

    /// `nil` on the first page.
    init?(_ page: Page) throws {
        guard !page.isFirst else { return nil }
        guard page.after.count == 2, let moment = Timestamp(page.after[0]),
            let id = UUID(page.after[1])
        else {
            throw Problem.invalidParameter(
                "pageToken", "This page token does not belong to this list.")
        }
        self.moment = moment
        self.id = id
    }
}
