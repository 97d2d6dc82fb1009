import Cluster
import EventLoop
import HTTPServer
import HTTPWire
import Log
import Metrics
import Postgres
import School

/// Serves the service's metrics to Prometheus: `GET /metrics`, and nothing else.
///
/// It has its own loop, so that it answers even while the others are stuck, and its own address, so that it cannot be
/// reached through the service.
final class Observation: Sendable {
    /// The parts of the service that have metrics.
    struct Subjects: Sendable {
        /// One for each loop that answers requests.
        let pulses: [Pulse]
        let pools: [Pool]
        /// None without a replica.
        let replicas: [Replica]
        let caches: [TokenCache]
        let features: [any Feature]
        let server: HTTPServer
        let requests: RequestMeters
        /// The certificate with which it identifies itself; `nil` without TLS.
        let certificate: TLSEndpoint?
        /// Where the data is stored.
        let dataFolder: String
        /// The private PostgreSQL; `nil` with an external database.
        let cluster: Cluster?
        /// The version the database should be at; `nil` accepts any.
        let schema: SchemaVersion?
        /// `nil` if nothing compares the rules in the database.
        let rules: RulesWatch?
    }

    private let subjects: Subjects
    private let deployment: DeploymentFigures
    private let loop: Loop
    private let listener: HTTPServer

    /// The port that serves the metrics.
    var port: UInt16 { listener.port }

    /// - Parameters:
    ///   - descriptor: a listening socket, which is closed at the end.
    init(of subjects: Subjects, listener descriptor: Int32) throws {
        self.subjects = subjects
        let deployment = DeploymentFigures(pool: subjects.pools[0], schema: subjects.schema)
        self.deployment = deployment
        loop = try Loop(index: 0)
        loop.start()
        var settings = HTTPServerSettings()
        settings.connectionLimit = 64
        settings.drainGraceMilliseconds = 0
        listener = HTTPServer(loops: [loop], listener: descriptor, settings: settings) {
            request in
            guard request.segments == ["metrics"], request.method == .get || request.method == .head
            else {
                return HTTPResponse(
                    status: 404, type: "text/plain", bytes: Array("Not here.\n".utf8))
            }
            let bytes = Observation.text(subjects, deployment)
            return HTTPResponse(
                status: 200, type: Exposition.contentType, bytes: bytes,
                headers: [ResponseField("Cache-Control", "no-store")])
        }
    }

    func start() async throws {
        let deployment = deployment
        subjects.pools[0].loop.execute { deployment.start() }
        try await listener.start()
    }

    /// Stops serving metrics.
    func stop() async {
        await listener.shutdown()
        loop.stop()
        let deployment = deployment
        subjects.pools[0].loop.execute { deployment.stop() }
    }
}

extension Observation {
    /// The current values of all metrics.
    private static func text(
        _ subjects: Subjects, _ deployment: DeploymentFigures
    ) -> [UInt8] {
        var metrics = Exposition()
        subjects.requests.export(to: &metrics)
        export(subjects.server.figures, to: &metrics)
        export(subjects.caches, to: &metrics)
        export(subjects.pools.map(\.meters), to: &metrics)
        export(subjects.replicas.map(\.meters), to: &metrics)
        export(subjects.pulses, to: &metrics)
        for feature in subjects.features { feature.export(to: &metrics) }
        deployment.export(to: &metrics)
        subjects.rules?.export(to: &metrics)
        BackupFigures.export(of: subjects.cluster, to: &metrics)
        exportMachine(subjects, to: &metrics)
        metrics.counter(
            "homeroom_log_lines_lost_total",
            "Log lines that were not written, since nobody read them or the disk was full.",
            LineWriter.standardError.linesLost)
        ProcessFigures()?.export(to: &metrics)
        return metrics.bytes
    }

    /// What runs out over time: the certificate and the disk.
    private static func exportMachine(_ subjects: Subjects, to metrics: inout Exposition) {
        if let expiry = subjects.certificate?.expiry {
            metrics.gauge(
                "homeroom_certificate_expiry_timestamp_seconds",
                "When the server's certificate expires.", expiry)
        }
        guard let space = FreeSpace(at: subjects.dataFolder) else { return }
        metrics.gauge(
            "homeroom_data_free_bytes", "What may still be written where the data is stored.",
            space.free)
        metrics.gauge(
            "homeroom_data_size_bytes", "The size of the file system where the data is stored.",
            space.total)
    }

    private static func export(_ figures: HTTPServer.Figures, to metrics: inout Exposition) {
        metrics.gauge(
            "homeroom_http_requests_in_flight", "Requests that are answered now.",
            figures.inFlight)
        metrics.gauge("homeroom_http_connections", "Open connections of clients.", figures.open)
        metrics.counter(
            "homeroom_http_connections_accepted_total", "Connections taken from the kernel.",
            figures.accepted)
        metrics.counter(
            "homeroom_http_connections_refused_total",
            "Connections closed at once, since their address had too many.", figures.refused)
        metrics.counter(
            "homeroom_http_accept_pauses_total",
            "How often no connection was taken for a while: too many, or no descriptors.",
            figures.pauses)
    }

    private static func export(_ caches: [TokenCache], to metrics: inout Exposition) {
        metrics.gauge(
            "homeroom_token_cache_entries", "Tokens whose callers are known without asking.",
            caches.reduce(0) { $0 + $1.size.value })
        metrics.begin(
            .counter, "homeroom_token_cache_requests_total", "Look-ups of tokens, by their result.")
        metrics.sample(caches.reduce(0) { $0 + $1.hits.value }, [("result", "hit")])
        metrics.sample(caches.reduce(0) { $0 + $1.misses.value }, [("result", "miss")])
    }

    private static func export(_ pulses: [Pulse], to metrics: inout Exposition) {
        metrics.gauge("homeroom_loops", "Event loops that answer requests.", pulses.count)
        metrics.begin(
            .histogram, "homeroom_loop_lag_seconds",
            "How long what is due waits for its loop, asked four times a second.")
        for pulse in pulses { metrics.sample(pulse.lag.tally, [("loop", "\(pulse.loop.index)")]) }
        metrics.begin(
            .gauge, "homeroom_loop_lag_max_seconds", "The longest such wait since the start.")
        for pulse in pulses {
            metrics.sample(
                Double(pulse.greatestLag.value) / 1e9, [("loop", "\(pulse.loop.index)")])
        }
        metrics.begin(
            .gauge, "homeroom_loop_silence_seconds",
            "How long ago the loop last turned; more than a second: it is stuck.")
        for pulse in pulses {
            metrics.sample(Double(pulse.silence) / 1e9, [("loop", "\(pulse.loop.index)")])
        }
    }
}
