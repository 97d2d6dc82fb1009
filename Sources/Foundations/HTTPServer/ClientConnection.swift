import EventLoop
import Glibc
import HTTPWire

/// One client's socket and the request on it that is being answered. Confined to its loop.
///
/// The socket is registered once, edge triggered, for everything; `mayRead` remembers whether the kernel may
/// hold unread bytes. Nothing is received before it is needed: between requests a head, within a request the
/// body that its handler pulls. So at most 16 KiB of a next request are ever held here.
///
/// **When the client leaves.** A FIN alone says only that the client sends no more. A client may end its side
/// and still wait for the answer, so a complete request is answered. To distinguish the two cases, a handler
/// that is still running a tick after the FIN is announced with `100 Continue`, which a client may always
/// ignore (RFC 9110 section 15.2.1). If the client is really gone, its kernel answers with a reset, and a reset
/// cancels the handler's task. So does a failed write. An incomplete body makes the handler's read throw; while
/// the handler does something else, the body counts as complete. From an answer without an end, a FIN is a farewell.
final class ClientConnection: @unchecked Sendable {
    enum Phase {
        /// TLS is being agreed on.
        case handshake
        /// Between two requests; no byte of the next one has arrived.
        case idle
        case head
        /// A handler runs, or its answer waits to be sent.
        case exchange
        /// The rest of a body is being dropped.
        case rest
        /// The answer is sent and our side is closed; the peer's bytes are dropped so that it is not reset.
        case lingering
        case closed
    }

    let shard: Shard
    let descriptor: Int32
    let peer: NetworkAddress
    private let peerText: String
    /// Encrypts and decrypts the socket's bytes; `nil` if the connection is plain.
    var channel: TLSChannel?
    /// The index in the shard's list.
    var index = 0

    var phase = Phase.idle
    var request: HTTPRequest?
    var deadlines: ConnectionDeadlines

    var input = InputBuffer()
    private var parser = RequestHeadParser()
    let inputGate = Gate()
    var output = OutputQueue()
    let outputGate = Gate()
    /// Whether the whole answer has been handed to `output` or the kernel.
    var answerIsComplete = false
    /// Whether our side ends as soon as the output is sent.
    var lingerAfterOutput = false
    var hasEndedOurSide = false
    /// Whether the answer said, or will say, that the connection ends with it.
    var mustClose = false
    /// Whether the answer goes on for as long as its producer wants and the client stays.
    var isOpenEnded = false

    private var registration: Registration?
    var mayRead = true
    var inputHasEnded = false
    var peerFinishedAt: Int64?
    private var hasProbed = false
    var droppedBytes = 0
    /// What is left of a body whose handler did not want it.
    var restOfBody: RequestBody?

    init(shard: Shard, descriptor: Int32, peer: NetworkAddress) {
        self.shard = shard
        self.descriptor = descriptor
        self.peer = peer
        peerText = peer.description
        deadlines = ConnectionDeadlines(shard.rules)
        channel = shard.settings.tls.map { TLSChannel($0.context, descriptor: descriptor) }
    }

    var isClosed: Bool { phase == .closed }
    /// The time of this turn of the loop.
    var now: Int64 { shard.loop.now }

    // MARK: Life

    func open() {
        deadlines.wait(for: shard.rules.idle, now: now)
        if channel != nil { awaitHandshake() }
        do {
            registration = try shard.loop.register(
                descriptor, [.read, .write, .hangUp, .edge]
            ) { [unowned self] readiness in
                ready(readiness)
            }
        } catch {
            close()
        }
    }

    private func ready(_ readiness: Readiness) {
        if readiness.hasError { return abandon() }
        if readiness.peerClosed {
            mayRead = true
            if peerFinishedAt == nil { peerFinishedAt = shard.loop.now }
            if isOpenEnded, !answerIsComplete { return close() }
        }
        if readiness.canRead || channel?.readAwaitsWrite == true { mayRead = true }
        if phase == .handshake { return shakeHands() }
        let mayWrite = readiness.canWrite || channel?.writeAwaitsRead == true
        if mayWrite, !output.isEmpty { flush() }
        if mayWrite, phase == .lingering { endOurSide() }
        if mayRead { advance() }
    }

    /// Uses the bytes that have arrived, as far as the phase wants them.
    func advance() {
        switch phase {
        case .handshake: shakeHands()
        case .idle where deadlines.isPaused: break
        case .idle, .head: readHead()
        case .exchange: inputGate.open()
        case .rest: dropRest()
        case .lingering: dropAll()
        case .closed: break
        }
    }

    /// Abandons whatever is in progress: the client is gone, or too slow to wait for.
    func abandon() {
        guard !isClosed else { return }
        channel?.cutShort()
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func close() {
        guard !isClosed else { return }
        releaseChannel()
        phase = .closed
        registration?.cancel()
        registration = nil
        _ = Glibc.close(descriptor)
        if let request {
            request.task?.cancel()
            complete(request, status: answerIsComplete ? request.status : 499)
        }
        restOfBody?.connection = nil
        restOfBody = nil
        inputGate.open()
        outputGate.open()
        shard.remove(self)
    }

    /// Reports the exchange and forgets it.
    func complete(_ request: HTTPRequest, status: Int) {
        self.request = nil
        request.connection = nil
        request.body.connection = nil
        let duration = shard.loop.time.now - request.startedAt
        shard.settings.onComplete(request, status, request.bytesSent, duration)
    }

    // MARK: Deadlines

    /// Acts on deadlines that have passed.
    func check(now: Int64) {
        switch deadlines.due(now: now) {
        case .giveUp: abandon()
        case .expire: expire()
        case .readOn: resume()
        case .nothing: probe(now: now)
        }
    }

    private func expire() {
        switch phase {
        case .exchange:
            guard let request else { return }
            if request.body.isWaiting {
                deadlines.waitForever()
                request.body.expire()
            } else if request.status == 0 {
                request.task?.cancel()
                mustClose = true
                refuse(
                    request, 503, "handler_too_slow", "The answer could not be made in time.")
            } else if !answerIsComplete {
                abandon()
            }
        case .handshake, .idle, .head, .rest, .lingering: close()
        case .closed: break
        }
    }

    private func probe(now: Int64) {
        guard !hasProbed, phase == .exchange, let request, request.status == 0,
            request.head.minorVersion == 1, !request.body.isWaiting, let peerFinishedAt,
            now > peerFinishedAt
        else { return }
        hasProbed = true
        sendContinue()
    }

    /// Gives the handler its full time, from now.
    func restartHandlerDeadline(of asking: HTTPRequest? = nil) {
        guard let request, asking == nil || asking === request, phase == .exchange, !isOpenEnded
        else { return }
        deadlines.awaitHandler(
            milliseconds: request.handlerMilliseconds, now: shard.loop.time.now)
    }

    /// Ends if no request is in progress. What the peer sends meanwhile is dropped, not reset, so that it reads
    /// all answers and then the end.
    func endIfIdle() {
        if phase == .idle, !hasUnreadBytes { lingerThenClose() }
    }

    // MARK: Requests

    func readHead() {
        while phase == .idle || phase == .head {
            if !input.isEmpty {
                do {
                    if case .complete(let head, let length) = try input.parse(&parser) {
                        input.consume(length)
                        parser.reset()
                        return begin(head)
                    }
                } catch {
                    return refuse(error)
                }
            }
            let count = receive(atMost: Self.headReceive)
            guard count > 0 else {
                if inputHasEnded { close() }
                return
            }
            input.append(UnsafeRawBufferPointer(rebasing: shard.scratch[..<count]))
            if phase == .idle {
                phase = .head
                deadlines.wait(for: shard.rules.head, now: now)
            }
        }
    }

    private func begin(_ head: RequestHead) {
        let request = HTTPRequest(
            head: head, requestID: shard.requestID(head.headers["x-request-id"]),
            clientAddress: clientAddress(head), isSecure: isSecure(head),
            body: RequestBody(head: head, connection: self),
            startedAt: shard.loop.time.now,
            handlerMilliseconds: shard.settings.handlerMilliseconds, connection: self)
        self.request = request
        phase = .exchange
        answerIsComplete = false
        isOpenEnded = false
        deadlines.awaitHandler(
            milliseconds: request.handlerMilliseconds, now: now)
        shard.taskStarted()
        request.task = Task(executorPreference: shard.loop) { [self] in
            let response = await shard.handler(request)
            await answer(response, to: request)
            shard.taskEnded()
        }
    }

    /// The client's address: the socket's peer, or the address a trusted proxy there names.
    private func clientAddress(_ head: RequestHead) -> String {
        let trusted = shard.settings.trustedProxies
        guard !trusted.isEmpty else { return peerText }
        return ForwardedAddress.resolve(
            peer: peer, headers: head.headers, trusted: trusted,
            field: shard.settings.forwardedField)
    }

    /// Whether the client speaks TLS with this server, or with the trusted proxy at the other end.
    private func isSecure(_ head: RequestHead) -> Bool {
        if channel != nil { return true }
        guard shard.settings.trustedProxies.contains(where: { $0.contains(peer) }) else {
            return false
        }
        // Proxies append; the last one is the proxy that we trust.
        return head.headers.list("x-forwarded-proto").last?.lowercased() == "https"
    }
}
