import EventLoop
import HTTPWire
import Values

/// One request, from its head until its answer is sent. Confined to its loop.
package final class HTTPRequest: @unchecked Sendable {
    package let head: RequestHead
    /// What ties log lines and problems to this request: the client's `X-Request-Id` where it is safe to
    /// print, else a made one.
    package let requestID: String
    /// The client's address, without the port: that of the connection's other end or, where a trusted proxy
    /// is there, the one that it names; `unknown` if it names none that can be believed.
    package let clientAddress: String
    package let body: RequestBody

    /// What the access log calls the request, for example the pattern of its route; the program's to set.
    package var route: String?
    /// The number of its route for who counts requests, from 1; 0 where none was found; the program's to set.
    package var routeNumber = 0
    /// In which capacity the request was made; the program's to set, for the access log.
    package var standing: String?

    /// When the request's head was complete, on the monotonic clock.
    let startedAt: Int64
    var task: Task<Void, Never>?
    /// The status that is being answered; 0 until then.
    var status = 0
    var bytesSent = 0
    var handlerMilliseconds: Int
    /// None once the exchange is over.
    var connection: ClientConnection?

    init(
        head: RequestHead, requestID: String, clientAddress: String, body: RequestBody,
        startedAt: Int64, handlerMilliseconds: Int, connection: ClientConnection?
    ) {
        self.head = head
        self.requestID = requestID
        self.clientAddress = clientAddress
        self.body = body
        self.startedAt = startedAt
        self.handlerMilliseconds = handlerMilliseconds
        self.connection = connection
    }

    package var method: HTTPMethod { head.method }
    /// The path, split first and decoded then.
    package var segments: [String] { head.segments }
    package var query: Query { head.query }
    package var headers: HeaderFields { head.headers }

    /// Gives the handler that long from now, instead of the server's default, before it is cancelled and the
    /// client is told 503. While the handler waits for body bytes the body's own limits count; the time
    /// starts again after each wait. A streamed answer has that long between two writes.
    package func setDeadline(secondsFromNow seconds: Int) {
        handlerMilliseconds = seconds * 1000
        connection?.restartHandlerDeadline(of: self)
    }
}

extension HTTPRequest {
    /// A request that came over no wire, with its whole body, for programs and tests that call a handler
    /// directly.
    package convenience init(
        method: HTTPMethod, target: String, headers: [(name: String, value: String)] = [],
        body: [UInt8] = [], requestID: String = "in-process",
        clientAddress: String = "127.0.0.1"
    ) throws(HTTPRefusal) {
        self.init(
            head: try RequestHead(
                method: method, target: target, headers: HeaderFields(headers),
                bodyLength: body.count),
            requestID: requestID, clientAddress: clientAddress, body: RequestBody(body),
            startedAt: 0, handlerMilliseconds: 0, connection: nil)
    }
}
