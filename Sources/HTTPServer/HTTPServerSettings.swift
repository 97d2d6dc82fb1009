import HTTPWire

/// Limits and hooks of a server. Times are absolute: a peer that sends or takes a byte now and then gains
/// nothing.
package struct HTTPServerSettings: Sendable {
    /// From a connection's first moment to the end of TLS's handshake.
    package var handshakeMilliseconds = 5000
    /// From a head's first byte to its end.
    package var headMilliseconds = 5000
    /// How long a connection may wait for its next request.
    package var idleMilliseconds = 60_000
    /// How long a handler may take, unless it asks for more.
    package var handlerMilliseconds = 10_000
    /// How long unsent bytes may wait without any of them being taken.
    package var writeStallMilliseconds = 10_000
    /// How many bytes a second a client takes at least, on the average, once the grace is used up.
    package var minimumSendBytesPerSecond = 1024
    /// How long a client may take its answers more slowly than that.
    package var sendGraceMilliseconds = 30_000
    /// How long a client that was told to come back later (429, 503) is not heard on the same connection. One
    /// that asks again at once would otherwise take the processor from those that are served.
    package var refusalPauseMilliseconds = 200
    /// How long that becomes for a client that is told so again and again: each time twice as long.
    package var longestRefusalPauseMilliseconds = 1000
    /// How long the rest of a body that nobody wanted may take.
    package var restMilliseconds = 10_000
    /// How long `shutdown` waits for what is in flight.
    package var drainMilliseconds = 10_000
    /// For how long of that a connection may still bring a request, which is answered with
    /// `Connection: close`; a client that keeps a connection busy is told so before it ends.
    package var drainGraceMilliseconds = 1000
    /// How often deadlines are looked at; they are late by this much at most.
    package var tickMilliseconds = 100
    /// Connections at a time, over all loops. Further ones wait in the kernel's queue, and those that have
    /// waited longest for a next request are closed to make room.
    package var connectionLimit = 8192
    /// Connections at a time of one IPv4 address or one IPv6 network of 64 bits; further ones are closed.
    package var connectionLimitPerAddress = 1024
    /// Which addresses may have any number: proxies, behind which many have the same one.
    package var isUnlimited: @Sendable (NetworkAddress) -> Bool = { $0.isLoopback }

    /// With what connections are secured; they are plain without it.
    package var tls: TLSEndpoint?
    package var handshakeLimits = HandshakeLimits()
    /// Whose word about the client's address is believed (`Forwarded` and `X-Forwarded-For`).
    package var trustedProxies: [AddressRange] = []

    /// Makes the answer to a request that no handler answers: status, code, detail, request id.
    package var problem: @Sendable (Int, String, String, String) -> HTTPResponse = plainProblem
    /// Told once per answer, on the connection's loop: the request (none where the head could not be read),
    /// status, bytes sent, duration in nanoseconds. 499 stands for a client that left before its answer.
    package var onComplete: @Sendable (HTTPRequest?, Int, Int, Int64) -> Void = { _, _, _, _ in }

    package init() {}

    /// The rules for clients that are slow to take their answers.
    var sendRules: SendPatience.Rules {
        SendPatience.Rules(
            stallMilliseconds: writeStallMilliseconds, graceMilliseconds: sendGraceMilliseconds,
            bytesPerSecond: minimumSendBytesPerSecond)
    }

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
