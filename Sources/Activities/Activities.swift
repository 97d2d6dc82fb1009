import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

/// What students do in apps: the app reports it, and only what was assigned is kept.
///
/// What is kept is decided by `SQL/functions/activities.sql` alone; an app gets the same answer whoever holds
/// the device and whatever became of the upload.
package struct Activities: Feature {
    /// Beyond this many activities or bytes an upload goes to the lane for statements that take their time: 50 take
    /// some 10 ms of the 100 that the shared lane gives, and more while the disk is busy.
    private static let smallUploadCount = 20
    private static let smallUploadBytes = 16_384

    let database: Database

    package init(database: Database) {
        self.database = database
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/activities", "Report what was done in the app.",
                for: [.app], body: .json(ActivityShapes.upload),
                answers: [
                    .json(
                        "It has arrived; only what is malformed is named.",
                        ActivityShapes.uploaded, status: 202)
                ], problems: [(403, "Only apps report activities.")], handler: store),
            Endpoint(
                .post, "/v1/me/completions",
                "Mark done whatever is assigned for a context of the app.",
                for: [.app], body: .json(ActivityShapes.completion),
                answers: [
                    .json("It has arrived; what becomes of it is not told.", .taken, status: 202)
                ], problems: [(403, "Only apps mark by context; students mark assignments.")],
                handler: complete),
        ]
    }

    private func store(_ request: Request, _ caller: Caller) async throws -> Response {
        // To read a large upload only to refuse it would leave less time for those that are taken.
        if request.http.body.announcedLength ?? 0 > Self.smallUploadBytes {
            try database.checkRoom()
        }
        let upload = try Upload(try await request.json(maximumBytes: 1 << 20))
        let document = ActivityDocument.make(upload)
        let statement = Statement.storeActivities(JSONDocument(document))
        if upload.parts.count <= Self.smallUploadCount, document.count <= Self.smallUploadBytes {
            _ = try await database.query(statement, as: caller)
        } else {
            _ = try await database.longQuery(statement, as: caller)
        }
        return .taken(butFor: upload.refused)
    }

    private func complete(_ request: Request, _ caller: Caller) async throws -> Response {
        let path = try await request.body().texts("identifierPath") ?? []
        _ = try await database.query(.completeAssignments(identifierPath: path), as: caller)
        return .taken
    }
}

extension Response {
    /// 202 with an empty object, byte for byte the same for everybody.
    fileprivate static let taken = Response.json(Array("{}".utf8), status: 202)

    /// The same, and what of it is malformed.
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
