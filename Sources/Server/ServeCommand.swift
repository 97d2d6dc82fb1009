import Cluster
import EventLoop
import Glibc
import HTTPServer
import Log
import Synchronization

extension Subcommand {
    static let serve = Subcommand(
        "serve", "Serves the HTTP API until it is told to stop.",
        options: [
            .optional("listen", "ADDRESS:PORT", "Where (HOMEROOM_LISTEN), 127.0.0.1:8080."),
            .optional("loops", "COUNT", "How many event loops (HOMEROOM_LOOPS)."),
        ]
    ) { invocation in
        try runService(invocation.settings)
    }
}

/// Binds, gives up root's rights, opens the database, serves, and on SIGTERM or SIGINT lets what is in flight
/// finish.
private func runService(_ settings: Settings) throws {
    let signals = StopSignals()
    OpenFiles.raiseLimit()
    let log = settings.commandLog
    let definitions = try Definitions(folder: Definitions.folder(settings))
    let listener = try ListeningSocket.bind(
        address: settings.listen.host, port: settings.listen.port)
    if settings.databaseURL == nil {
        try Account.drop(to: Installation.account, makingFolders: [settings.dataFolder])
    }
    let installation = try Installation.open(settings, definitions: definitions, log: log)
    defer { installation.close() }
    let guardian = installation.cluster.map { ClusterGuardian($0, log: log) }
    let serving = try waitFor {
        let serving = try await Serving(
            database: installation.databaseURL, listener: listener, loops: settings.loops,
            spool: settings.dataFolder, log: settings.log == .off ? nil : log)
        try await serving.start()
        return serving
    }
    complain("Homeroom serves on http://\(settings.listen.with(port: serving.port)).")
    _ = signals.wait()
    complain("Homeroom stops.")
    try waitFor { await serving.shutdown() }
    guardian?.stop()
}

extension ListenAddress {
    /// The same host with the port that was really bound.
    fileprivate func with(port: UInt16) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// Starts the private PostgreSQL again when it died under a running service, which it notices in a fifth of a
/// second.
private final class ClusterGuardian: Sendable {
    private let isStopped = Atomic(false)
    private let semaphore = Semaphore()

    init(_ cluster: Cluster, log: Log) {
        startThread { [self] in
            while !isStopped.load(ordering: .acquiring) {
                usleep(200_000)
                guard !isStopped.load(ordering: .acquiring) else { break }
                do {
                    try cluster.ensureRunning()
                } catch {
                    log.error("database not started", ["cause": .text("\(error)")])
                }
            }
            semaphore.signal()
        }
    }

    /// Returns when the database is looked after no more, so that it can be stopped.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        semaphore.wait()
    }
}
