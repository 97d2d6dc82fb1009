import API
import Changes
import Cluster
import Crypto
import Demonstration
import EventLoop
import HTTPClient
import HTTPServer
import HTTPWire
import Imports
import JSONBytes
import Log
import OneRoster
import Pages
import Postgres
import School
import Values

/// The running service: event loops, connections to PostgreSQL, the connection that listens for
/// notifications, and the HTTP server on top of them.
package final class Serving: Sendable {
    private let loops: [Loop]
    private let pools: [Pool]
    private let replicas: [Replica]
    private let caches: [TokenCache]
    private let features: [any Feature]
    private let service: Service
    private let notifications: Listener
    private let upkeep: Upkeep
    private let rules: RulesWatch?
    private let server: HTTPServer
    private let observation: Observation?
    private let quizzler: Quizzler?
    private let servesPages: Bool
    /// One for each loop, for monitoring.
    package let pulses: [Pulse]
    /// The port it listens on.
    package var port: UInt16 { server.port }
    /// The port that serves the metrics, if one does.
    package var metricsPort: UInt16? { observation?.port }

    /// The address of the demonstration's app, if it is served.
    package var quizzlerAddress: String? { quizzler?.origin }

    /// Starts the loops and connects; serves when `start` is called.
    ///
    /// - Parameters:
    ///   - database: the URL for connecting as the server's login.
    ///   - replica: the same for a server that follows it, for reading; `nil` if there is none.
    ///   - listener: a listening socket; the server closes it.
    ///   - metrics: a listening socket for the metrics; closed at the end.
    ///   - app: a listening socket for the demonstration's app; closed at the end.
    ///   - cluster: the private PostgreSQL, whose backups the metrics report; `nil` with an external database.
    ///   - spool: the folder for data that is too large for memory.
    ///   - url: by which clients know this server; `nil` for the one that each request names.
    ///   - schema: the version the database should be at; `nil` skips the check.
    ///   - rules: what compares the rules in the database with those of this version; `nil` for nothing.
    ///   - rateLimit: how much a caller may ask for a second, a request counting at least 1; 0 sets no limit.
    ///   - pages: whether browsers get pages beside the API.
    ///   - reachesLocal: whether sign-in providers may be on this machine or inside a network.
    ///   - callsLocal: the same for what webhooks call.
    ///   - pullsLocal: the same for what rosters are pulled from.
    ///   - credentialsKey: the file of the key with which secrets are sealed; in the spool folder if `nil`.
    ///   - reachesLocalTools: the same for where tools publish their keys.
    ///   - passwordCost: at which passwords are hashed.
    ///   - corsOrigins: the other origins whose pages may call the API.
    ///   - http: the HTTP engine's settings.
    ///   - log: where requests and failures are logged; `nil` for nowhere.
    package init(
        database target: String, replica: String? = nil, listener: Int32, metrics: Int32? = nil,
        app: Int32? = nil, loops count: Int, cluster: Cluster? = nil,
        spool: String = "/tmp", url: String? = nil, schema: SchemaVersion? = nil,
        rules: RulesWatch? = nil,
        rateLimit: Int = 0,
        pages form: Settings.PagesForm = .on, reachesLocal: Bool = false, callsLocal: Bool = false,
        pullsLocal: Bool = false, reachesLocalTools: Bool = false, credentialsKey: String? = nil,
        passwordCost: PasswordCost = .standard, corsOrigins: Set<String> = [],
        http: HTTPServerSettings = HTTPServerSettings(), log: Log?
    ) async throws {
        loops = try (0..<count).map { try Loop(index: $0) }
        for loop in loops { loop.start() }
        var settings = Pool.Settings(target)
        // PostgreSQL takes 100 connections unless it is told otherwise.
        if loops.count > 6 { settings.exclusiveConnections /= 2 }
        pools = loops.map { [settings] in Pool(settings, on: $0, log: log) }
        pulses = pools.map { pool in Pulse(of: pool.loop) { pool.measure() } }
        caches = loops.map { TokenCache(loop: $0) }
        replicas = Serving.replicas(at: replica, following: pools, log)
        let database = Database(pools: pools, replicas: replicas, clock: .system)
        features = allFeatures(
            database: database, spool: spool, url: url, schema: schema,
            client: HTTPClient(reachesLocal: reachesLocal),
            webhookClient: HTTPClient(reachesLocal: callsLocal, limits: .webhooks),
            toolClient: HTTPClient(reachesLocal: reachesLocalTools),
            sources: BlockingClient(reachesLocal: pullsLocal, limits: .rosterSources),
            credentialsKey: credentialsKey, passwordCost: passwordCost, log: log)
        let quizzler = app.map {
            [loops] in
            Quizzler(loop: loops[0], listener: $0, school: ListeningSocket.port(of: listener))
        }
        self.quizzler = quizzler
        service = Service(
            features: features, database: database,
            authenticator: Authenticator(
                database: database, caches: caches,
                limit: RequestLimit(requestsPerSecond: rateLimit)),
            crossOrigin: Serving.crossOrigin(corsOrigins, quizzler),
            log: log)
        servesPages = form != .off
        let pages =
            form == .off
            ? nil
            : Pages(
                firstNumber: service.routes.count + 1, clock: database.clock,
                offered: form == .demonstration ? DemonstrationAccount.offered : [],
                app: quizzler.map { DemonstrationAccount.offeredApp(at: $0.port) }, site: url
            ) { [service] in await service.answer($0) }
        let requests = RequestMeters(
            routes: service.routes + (pages?.routes ?? []), loops: count)
        server = HTTPServer(
            loops: loops, listener: listener,
            settings: Serving.completed(http, log, metrics == nil ? nil : requests)
        ) { [service, hosts = HostRule(url: url)] request in
            if let refusal = hosts.refusal(of: request) { return refusal }
            guard let pages else { return await service.answer(request) }
            return await pages.answer(request)
        }
        upkeep = Upkeep(
            loop: loops[0], database: database, features: features,
            key: CredentialKey(at: credentialsKey ?? spool + "/credentials.key"), log: log)
        let subjects = Observation.Subjects(
            pulses: pulses, pools: pools, replicas: replicas, caches: caches, features: features,
            server: server, requests: requests, certificate: http.tls, dataFolder: spool,
            cluster: cluster, schema: schema, rules: rules)
        self.rules = rules
        observation = try metrics.map { try Observation(of: subjects, listener: $0) }
        let subscribers = zip(loops, caches).map { (loop: $0, cache: $1) }
        notifications = Listener(
            Pool.Settings(target), channels: ["school_revocation", "school_report"],
            heartbeat: Listener.Heartbeat(
                "select pg_notify('school_revocation', 'heartbeat')", everyMilliseconds: 300),
            on: loops[0], log: log
        ) { [features] event in
            for (loop, cache) in subscribers { loop.execute { cache.receive(event) } }
            for feature in features { feature.receive(event) }
        }
    }

    private static func crossOrigin(_ origins: Set<String>, _ app: Quizzler?) -> CrossOrigin? {
        guard !origins.isEmpty || app != nil else { return nil }
        return CrossOrigin(
            origins: origins, apps: Set(app.map { [$0.origin] } ?? []),
            exposing: OneRoster.answerHeaders)
    }

    private static func replicas(
        at target: String?, following pools: [Pool], _ log: Log?
    ) -> [Replica] {
        guard let target else { return [] }
        return pools.map { Replica(Pool.Settings(target), following: $0, log: log) }
    }

    /// Connects to the database and starts accepting requests.
    package func start() async throws {
        for (loop, pool) in zip(loops, pools) { loop.execute { pool.start() } }
        for (loop, replica) in zip(loops, replicas) { loop.execute { replica.start() } }
        let notifications = notifications
        loops[0].execute { notifications.start() }
        for pulse in pulses { pulse.loop.execute { pulse.start() } }
        try await server.start()
        try await observation?.start()
        try await quizzler?.start()
        let (features, upkeep, rules, loop) = (features, upkeep, rules, loops[0])
        loop.execute {
            for feature in features { feature.start() }
            upkeep.start()
            rules?.start(on: loop)
        }
        if servesPages { startErrand { Pages.prepare() } }
    }

    /// Stops accepting, finishes the requests in flight and closes everything.
    package func shutdown() async {
        let open = features
        await on(loops[0]) { for feature in open { feature.endOpenAnswers() } }
        await quizzler?.stop()
        await server.shutdown()
        let service = service
        await loops[0].spawn { await service.finishCounting() }.value
        await observation?.stop()
        let (notifications, upkeep, rules, features) = (notifications, upkeep, rules, features)
        await on(loops[0]) {
            notifications.stop()
            upkeep.stop()
            rules?.stop()
            for feature in features { feature.stop() }
        }
        for pulse in pulses { await on(pulse.loop) { pulse.stop() } }
        for (loop, replica) in zip(loops, replicas) { await on(loop) { replica.close() } }
        for (loop, pool) in zip(loops, pools) {
            await on(loop) { pool.close() }
            loop.stop()
        }
    }

    private func on(_ loop: Loop, _ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            loop.execute {
                body()
                continuation.resume()
            }
        }
    }

    /// Records problems and the log line of each request, including those that the engine answers itself.
    private static func completed(
        _ http: HTTPServerSettings, _ log: Log?, _ requests: RequestMeters?
    ) -> HTTPServerSettings {
        var settings = http
        settings.connectionLimit = OpenFiles.connections(wished: settings.connectionLimit)
        settings.problem = { status, code, detail, requestID in
            let problem = Problem(
                status, code, "The request cannot be answered in this form.", detail: detail)
            return HTTPResponse(
                status: status, type: "application/problem+json",
                bytes: problem.document(instance: requestID),
                headers: [ResponseField("Cache-Control", "no-store")]
                    + (status == 503 ? [ResponseField("Retry-After", "1")] : []))
        }
        settings.onComplete = { request, status, bytes, nanoseconds in
            requests?.count(request, status, bytes, nanoseconds)
            log?.write(isProbe(request, status) ? .debug : .info, "request") {
                let fields: LogFields = [
                    "method": .text(request?.method.name ?? "none"),
                    "route": .text(request?.route ?? "none"), "status": .int(status),
                    "bytes": .int(bytes), "duration_us": .int(Int(nanoseconds / 1000)),
                    "request_id": .text(request?.requestID ?? "none"),
                    "standing": .text(request?.standing ?? "none"),
                ]
                return LogFields(fields, of: request)
            }
        }
        return settings
    }

    /// Whether the request only asked whether the service is well, and it is: such lines fill a log that nobody reads.
    private static func isProbe(_ request: HTTPRequest?, _ status: Int) -> Bool {
        guard status < 400, let route = request?.route else { return false }
        return route == "/healthz" || route == "/readyz"
    }
}

extension DemonstrationAccount {
    /// Those whose passwords are printed, for the sign-in page.
    fileprivate static let offered = [administrator, teacher, student].compactMap {
        OfferedAccount(
            role: $0.role.rawValue, givenName: $0.givenName, managedID: $0.managedID,
            password: $0.password)
    }

    fileprivate static func offeredApp(at port: UInt16) -> OfferedApp {
        OfferedApp(bundleID: quizzlerID, handout: handoutToWatch, port: port)
    }
}

extension TokenCache {
    /// Handles an event of the listening connection: a heartbeat that came back, or a revocation that arrived or may
    /// have been missed.
    fileprivate func receive(_ event: Listener.Event) {
        switch event {
        case .heartbeat(let sentAt): noteHeartbeat(sentAt: sentAt)
        case .notification("school_revocation", let message):
            if message != "heartbeat" { forget() }
        case .notification: break
        case .connected, .disconnected: forget()
        }
    }
}
