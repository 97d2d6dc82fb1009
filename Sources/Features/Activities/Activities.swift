import API
import HTTPServer
import HTTPWire
import JSONBytes
import Log
import Metrics
import Postgres
import School

/// What students do in apps: the app reports it, and only what was assigned is kept.
///
/// A call is answered once its content is in the inbox; it is stored afterwards.
/// `SQL/functions/activities/recording.sql` alone decides what is kept. An app gets the same answer, equally fast,
/// no matter who holds the device and what becomes of the upload.
package struct Activities: Feature {
    package let meaning = "What apps report about a student's work."
    let database: Database
    let inbox: UploadInbox

    /// - Parameter log: where uploads that could not be stored are reported; `nil` for nowhere.
    package init(database: Database, log: Log? = nil) {
        self.database = database
        inbox = UploadInbox(database: database, log: log)
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/activities", "Report what a student did in your app",
                description: """
                    Only work that a teacher assigned is kept, and no answer shows which that is. Parts may be \
                    sent again, in any order and up to 30 days late: the result is the same.
                    """,
                for: [.app], body: .json(ActivityShapes.upload),
                answers: [
                    .json(
                        "Received. The answer names malformed activities, and nothing else.",
                        ActivityShapes.uploaded, status: 202)
                ], problems: [(403, "Only apps report activities.")], handler: store),
            Endpoint(
                .post, "/v1/me/completions",
                "Mark everything assigned for a context as done",
                description: "Counts for exactly this context, not for those below it.",
                for: [.app], body: .json(ActivityShapes.completion),
                answers: [
                    .json(
                        "Received. The answer never says what comes of it.", .taken, status: 202)
                ], problems: [(403, "Only apps mark by context; students mark assignments.")],
                handler: complete),
        ]
    }

    package func start() { inbox.worker.start() }
    package func stop() { inbox.worker.stop() }
    package func settle() async throws { try await inbox.worker.settle() }
    package func export(to metrics: inout Exposition) { inbox.worker.figures.export(to: &metrics) }

    /// Whether so much of an organization waits to be stored that no more is taken from anyone.
    package func isInboxCrowded(_ organizationID: OrganizationID) -> Bool {
        inbox.worker.figures.isCrowded(organizationID)
    }

    private func store(_ request: Request, _ caller: Caller) async throws -> Response {
        // Reading a large upload only to refuse it would take time from those that are accepted.
        if request.http.body.announcedLength ?? 0 > UploadInbox.smallBytes {
            try database.checkQueue(for: caller)
        }
        let upload = try Upload(try await request.json(maximumBytes: 1 << 20))
        try await inbox.take(.activities, ActivityDocument.make(upload), of: caller)
        return .taken(butFor: upload.refused)
    }

    private func complete(_ request: Request, _ caller: Caller) async throws -> Response {
        let path = try await request.body().texts("identifierPath") ?? []
        var writer = JSONWriter()
        writer.beginArray()
        for identifier in path { writer.text(identifier) }
        writer.endArray()
        try await inbox.take(.completion, writer.bytes, of: caller)
        return .taken
    }
}

extension Response {
    /// 202 with an empty object, byte for byte the same for everyone.
    fileprivate static let taken = Response.json(Array("{}".utf8), status: 202)

    /// The same, with the activities that are malformed.
    fileprivate static func taken(butFor refused: [RefusedActivity]) -> Response {
        guard !refused.isEmpty else { return taken }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("refused")
        writer.beginArray()
        for activity in refused { activity.write(into: &writer) }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes, status: 202)
    }
}
