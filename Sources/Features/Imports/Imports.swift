import API
import Contract
import Crypto
import EventLoop
import Files
import HTTPClient
import HTTPServer
import HTTPWire
import JSONBytes
import Log
import Metrics
import Postgres
import School
import Values

/// Archives from a school's information system, which contain the whole directory.
///
/// An archive is stored before the call is answered; then a worker processes it (`ImportQueue`). What is pulled from a
/// OneRoster provider becomes such an archive (`RosterSource`).
package struct Imports: Feature {
    package let meaning =
        "Archives from your information system, or its OneRoster API: preview, approve, apply."
    /// The size limit of an archive, in bytes.
    static let archiveBytesMax = ImportLimit.archiveBytes
    /// The lowest average rate of an upload: a quarter of what a slow school line provides.
    static let uploadBytesPerSecondMin = 16_384

    /// The rule that keeps an organization from filling the queue.
    static let queueRule = "import_queue_has_room"

    let database: Database
    let worker: QueueWorker
    /// The imports of this process.
    let tallies: ImportTallies
    let spool: String
    /// For file access, which must not block the loops.
    let threads = BlockingThreads(count: 2, queueLimit: 64)
    let slots = UploadSlots()
    /// With which the client secrets of roster sources are sealed.
    let key: CredentialKey
    let puller: RosterPuller

    /// - Parameters:
    ///   - spool: the folder in which archives lie on their way into the database.
    ///   - key: with which the client secrets of roster sources are sealed.
    ///   - sources: asks roster sources.
    package init(
        database: Database, spool: String, key: CredentialKey,
        sources: any BlockingCalls = BlockingClient(limits: .rosterSources), log: Log? = nil
    ) {
        self.database = database
        self.spool = spool
        self.key = key
        let tallies = ImportTallies()
        self.tallies = tallies
        // Ten minutes, in case the database is unreachable.
        let patience = QueueWorker.Patience(seconds: 3, retries: 200, logsEach: true)
        worker = QueueWorker(trouble: "imports interrupted", patience, log: log) {
            target, isStopped in
            let queue = try ImportQueue(target: target, log: log, tallies: tallies)
            try QueueWorker.drain(queue.look, until: isStopped)
        }
        puller = RosterPuller(
            database: database, client: sources, key: key, spool: spool, log: log
        ) { [worker] target in worker.wake(target: target) }
    }

    /// Resumes what was left behind when the last process ended, and begins to look for rosters to pull.
    package func start() {
        worker.wake(target: database.target)
        puller.start()
    }

    package func stop() {
        puller.stop()
        worker.stop()
    }

    package func settle() async throws { try await puller.settle() }

    package func export(to metrics: inout Exposition) {
        metrics.begin(
            .counter, "homeroom_imports_total", "Imports that this process ended, by their result.")
        for status in ImportOutcome.Status.allCases {
            metrics.sample(tallies.count(of: status), [("result", status.rawValue)])
        }
        metrics.gauge(
            "homeroom_imports_running", "Imports that this process works on.",
            tallies.running.value)
        puller.export(to: &metrics)
    }

    package var constraints: [String: Problem] { [Imports.queueRule: .tooManyImports] }

    package var endpoints: [Endpoint] {
        importEndpoints + changeEndpoints + peopleEndpoints + findingEndpoints + undoEndpoints
            + sampleEndpoints + rosterSourceEndpoints
    }

    private var importEndpoints: [Endpoint] {
        [
            Endpoint(
                ImportCalls.upload.method, ImportCalls.upload.path,
                "Upload an archive of CSV files",
                for: Standing.directoryManagers,
                query: [
                    .required(
                        ImportUploadQuery.mode, Word<ImportMode>.shape,
                        "preview only says what the archive would do; apply does it."),
                    .optional(
                        ImportUploadQuery.fileName, .line(),
                        "What the archive is called, for people."),
                    .optional(
                        ImportUploadQuery.strict, .word(["true", "false"]),
                        "true refuses what is not as the standard has it, for those who write exports. Otherwise what "
                            + "is certain is put right, and rows that cannot be used are left out."),
                ],
                body: .stream(["application/zip"], maximumBytes: Imports.archiveBytesMax),
                answers: [
                    .of(
                        ImportCalls.upload, "The archive is stored and will be read.", status: 202
                    )
                    .located
                ],
                problems: [
                    (413, "The archive has more than 1 GiB."), (415, "It is not application/zip."),
                ], cost: 20, receive: receive),
            Endpoint(
                ImportCalls.list.method, ImportCalls.list.path, "List imports",
                for: Standing.directoryManagers, query: [.orderByTime] + Endpoint.Parameter.page,
                answers: [.of(ImportCalls.list, "Imports without their errors.")],
                reads: .replica, handler: list),
            Endpoint(
                ImportCalls.details.method, ImportCalls.details.path,
                "Find an import and its state",
                for: Standing.directoryManagers,
                answers: [.of(ImportCalls.details, "The import.").tagged, .unchanged],
                handler: show),
            Endpoint(
                ImportCalls.approval.method, ImportCalls.approval.path,
                "Apply an import that was previewed or waits for approval",
                for: Standing.directoryManagers,
                answers: [
                    .of(ImportCalls.approval, "The import is queued again.", status: 202)
                        .located
                ],
                problems: [
                    (
                        409,
                        "It does not wait for approval (`approval_not_awaited`), or its archive was deleted "
                            + "because a person was erased (`archive_gone`)."
                    )
                ],
                cost: 20, handler: approve),
        ]
    }

    /// Spools the body, stores it with a new import, and wakes the worker.
    func receive(_ request: Request) async throws -> Endpoint.Received {
        if let type = request.http.headers["content-type"], !type.isMediaType("application/zip") {
            throw Problem.archiveOfWrongType
        }
        let (file, digest) = try await slots.take { try await spooled(request) }
        guard file.count > 0 else {
            throw Problem(400, "missing_body", "This call needs an archive as its body.")
        }
        let mode = request.query(ImportUploadQuery.mode) ?? ImportMode.preview.rawValue
        let name = request.query(ImportUploadQuery.fileName)
        let isStrict = request.query(ImportUploadQuery.strict) == "true"
        return Endpoint.Received(digest: digest) {
            try await accept(file, called: name, mode: mode, isStrict: isStrict, from: $0)
        }
    }

    private func accept(
        _ file: UnnamedFile, called name: String?, mode: String, isStrict: Bool, from caller: Caller
    ) async throws -> Response {
        let importID = ImportID(.v7())
        try await database.transaction(as: caller) { session in
            try await session.query(
                .add(
                    importID, mode: mode, fileName: name, bytes: file.count, isStrict: isStrict,
                    by: caller))
            for (position, range) in pieces(of: file) {
                let piece = try await threads.run { try file.bytes(in: range) }
                try await session.query(.add(piece, at: position, to: importID, by: caller))
            }
        }
        wakeWorker()
        return Response.queued(importID)
    }

    private func wakeWorker() {
        let (worker, target) = (worker, database.target)
        database.afterCommit { worker.wake(target: target) }
    }

    func list(_ request: Request, caller: Caller) async throws -> Response {
        let page = try request.page()
        let statement = try Statement.imports(page, oldestFirst: request.isOldestFirst, of: caller)
        let rows = try await database.query(page.of(statement), as: caller)
        return try page.response(
            rows, key: { [try $0.uuid("id").description] }, request: request)
    }

    func show(_ request: Request, caller: Caller) async throws -> Response {
        let rows = try await database.query(
            .importDetails(try request.id("id"), of: caller), as: caller)
        return try .object(rows)
    }

    /// Queues a waiting or previewed import again, now approved. If a preview's plan comes out differently because
    /// the directory changed, it shows the new plan and applies nothing.
    func approve(_ request: Request, caller: Caller) async throws -> Response {
        let importID: ImportID = try request.id("id")
        try await database.transaction(as: caller) { session in
            let rows = try await session.query(.statusForUpdate(of: importID, by: caller))
            guard let row = rows.first else { throw Problem.notFound }
            let status = try row.text("status")
            guard ["awaitingApproval", "planned"].contains(status) else {
                throw Problem.importNeedsNoApproval(status)
            }
            guard try row.bool("has_archive") else { throw Problem.archiveIsGone }
            try await session.query(.approve(importID, by: caller))
        }
        wakeWorker()
        return Response.queued(importID)
    }

    private func spooled(
        _ request: Request
    ) async throws -> (file: UnnamedFile, digest: SHA256Digest) {
        let body = request.http.body
        body.limits = BodyLimits(
            maximumBytes: Imports.archiveBytesMax,
            minimumBytesPerSecond: Imports.uploadBytesPerSecondMin, deadlineSeconds: nil)
        request.http.setDeadline(secondsFromNow: 600)
        let spool = spool
        let file = try await threads.run { try UnnamedFile(spooledIn: spool) }
        let digest = RunningSHA256()
        while let piece = try await body.next() {
            try await threads.run {
                try file.append(piece)
                digest.update(piece)
            }
        }
        return (file, digest.digest())
    }

    private func pieces(of file: UnnamedFile) -> [(position: Int, range: Range<Int>)] {
        stride(from: 0, to: file.count, by: ClaimedImport.pieceBytes).enumerated().map {
            ($0.offset, $0.element..<min($0.element + ClaimedImport.pieceBytes, file.count))
        }
    }
}

extension UnnamedFile {
    /// Creates the folder if it is missing; only the process's own account can read it.
    convenience init(spooledIn folder: String) throws(FileError) {
        try Folder.make(folder, mode: 0o700)
        try self.init(in: folder)
    }
}

extension Response {
    fileprivate static func queued(_ importID: ImportID) -> Response {
        let queued = Document<QueuedImport> {
            $0.id = importID.uuid.description
            $0.status = .queued
        }
        return Response.json(queued.json, status: 202).located(at: "/v1/imports/\(importID.uuid)")
    }
}
