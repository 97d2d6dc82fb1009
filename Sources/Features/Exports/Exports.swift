import API
import Crypto
import EventLoop
import Files
import HTTPServer
import HTTPWire
import JSONBytes
import Log
import Postgres
import School
import Values

/// The nightly export on demand: ordered by a call, written by a worker, fetched file by file.
///
/// Files stay for a week on the disk of the process that wrote them; processes that serve the same organization share
/// the folder.
package struct Exports: Feature {
    package let meaning = "The nightly export, ordered and fetched by a call."
    let database: Database
    let spool: ExportSpool
    let worker: QueueWorker
    /// For file access, which must not block the loops.
    let threads = BlockingThreads(count: 2, queueLimit: 64)

    /// - Parameter spool: the folder for data that is too large for memory.
    package init(database: Database, spool: String, log: Log? = nil) {
        self.database = database
        let spool = ExportSpool(spool)
        self.spool = spool
        // Ten minutes, in case the database is unreachable.
        let patience = QueueWorker.Patience(seconds: 3, retries: 200, logsEach: true)
        worker = QueueWorker(trouble: "exports interrupted", patience, log: log) {
            target, isStopped in
            let queue = try ExportQueue(target: target, spool: spool, log: log)
            try QueueWorker.drain(queue.look, until: isStopped)
            try queue.removeExpired()
        }
    }

    /// Resumes what was left behind when the last process ended.
    package func start() { worker.wake(target: database.target) }

    package func stop() { worker.stop() }

    package func tidy() { worker.wake(target: database.target) }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/exports",
                "Order an export of everything, or of the changes since an earlier one",
                description: """
                    It is written afterwards; ask for it until its `status` says that it is done. Its files stay \
                    for a week, or until someone in them is erased or progress is deleted.
                    """,
                for: [.exporter], body: .jsonIfAny(.exportOrder),
                answers: [
                    .json("The export is queued.", .object(.orderedExport), status: 202).located
                ],
                problems: [
                    (403, Self.forExporters),
                    (
                        409,
                        "An export of the organization is not done yet (`export_under_way`); `Location` is "
                            + "its path."
                    ),
                    (422, "The export to continue from does not exist."),
                ], cost: 20, handler: order),
            Endpoint(
                .get, "/v1/exports", "List exports", for: [.exporter],
                query: [.orderByTime] + Endpoint.Parameter.page,
                answers: [.page("The exports.", of: .export)],
                problems: [(403, Self.forExporters)], reads: .replica, handler: list),
            Endpoint(
                .get, "/v1/exports/{id}", "Find an export, its state and its files",
                for: [.exporter],
                answers: [.json("The export.", .object(.export)).tagged, .unchanged],
                problems: [(403, Self.forExporters)], handler: show),
            Endpoint(
                .get, "/v1/exports/{id}/files/{name}",
                "Fetch a file of an export, whole or in part",
                for: [.exporter],
                answers: [
                    .bytes("The file.", Self.mediaTypes).ranged,
                    .bytes("The part that Range asks for.", Self.mediaTypes, status: 206).partial,
                    .unchanged,
                ],
                problems: [
                    (403, Self.forExporters), (404, "The file does not exist, or no longer does."),
                    (416, "The file has nothing in this range."),
                ], handler: send),
        ]
    }

    private static let forExporters = "Only exporters read what the nightly export holds."
    private static let mediaTypes = ["application/gzip", "application/json", "application/sql"]

    private func order(_ request: Request, _ caller: Caller) async throws -> Response {
        let since = try await request.bodyIfAny().uuid("sinceExportId").map { ExportID($0) }
        let id = ExportID(.v7())
        try await database.transaction(as: caller) { session in
            let ordered = try await session.query(.order(id, since: since, by: caller))
            if !ordered.isEmpty { return }
            let running = try await session.query(.exportUnderWay(of: caller))
            if let row = running.first {
                throw Problem.exportIsUnderWay(ExportID(try row.uuid("export_id")))
            }
            throw Problem.unknownReference("/sinceExportId")
        }
        let (worker, target) = (worker, database.target)
        database.afterCommit { worker.wake(target: target) }
        return Response.json(
            ["id": .text(id.uuid.description), "status": "queued"], status: 202
        ).located(at: "/v1/exports/\(id.uuid)")
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        let page = try request.page()
        let statement = try Statement.exports(page, oldestFirst: request.isOldestFirst, of: caller)
        let rows = try await database.query(page.of(statement), as: caller)
        return try page.response(
            rows, key: { [try $0.uuid("id").description] }, request: request)
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        let rows = try await database.query(.export(request.id("id"), of: caller), as: caller)
        // The process that began it may be gone.
        if try rows.first?.isNull("finished_at") == true { worker.wake(target: database.target) }
        return try .object(rows)
    }

    private func send(_ request: Request, _ caller: Caller) async throws -> Response {
        let id: ExportID = try request.id("id")
        let name = request.path("name")
        let rows = try await database.query(.file(name, of: id, for: caller), as: caller)
        guard let digest = try rows.first?.text("sha256") else { throw Problem.notFound }
        let path = "\(spool.folder(of: id, in: caller.organizationID).path)/\(name)"
        do {
            let (file, size) = try await threads.run {
                let file = try File.reading(path)
                return (file, try file.size())
            }
            return response(file, size, name, digest)
        } catch let error as FileError where error.isForAbsence {
            throw Problem.notFound
        }
    }

    private func response(
        _ file: File, _ size: Int, _ name: String, _ digest: String
    ) -> Response {
        let type =
            name.hasSuffix(".gz")
            ? Self.mediaTypes[0] : name.hasSuffix(".json") ? Self.mediaTypes[1] : Self.mediaTypes[2]
        let threads = threads
        let part: @Sendable (Range<Int>) -> HTTPResponse.Body = { range in
            .stream(length: range.count) { client in
                var rest = range
                while !rest.isEmpty {
                    let next = rest.prefix(65_536)
                    try await client.write(try await threads.run { try file.bytes(in: next) })
                    rest = next.upperBound..<rest.upperBound
                }
            }
        }
        var response = Response(
            200,
            headers: [
                ResponseField("Content-Type", type),
                ResponseField("Cache-Control", "private, no-cache"),
                ResponseField("ETag", "\"\(digest)\""), ResponseField("Accept-Ranges", "bytes"),
                ResponseField("Content-Disposition", "attachment; filename=\"\(name)\""),
            ], body: part(0..<size))
        response.part = part
        return response
    }
}

extension Problem {
    /// - Parameter id: the export that is not done.
    static func exportIsUnderWay(_ id: ExportID) -> Problem {
        Problem(
            409, "export_under_way", "An export is still under way.",
            detail:
                "An organization has one export at a time. Wait for export \(id.uuid), then order again.",
            headers: [ResponseField("Location", "/v1/exports/\(id.uuid)")])
    }
}
