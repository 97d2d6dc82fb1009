public import Foundation

/// A request to the server.
public struct HTTPCall: Sendable, Equatable {
    /// `GET`, `POST` and so on.
    public var method: String
    /// The whole address.
    public var url: URL
    /// By name.
    public var headers: [String: String]
    /// `nil` for none.
    public var body: Data?
    /// How long the whole call may take.
    public var timeoutSeconds: Double

    /// Makes a call.
    public init(
        _ method: String, _ url: URL, headers: [String: String] = [:], body: Data? = nil,
        timeoutSeconds: Double = 60
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeoutSeconds = timeoutSeconds
    }
}

/// What the server answers.
public struct HTTPAnswer: Sendable, Equatable {
    /// The status code.
    public var status: Int
    /// By name in lower case.
    public var headers: [String: String]
    /// Empty for none.
    public var body: Data

    /// Makes an answer.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = Dictionary(
            headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first }
        )
        self.body = body
    }
}

/// Carries requests to a server.
public protocol Transport: Sendable {
    /// - Throws: `UplinkError.network` if there is no answer, and `UplinkError.configuration` if the address may not be
    ///   used.
    func answer(to call: HTTPCall) async throws -> HTTPAnswer
}

/// Which addresses may be used at all.
enum ServerAddress {
    /// Tokens and children's work travel in secret, or not beyond this machine.
    static func check(_ url: URL) throws {
        guard let host = url.host(), !host.isEmpty else {
            throw UplinkError.configuration("\(url.absoluteString) is not the address of a server.")
        }
        guard url.user() == nil, url.password() == nil else {
            throw UplinkError.configuration("The address of a server contains no user name.")
        }
        if url.scheme == "https" || url.scheme == "http" && isLoopback(host) { return }
        throw UplinkError.configuration(
            "\(url.absoluteString) cannot be used: a server is reached by https.")
    }

    static func isLoopback(_ host: String) -> Bool {
        ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host.lowercased())
    }

    /// Whether two addresses belong to one server.
    static func isSameServer(_ one: URL, _ other: URL) -> Bool {
        one.scheme == other.scheme && one.host()?.lowercased() == other.host()?.lowercased()
            && port(one) == port(other)
    }

    private static func port(_ url: URL) -> Int { url.port ?? (url.scheme == "https" ? 443 : 80) }
}
