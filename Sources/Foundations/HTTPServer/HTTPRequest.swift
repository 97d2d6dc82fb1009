import EventLoop
import HTTPWire
import Synchronization
import Values

/// One request, from its head until its answer is sent. Confined to its loop.
package final class HTTPRequest: @unchecked Sendable {
    package let head: RequestHead
    /// Ties log lines and problems to this request: the client's `X-Request-Id` if it is safe to print,
    /// otherwise a generated one.
    package let requestID: String
    /// The client's address, without the port: the peer of the connection or, if that is a trusted proxy, the
    /// address it names; `unknown` if it names none that can be trusted.
    package let clientAddress: String
    /// Whether the client speaks TLS: with this server, or with a trusted proxy that says so in `X-Forwarded-Proto`.
    package let isSecure: Bool
    package let body: RequestBody

    /// What the access log calls the request, for example the pattern of its route; set by the program.
    package var route: String?
    /// The number of its route, for counting requests, from 1; 0 if no route was found; set by the program.
    package var routeNumber = 0
    /// The standing of the caller, for the access log; set by the program, from any thread.
    package var standing: String? {
        get { sharedStanding.withLock { $0 } }
        set { sharedStanding.withLock { $0 = newValue } }
    }
    private let sharedStanding = Mutex<String?>(nil)

    /// How many seconds the work for the request still waits for its turn; `nil` while it does not wait, or nobody
    /// knows. Callable from any thread.
    package var secondsToWait: Int? { sharedWait.withLock { $0 }?() }
    private let sharedWait = Mutex<(@Sendable () -> Int?)?>(nil)

    /// Says how long the work for the request waits from now on; `nil` if it does not. Callable from any thread.
    package func setWait(_ wait: (@Sendable () -> Int?)?) {
        sharedWait.withLock { $0 = wait }
    }

    /// When the request's head was complete, on the monotonic clock.
    let startedAt: Int64
    var task: Task<Void, Never>?
    /// The status of the answer; 0 until it is known.
    var status = 0
    var bytesSent = 0
    var handlerMilliseconds: Int
    /// `nil` once the exchange is over.
    var connection: ClientConnection?

    init(
        head: RequestHead, requestID: String, clientAddress: String, isSecure: Bool,
        body: RequestBody, startedAt: Int64, handlerMilliseconds: Int, connection: ClientConnection?
    ) {
        self.head = head
        self.requestID = requestID
        self.clientAddress = clientAddress
        self.isSecure = isSecure
        self.body = body
        self.startedAt = startedAt
        self.handlerMilliseconds = handlerMilliseconds
        self.connection = connection
    }

    package var method: HTTPMethod { head.method }
    /// The segments of the path, split before they are decoded.
    package var segments: [String] { head.segments }
    package var query: Query { head.query }
    package var headers: HeaderFields { head.headers }

    /// Gives the handler this long from now, instead of the server's default, before it is cancelled and the
    /// client gets 503. While the handler waits for body bytes the body's own limits apply; the time starts
    /// again after each wait. A streamed answer has this long between two writes.
    package func setDeadline(secondsFromNow seconds: Int) {
        handlerMilliseconds = seconds * 1000
        connection?.restartHandlerDeadline(of: self)
    }
}

extension HTTPRequest {
    /// A request that did not come over a connection, with its whole body, for programs and tests that call a
    /// handler directly.
    package convenience init(
        method: HTTPMethod, target: String, headers: [(name: String, value: String)] = [],
        body: [UInt8] = [], requestID: String = "in-process",
        clientAddress: String = "127.0.0.1", isSecure: Bool = false
    ) throws(HTTPRefusal) {
        self.init(
            head: try RequestHead(
                method: method, target: target, headers: HeaderFields(headers),
                bodyLength: body.count),
            requestID: requestID, clientAddress: clientAddress, isSecure: isSecure,
            body: RequestBody(body), startedAt: 0, handlerMilliseconds: 0, connection: nil)
    }

    /// A request that did not come over a connection, whose body is read piece by piece as the handler asks for it.
    ///
    /// - Parameter source: returns the next piece of the body; `nil` at its end.
    package convenience init(
        method: HTTPMethod, target: String, headers: [(name: String, value: String)],
        source: @escaping @Sendable () async throws -> [UInt8]?, requestID: String,
        clientAddress: String, isSecure: Bool
    ) throws(HTTPRefusal) {
        self.init(
            head: try RequestHead(
                method: method, target: target, headers: HeaderFields(headers), bodyLength: nil),
            requestID: requestID, clientAddress: clientAddress, isSecure: isSecure,
            body: RequestBody(source: source), startedAt: 0, handlerMilliseconds: 0, connection: nil
        )
    }
}
