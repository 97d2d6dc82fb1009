import HTTPServer
import HTTPWire

/// Which names in `Host` (RFC 9110 section 7.2) mean this server, if `HOMEROOM_URL` says by which clients know it.
///
/// A site can let its own name lead to another address while its page is open (DNS rebinding); for the browser, that
/// page and this server are then of the same origin. No site can do that with an address or `localhost`, which
/// operators and probes use.
struct HostRule: Sendable {
    private let url: String?
    private let name: String

    /// - Parameter url: scheme and host, perhaps a port; `nil` allows every name.
    init(url: String?) {
        self.url = url
        name = Self.name(in: url?.split(separator: "//").last ?? "")
    }

    /// The answer to a request for another host; `nil` if it is for this server, or asks whether it is well.
    func refusal(of request: HTTPRequest) -> HTTPResponse? {
        guard let url, let host = request.headers["host"], !host.isEmpty,
            ![["healthz"], ["readyz"]].contains(request.segments)
        else { return nil }
        let asked = Self.name(in: host[...])
        let isOwn =
            asked == name || asked == "localhost" || asked.hasSuffix(".localhost")
            || NetworkAddress(asked) != nil
        return isOwn
            ? nil
            : HTTPServerSettings.plainProblem(
                421, "other_host", "This server is \(url); ask it by that name.",
                request.requestID)
    }

    /// The host without its port, brackets, and final dot, in lower case.
    private static func name(in authority: Substring) -> String {
        let host =
            authority.hasPrefix("[")
            ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        return (host.hasSuffix(".") ? host.dropLast() : host).lowercased()
    }
}
