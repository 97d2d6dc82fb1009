import Crypto
import EventLoop
import Glibc
import HTTPServer
import Log

/// Everything that can be configured: environment variables with the prefix `HOMEROOM_`, overridden by flags of the
/// same name.
package struct Settings: Sendable {
    /// `HOMEROOM_DATABASE_URL`: the PostgreSQL to use, as the server's login; if unset, a private one is run.
    package var databaseURL: String?
    /// `HOMEROOM_REPLICA_URL`: a server that follows that PostgreSQL, as the server's login, for reading; none when unset.
    package var replicaURL: String?
    /// `HOMEROOM_MIGRATION_URL`: the same database, with a login that may change the schema and act as its owner.
    package var migrationURL: String?
    /// `HOMEROOM_DATA`: where the private PostgreSQL and spooled imports live.
    package var dataFolder: String
    /// `HOMEROOM_ACCOUNT`: the account that a process started by root switches to; it then also runs the private
    /// PostgreSQL.
    package var account: String
    /// `HOMEROOM_LISTEN`: address and port, `127.0.0.1:8080` when unset.
    package var listen: ListenAddress
    /// `HOMEROOM_URL`: by which clients know this server, without a slash at its end; if unset, the one that each request
    /// names.
    package var url: String?
    /// `HOMEROOM_METRICS_LISTEN`: where metrics are served; nowhere when unset.
    package var metricsListen: ListenAddress?
    /// `HOMEROOM_SQL`: the folder of the SQL definitions; found beside the program when unset.
    package var sqlFolder: String?
    /// `HOMEROOM_LOG`: `text`, `json` or `off`.
    package var log: LogForm
    /// `HOMEROOM_LOG_LEVEL`: less important lines are not written; `info` when unset.
    package var logLevel: Log.Level
    /// `HOMEROOM_LOOPS`: how many event loops; half the processors, at least one, when unset.
    package var loops: Int
    /// `HOMEROOM_RATE_LIMIT`: what one person or service account may ask of this process in a second, with bursts of
    /// ten times as much; 100 when unset, 0 for no limit.
    package var rateLimit: Int
    /// `HOMEROOM_TLS_CERTIFICATE` and `HOMEROOM_TLS_KEY`: PEM files; without them the service speaks plain HTTP.
    package var tlsFiles: TLSFiles?
    /// `HOMEROOM_TRUSTED_PROXIES`: the proxies that are believed when they name the client's address; none when unset.
    package var trustedProxies: [AddressRange]
    /// `HOMEROOM_FORWARDED_FIELD`: the field in which they do, `X-Forwarded-For` when unset, or `Forwarded`.
    package var forwardedField: ForwardedField

    /// `HOMEROOM_CORS_ORIGINS`: the other origins whose pages may call the API from a browser; none when unset.
    package var corsOrigins: Set<String>
    /// `HOMEROOM_PAGES`: whether the pages for browsers are served beside the API; on when unset.
    package var pages: PagesForm
    /// `HOMEROOM_LOCAL_PROVIDERS`: `on` or `off`: whether sign-in providers may be on this machine, there also without TLS,
    /// or inside a network; off when unset.
    package var reachesLocalProviders: Bool
    /// `HOMEROOM_LOCAL_WEBHOOKS`: `on` or `off`: the same for what webhooks call; off when unset.
    package var callsLocalWebhooks: Bool
    /// `HOMEROOM_LOCAL_SOURCES`: `on` or `off`: the same for what rosters are pulled from; off when unset.
    package var reachesLocalSources: Bool
    /// `HOMEROOM_CREDENTIALS_KEY`: the file of the key with which client secrets are sealed; in the data folder when
    /// unset.
    package var credentialsKey: String?
    /// `HOMEROOM_CLIENT_SECRET`: of one call of `homeroom import --from`. No setting of the service, and without a flag:
    /// everyone on the machine can read the arguments of a process.
    package var clientSecret: String?
    /// `HOMEROOM_PASSWORD_COST`: how passwords are hashed, and how much memory and time that takes;
    /// `m=19456,t=2,p=1` (Argon2id) when unset.
    package var passwordCost: PasswordCost
    /// `HOMEROOM_SEAL_HOOK`: a line for the shell, which `doctor` gives the last seals of the audit trails.
    package var sealHook: String?
    /// `HOMEROOM_LOCAL_TOOLS`: `on` or `off`: the same for where tools publish their keys; off when unset.
    package var reachesLocalTools: Bool

    /// The names of all of these without the prefix, such as `DATABASE_URL`.
    let names: Set<String>

    /// With `demonstration` the sign-in page offers the accounts of the demonstration school to browsers on this machine.
    package enum PagesForm: String, Sendable {
        case on, off, demonstration
    }

    package enum LogForm: String, Sendable, CaseIterable {
        case text, json, off
    }

    /// A setting that cannot be read or does not exist; the text names the variable and never its value.
    package struct Unreadable: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameters:
    ///   - environment: the process's variables.
    ///   - flags: overrides from the command line, by lower-case name without prefix (`listen`).
    package init(environment: [String: String], flags: [String: String] = [:]) throws {
        var given = GivenSettings(environment: environment, flags: flags)
        databaseURL = given.text("DATABASE_URL")
        replicaURL = given.text("REPLICA_URL")
        guard replicaURL == nil || databaseURL != nil else {
            throw Unreadable(
                description:
                    "HOMEROOM_REPLICA_URL needs HOMEROOM_DATABASE_URL: the private PostgreSQL has no replica"
            )
        }
        migrationURL = given.text("MIGRATION_URL")
        dataFolder = given.text("DATA") ?? Settings.defaultDataFolder(environment)
        account = given.text("ACCOUNT") ?? "homeroom"
        sqlFolder = given.text("SQL")
        listen = try given.value(
            "LISTEN", otherwise: "127.0.0.1:8080", "ADDRESS:PORT, such as 127.0.0.1:8080",
            ListenAddress.init)
        url = try Settings.url(given.text("URL"))
        metricsListen = try given.value(
            "METRICS_LISTEN", "ADDRESS:PORT, such as 127.0.0.1:9180", ListenAddress.init)
        log = try given.value(
            "LOG", otherwise: "text", "text, json or off", LogForm.init(rawValue:))
        logLevel = try given.value(
            "LOG_LEVEL", otherwise: "info", "debug, info, warning or error"
        ) { Log.Level($0) }
        loops = try given.number("LOOPS", otherwise: max(1, processorCount / 2), 1...64)
        rateLimit = try given.number("RATE_LIMIT", otherwise: 100, 0...1_000_000)
        tlsFiles = try Settings.tlsFiles(
            certificate: given.text("TLS_CERTIFICATE"), key: given.text("TLS_KEY"))
        trustedProxies = try Settings.addressRanges(given.text("TRUSTED_PROXIES") ?? "")
        forwardedField = try given.value(
            "FORWARDED_FIELD", otherwise: ForwardedField.list.rawValue,
            "X-Forwarded-For or Forwarded", ForwardedField.init(rawValue:))
        corsOrigins = try Settings.origins(given.text("CORS_ORIGINS") ?? "")
        pages = try given.value(
            "PAGES", otherwise: "on", "on, off or demonstration", PagesForm.init(rawValue:))
        reachesLocalProviders = try given.isOn("LOCAL_PROVIDERS")
        callsLocalWebhooks = try given.isOn("LOCAL_WEBHOOKS")
        reachesLocalSources = try given.isOn("LOCAL_SOURCES")
        credentialsKey = given.text("CREDENTIALS_KEY")
        clientSecret = environment["HOMEROOM_CLIENT_SECRET"].flatMap { $0.isEmpty ? nil : $0 }
        sealHook = environment["HOMEROOM_SEAL_HOOK"].flatMap { $0.isEmpty ? nil : $0 }
        reachesLocalTools = try given.isOn("LOCAL_TOOLS")
        passwordCost = try given.value(
            "PASSWORD_COST", otherwise: PasswordCost.standard.description,
            "a cost of Argon2id, such as m=19456,t=2,p=1, or of scrypt, such as ln=15,r=8,p=3, with at most 256 MiB"
        ) { PasswordCost($0) }
        names = given.names
        try Settings.refuseUnknown(
            environment.keys, known: names.union(["CLIENT_SECRET", "SEAL_HOOK"]))
    }

    /// Otherwise a misspelt variable would be ignored silently.
    private static func refuseUnknown(
        _ variables: some Sequence<String>, known: Set<String>
    ) throws {
        let prefix = "HOMEROOM_"
        let given = variables.filter { $0.hasPrefix(prefix) }.map { $0.dropFirst(prefix.count) }
        guard let unknown = given.filter({ !known.contains(String($0)) }).min() else { return }
        let meant = Spelling.nearest(to: String(unknown), among: known.sorted())
        let advice =
            meant.map { "Did you mean \(prefix)\($0)?" }
            ?? "Known: \(known.sorted().map { prefix + $0 }.joined(separator: ", "))."
        throw Unreadable(description: "\(prefix)\(unknown) is not a setting. \(advice)")
    }

    /// `/var/lib/homeroom` for root, otherwise the user's data folder (XDG base directory specification).
    private static func defaultDataFolder(_ environment: [String: String]) -> String {
        if geteuid() == 0 { return "/var/lib/homeroom" }
        if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") {
            return folder + "/homeroom"
        }
        return (environment["HOME"] ?? "/tmp") + "/.local/share/homeroom"
    }
}

/// An address and a port to listen on.
package struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// An IPv4 or IPv6 address, the latter without brackets.
    package let host: String
    package let port: UInt16

    /// Reads `127.0.0.1:8080` and `[::1]:8080`.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { return nil }
        self.host = String(host)
        self.port = port
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
