import API
import HTTPClient
import HTTPWire
import JSONBytes
import Log
import Postgres
import School
import Values

/// What was created, changed or removed lately, for other systems that keep up with the school: by call, and by webhooks
/// that are called.
///
/// Triggers note changes in the transaction that makes them (`SQL/functions/changes/noting.sql`), and
/// `SQL/policies/changes.sql` decides who learns of which.
package struct Changes: Feature {
    package let meaning = "What changed, for other systems that keep up with the school."
    let database: Database
    let worker: WebhookWorker
    /// With which the secrets of webhooks are sealed.
    let key: CredentialKey

    /// - Parameters:
    ///   - client: calls webhooks.
    ///   - key: with which their secrets are sealed.
    ///   - log: where it is reported that webhooks cannot be called; `nil` for nowhere.
    package init(
        database: Database, client: any OutgoingCalls = HTTPClient(limits: .webhooks),
        key: CredentialKey, log: Log? = nil
    ) {
        self.database = database
        self.key = key
        worker = WebhookWorker(database: database, client: client, key: key, log: log)
    }

    package func start() { worker.start() }
    package func stop() { worker.stop() }
    package func settle() async throws { try await worker.settle() }

    package var constraints: [String: Problem] {
        ["organization_has_room_for_webhooks": .tooManyWebhooks]
    }

    package var endpoints: [Endpoint] { [changesEndpoint, latestEndpoint] + webhookEndpoints }

    /// A position that lies far back costs what lies behind it: for each transaction the policy looks whether the
    /// caller sees something of it.
    private var changesEndpoint: Endpoint {
        Endpoint(
            .get, "/v1/changes", "Follow what is created, changed and removed",
            description: """
                Ask without `after` first, read everything once, and then ask again and again from the last \
                `position`. You see changes of what you may read, and no others.
                """,
            for: Self.readers, query: ChangeShapes.parameters,
            answers: [
                .json(
                    "Oldest first, one for each record in a transaction.",
                    .object(ChangeShapes.changes))
            ],
            problems: [(410, "Changes after this position are no longer kept.")], cost: 5,
            handler: follow)
    }

    private var latestEndpoint: Endpoint {
        Endpoint(
            .get, "/v1/changes/latest", "Find who changed a record last, and when",
            for: Self.readers, query: ChangeShapes.latestParameters,
            answers: [
                .json(
                    "The latest change of the last 24 hours that you may see.",
                    .object(ChangeShapes.latest))
            ],
            problems: [
                (404, "Nobody changed the record in that time, or you do not see the change.")
            ],
            cost: 5, handler: latest)
    }

    /// Those who may read people, classes and rosters.
    private static let readers: [Standing] = [
        .administrator, .siteManager, .peopleManager, .contentManager, .manager, .provisioner,
        .teacher,
    ]

    private func follow(_ request: Request, _ caller: Caller) async throws -> Response {
        let limit = request.queryInteger("limit") ?? 100
        let sent = request.query("after")
        return try await database.transaction(as: caller) { session in
            let feed = try Feed(try await session.query(.feed)[0])
            guard let sent else {
                return .json(
                    ["items": [], "position": .text(feed.end), "hasMore": false])
            }
            let position = try feed.opened(sent)
            let rows = try await session.query(
                .changes(
                    after: position, before: feed.endsBefore, limit: limit + 1,
                    in: caller.organizationID))
            return try answer(rows, limit: limit, of: feed)
        }
    }

    private func latest(_ request: Request, _ caller: Caller) async throws -> Response {
        let kind = request.query("kind") ?? ""
        guard let id = request.query("id"),
            ChangeShapes.editors[kind]?.contains(caller.standing) != false,
            let statement = Statement.latestChange(
                of: id, kind: kind, in: caller.organizationID)
        else { throw Problem.notFound }
        return try .object(try await database.query(statement, as: caller))
    }

    private func answer(_ rows: Rows, limit: Int, of feed: Feed) throws -> Response {
        let count = min(rows.count, limit)
        var writer = JSONWriter(reserving: 128 + count * 128)
        writer.beginObject()
        writer.key("items")
        writer.beginArray()
        for row in 0..<count {
            try rows.writeJSON(row: row, columns: ChangeShapes.columns, into: &writer)
        }
        writer.endArray()
        writer.key("position")
        let hasMore = rows.count > limit
        writer.text(hasMore ? feed.sealed(try FeedPosition(rows[limit - 1])) : feed.end)
        writer.key("hasMore")
        writer.bool(hasMore)
        writer.endObject()
        return .json(writer.bytes)
    }
}
