import Cluster
import Crypto
import Glibc
import HTTPServer
import Log
import Systemd

extension Subcommand {
    static let serve = Subcommand(
        "serve", "Serve the pages and the HTTP API until stopped.",
        options: [
            .optional("listen", "ADDRESS:PORT", "Where (HOMEROOM_LISTEN), 127.0.0.1:8080."),
            .optional(
                "metrics-listen", "ADDRESS:PORT",
                "Where to serve metrics (HOMEROOM_METRICS_LISTEN); nowhere by default."),
            .optional(
                "account", "NAME",
                "What it becomes when root starts it (HOMEROOM_ACCOUNT), homeroom."),
            .optional(
                "url", "URL",
                "By which clients know the server, such as https://school.example (HOMEROOM_URL)."),
            .optional(
                "replica-url", "URL",
                "A server that follows the external PostgreSQL, for reading (HOMEROOM_REPLICA_URL)."
            ),
            .optional("loops", "COUNT", "How many event loops (HOMEROOM_LOOPS)."),
            .optional(
                "rate-limit", "COUNT",
                "What one person or service account may ask a second (HOMEROOM_RATE_LIMIT), 100; 0: any."
            ),
            .optional(
                "tls-certificate", "FILE",
                "PEM: the certificate and its chain, for https (HOMEROOM_TLS_CERTIFICATE)."),
            .optional("tls-key", "FILE", "PEM: the certificate's key (HOMEROOM_TLS_KEY)."),
            .optional(
                "trusted-proxies", "ADDRESSES",
                "Proxies that may name clients' addresses, such as 127.0.0.1,10.0.0.0/8 (HOMEROOM_TRUSTED_PROXIES)."
            ),
            .optional(
                "forwarded-field", "FIELD",
                "In which field they do (HOMEROOM_FORWARDED_FIELD), X-Forwarded-For, or Forwarded."),
            .optional(
                "cors-origins", "ORIGINS",
                "Whose pages may call the API from a browser, such as https://app.example (HOMEROOM_CORS_ORIGINS)."
            ),
            .optional(
                "pages", "on|off|demonstration",
                "Whether to serve the pages for browsers beside the API (HOMEROOM_PAGES), on."),
            .optional(
                "local-providers", "on|off",
                "Whether sign-in providers may be inside a network, or here without TLS (HOMEROOM_LOCAL_PROVIDERS), off."
            ),
            .optional(
                "local-webhooks", "on|off",
                "Whether webhooks may call inside a network, or here without TLS (HOMEROOM_LOCAL_WEBHOOKS), off."
            ),
            .optional(
                "local-sources", "on|off",
                "Whether rosters may be pulled from inside a network, or here without TLS (HOMEROOM_LOCAL_SOURCES), off."
            ),
            .optional(
                "credentials-key", "FILE",
                "The key that seals client secrets (HOMEROOM_CREDENTIALS_KEY), in the data folder."
            ),
            .optional(
                "password-cost", "COST",
                "What hashing a password costs (HOMEROOM_PASSWORD_COST), \(PasswordCost.standard)."
            ),
            .optional(
                "local-tools", "on|off",
                "Whether tools may publish keys inside a network, or here without TLS (HOMEROOM_LOCAL_TOOLS), off."
            ),
        ]
    ) { invocation in
        do {
            try runService(invocation.settings)
        } catch is DatabaseWait.Stopped {
            invocation.settings.say("Homeroom stops.")
        }
    }
}

/// Binds, drops root privileges, opens the database and serves. On SIGTERM or SIGINT it lets requests in flight
/// finish. A service manager is notified of each step. SIGHUP reloads certificate and key.
private func runService(_ settings: Settings) throws {
    try LeastMemory.check(isAlone: settings.databaseURL != nil)
    let signals = StopSignals()
    OpenFiles.raiseLimit()
    let environment = ServiceEnvironment.take()
    let log = settings.commandLog
    let folder = try Definitions.folder(settings)
    let definitions = try Definitions(folder: folder)
    let sockets = try Sockets(settings, environment)
    let http = try settings.httpServerSettings()
    settings.sayExpiry(of: http.tls)
    try Account.drop(to: settings.account, makingFolders: [settings.dataFolder])
    let report = try ServiceReport(environment)
    report.starting()
    if let url = settings.databaseURL {
        try DatabaseWait(settings: settings, report: report, log: log, signals: signals).wait(
            for: url)
    }
    let installation = try Installation.open(settings, definitions: definitions, log: log)
    defer { installation.close() }
    let guardian = installation.cluster.map { ClusterGuardian($0, log: log) }
    let serving = try waitFor {
        let serving = try await Serving(
            database: installation.databaseURL, replica: settings.replicaURL,
            listener: sockets.http, metrics: sockets.metrics, app: sockets.quizzler,
            loops: settings.loops,
            cluster: installation.cluster, spool: settings.dataFolder, url: settings.url,
            schema: definitions.version,
            rules: RulesWatch(
                folder: folder, database: installation.databaseURL,
                log: settings.log == .off ? nil : log),
            rateLimit: settings.rateLimit, pages: settings.pages,
            reachesLocal: settings.reachesLocalProviders,
            callsLocal: settings.callsLocalWebhooks, pullsLocal: settings.reachesLocalSources,
            reachesLocalTools: settings.reachesLocalTools,
            credentialsKey: settings.credentialsKey, passwordCost: settings.passwordCost,
            corsOrigins: settings.corsOrigins, http: http,
            log: settings.log == .off ? nil : log)
        try await serving.start()
        return serving
    }
    let url = settings.listen.url(port: serving.port, isSecure: http.tls != nil)
    settings.say("Homeroom serves on \(sockets.passedAddress ?? url).")
    if settings.pages == .demonstration {
        settings.say("Open it in a browser on this machine and sign in with one click.")
    }
    if let address = serving.quizzlerAddress {
        settings.say("An app of the demonstration school, a quiz, is served on \(address).")
    }
    if let port = serving.metricsPort { settings.say("Metrics are served on port \(port).") }
    report.ready(watching: serving.pulses)
    _ = signals.wait {
        report.reloading()
        http.tls?.reload(log: log)
        settings.sayExpiry(of: http.tls)
        report.reloaded()
    }
    settings.say("Homeroom stops.")
    report.stopping()
    try waitFor { await serving.shutdown() }
    guardian?.stop()
}

/// The sockets that the service listens on: those a service manager passed to it, otherwise its own.
///
/// Passed sockets stay open in the service manager, so clients can connect while the service restarts: they wait in
/// the socket's queue, and the next process answers them.
private struct Sockets {
    let http: Int32
    /// `nil` if metrics are off.
    let metrics: Int32?
    /// `nil` outside the demonstration.
    let quizzler: Int32?
    /// The address to report for a socket that was passed.
    let passedAddress: String?

    init(_ settings: Settings, _ environment: ServiceEnvironment) throws {
        func passed(_ name: String) throws -> Int32? {
            try environment.sockets.first { $0.name == name }?.listening()
        }
        let given = try passed("http")
        passedAddress = given.map {
            "port \(ListeningSocket.port(of: $0)), a socket that was passed"
        }
        http = try given ?? settings.listen.bind()
        metrics = try passed("metrics") ?? settings.metricsListen?.bind()
        quizzler = try settings.quizzlerListener()
    }
}

extension ListenAddress {
    /// Opens a listening socket at this address.
    fileprivate func bind() throws -> Int32 {
        try ListeningSocket.bind(address: host, port: port)
    }

    /// The same host with the port that was actually bound, as a URL.
    fileprivate func url(port: UInt16, isSecure: Bool) -> String {
        (isSecure ? "https://" : "http://")
            + (host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)")
    }
}
