import HTTPWire

/// Limits and hooks of a server. Times are absolute: a peer does not extend them by sending or taking a byte
/// now and then.
package struct HTTPServerSettings: Sendable {
    /// From the start of a connection to the end of the TLS handshake.
    package var handshakeMilliseconds = 5000
    /// From a head's first byte to its end.
    package var headMilliseconds = 5000
    /// How long a connection may wait for its next request.
    package var idleMilliseconds = 60_000
    /// How long a handler may take, unless it asks for more.
    package var handlerMilliseconds = 10_000
    /// How long unsent bytes may wait without any of them being taken.
    package var writeStallMilliseconds = 10_000
    /// How many bytes per second a client must take on average, once the grace is used up.
    package var minimumSendBytesPerSecond = 1024
    /// How long a client may take its answers more slowly than that.
    package var sendGraceMilliseconds = 30_000
    /// How long no further request is read from a client that was asked to come back later (429, 503), on the
    /// same connection. A client that retries at once would otherwise take the processor from those being served.
    package var refusalPauseMilliseconds = 200
    /// The longest such pause; each further refusal in a row doubles it.
    package var longestRefusalPauseMilliseconds = 1000
    /// How long the unread rest of a body may take.
    package var restMilliseconds = 10_000
    /// How long `shutdown` waits for requests in flight.
    package var drainMilliseconds = 10_000
    /// How much of that time a connection may still bring a request, which is answered with `Connection:
    /// close`; so a busy client learns of the end before the connection closes.
    package var drainGraceMilliseconds = 1000
    /// How often deadlines are checked; they are late by this much at most.
    package var tickMilliseconds = 100
    /// Connections at a time, over all loops. Further ones wait in the kernel's queue, and the connections that
    /// have waited longest for a next request are closed to make room.
    package var connectionLimit = 8192
    /// Connections at a time from one IPv4 address or one IPv6 /64 network; further ones are closed.
    /// A thousand children of a school come from one address, each with several: it may have half of all.
    package var connectionLimitPerAddress = 4096
    /// Which addresses may have any number: proxies, because many clients share their address.
    package var isUnlimited: @Sendable (NetworkAddress) -> Bool = { $0.isLoopback }

    /// Secures the connections; they are plain if it is `nil`.
    package var tls: TLSEndpoint?
    package var handshakeLimits = HandshakeLimits()
    /// Proxies whose `forwardedField` is trusted.
    package var trustedProxies: [AddressRange] = []
    package var forwardedField = ForwardedField.list

    /// Makes the answer to a request that no handler answers: status, code, detail, request id.
    package var problem: @Sendable (Int, String, String, String) -> HTTPResponse = plainProblem
    /// Called once per answer, on the connection's loop: with the request (`nil` if the head could not be
    /// read), status, bytes sent, and duration in nanoseconds. 499 means that the client left before its answer.
    package var onComplete: @Sendable (HTTPRequest?, Int, Int, Int64) -> Void = { _, _, _, _ in }

    package init() {}

    /// `application/problem+json` (RFC 9457) with the members every problem has.
    package static let plainProblem: @Sendable (Int, String, String, String) -> HTTPResponse = {
        status, code, detail, requestID in
        let text = """
            {"type":"about:blank","title":"\(ResponseWire.reason(status))","status":\(status),\
            "code":"\(code)","detail":"\(detail)","instance":"\(requestID)"}
            """
        return HTTPResponse(
            status: status, type: "application/problem+json", bytes: Array(text.utf8),
            headers: [ResponseField("Cache-Control", "no-store")])
    }
}
