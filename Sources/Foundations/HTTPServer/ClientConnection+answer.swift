import CLinux
import EventLoop
import Glibc
import HTTPWire

extension ClientConnection {
    /// How many unsent bytes a stream may leave behind before it waits.
    static let unsentLimit = 65_536
    /// Bodies up to this many bytes are copied behind their head.
    private static let copiedLimit = 2048

    // MARK: Answers

    /// Sends what the handler made, unless the exchange is over.
    func answer(_ response: HTTPResponse, to request: HTTPRequest) async {
        guard self.request === request, request.status == 0 else { return }
        guard case .stream(let length, let produce) = response.body else {
            return sendWhole(response, to: request)
        }
        let isBodiless = hasNoBody(request, response.status)
        let writer = ResponseWriter(
            connection: self, request: request, response: response, length: length)
        do {
            if !isBodiless { try await produce(writer) }
            try writer.finish(isBodiless: isBodiless)
        } catch {
            streamFailed(request)
        }
    }

    /// Answers a request in place of its handler.
    func refuse(_ request: HTTPRequest, _ status: Int, _ code: String, _ detail: String) {
        sendWhole(
            shard.settings.problem(status, code, detail, request.requestID), to: request)
    }

    /// Answers bytes that are not a request.
    func refuse(_ refusal: HTTPRefusal) {
        mustClose = true
        let requestID = shard.requestID(nil)
        let response = shard.settings.problem(
            refusal.status, refusal.code, refusal.detail, requestID)
        let body = response.wholeBody
        var head = shard.takeHead()
        begin(&head, response.status)
        append(response.headers, to: &head)
        ResponseWire.appendLength(body.count, to: &head)
        shard.head = head
        endHead(requestID: requestID, isOld: false)
        let sent = shard.head.count + body.count
        lingerAfterOutput = true
        guard transmit(shard.head, body) else { return }
        shard.settings.onComplete(nil, response.status, sent, 0)
        phase = .exchange
        deadlines.waitForever()
        answerIsComplete = true
        if output.isEmpty { lingerThenClose() }
    }

    private func sendWhole(_ response: HTTPResponse, to request: HTTPRequest) {
        var body = response.wholeBody
        guard startHead(response, to: request, length: body.count) else { return }
        endHead(requestID: request.requestID, isOld: request.head.minorVersion == 0)
        answerIsComplete = true
        deadlines.waitForever()
        if hasNoBody(request, response.status) { body = [] }
        if body.count <= Self.copiedLimit {
            // The kernel takes one piece faster than two.
            shard.head.append(contentsOf: body)
            body = []
        }
        guard transmit(shard.head, body) else { return }
        if output.isEmpty { finishExchange() }
    }

    /// Lets the answer take any time; returns `false` if the client has left.
    func keepOpen() -> Bool {
        guard peerFinishedAt == nil else {
            close()
            return false
        }
        isOpenEnded = true
        deadlines.waitForever()
        return true
    }

    private func streamFailed(_ request: HTTPRequest) {
        guard self.request === request else { return }
        if request.status == 0 {
            refuse(request, 500, "internal", "The answer could not be made.")
        } else {
            abandon()
        }
    }

    // MARK: Heads

    /// Writes a head without its last fields; returns `false` if the handler's fields were unsafe and a problem
    /// was sent instead.
    func startHead(_ response: HTTPResponse, to request: HTTPRequest, length: Int?) -> Bool {
        let isOld = request.head.minorVersion == 0
        if !request.head.keepsAlive || shard.isDraining || length == nil && isOld
            || !request.body.canDrop(atMost: Self.restLimit)
        {
            mustClose = true
        }
        request.status = response.status
        var head = shard.takeHead()
        begin(&head, response.status)
        let isSafe = append(response.headers, to: &head)
        if isSafe, response.status != 204, response.status >= 200 {
            if let length {
                if response.status != 304 { ResponseWire.appendLength(length, to: &head) }
            } else if !isOld {
                ResponseWire.append("Transfer-Encoding", "chunked", to: &head)
            }
        }
        shard.head = head
        if isSafe { return true }
        if response.status == 500 {
            abandon()
        } else {
            refuse(request, 500, "internal", "The answer could not be made.")
        }
        return false
    }

    private func begin(_ head: inout [UInt8], _ status: Int) {
        head.removeAll(keepingCapacity: true)
        ResponseWire.appendStatusLine(status, to: &head)
        shard.appendDate(to: &head)
        // RFC 6797: a client that has come over TLS never comes without it for a year.
        if channel != nil {
            ResponseWire.append("Strict-Transport-Security", "max-age=31536000", to: &head)
        }
    }

    @discardableResult
    private func append(_ fields: [ResponseField], to head: inout [UInt8]) -> Bool {
        for field in fields {
            if isReserved(field.name) {
                if equalIgnoringCase(field.value, "close") { mustClose = true }
                continue
            }
            do {
                try ResponseWire.append(field, to: &head)
            } catch {
                return false
            }
        }
        return true
    }

    func endHead(requestID: String, isOld: Bool) {
        var head = shard.takeHead()
        ResponseWire.append("X-Request-Id", requestID, to: &head)
        if mustClose {
            ResponseWire.append("Connection", "close", to: &head)
        } else if isOld {
            ResponseWire.append("Connection", "keep-alive", to: &head)
        }
        head.append(0x0D)
        head.append(0x0A)
        shard.head = head
    }

    private func isReserved(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4: equalIgnoringCase(name, "date")
        case 10: equalIgnoringCase(name, "connection")
        case 12: equalIgnoringCase(name, "x-request-id")
        case 14: equalIgnoringCase(name, "content-length")
        case 17: equalIgnoringCase(name, "transfer-encoding")
        default: false
        }
    }

    func hasNoBody(_ request: HTTPRequest, _ status: Int) -> Bool {
        request.method == .head || status == 204 || status == 304
    }

    // MARK: Bytes

    func sendContinue() {
        _ = transmit(Self.continueLine, [])
    }

    private static let continueLine = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Sends up to three pieces in one call and keeps what the kernel does not take; returns `false` if the
    /// connection is lost.
    func transmit(_ first: [UInt8], _ second: [UInt8], _ third: [UInt8] = []) -> Bool {
        guard !isClosed else { return false }
        let total = first.count + second.count + third.count
        var sent = 0
        if output.isEmpty {
            sent = sendPieces(first, second, third)
            if sent < 0 {
                abandon()
                return false
            }
            request?.bytesSent += sent
            if sent == total { return true }
            deadlines.bytesWait(shard.rules, now: now)
        }
        for piece in [first, second, third] {
            output.append(piece.dropFirst(min(sent, piece.count)))
            sent -= min(sent, piece.count)
        }
        return true
    }

    /// Returns the number of bytes sent; negative if the connection is lost.
    private func sendPieces(_ first: [UInt8], _ second: [UInt8], _ third: [UInt8]) -> Int {
        if let channel { return send([first, second, third], through: channel) }
        if second.isEmpty, third.isEmpty { return send(first) }
        return first.withUnsafeBytes { first in
            second.withUnsafeBytes { second in
                third.withUnsafeBytes { third in
                    var pieces = (iovec(first), iovec(second), iovec(third))
                    return withUnsafeMutableBytes(of: &pieces) { raw in
                        var message = msghdr()
                        message.msg_iov = raw.bindMemory(to: iovec.self).baseAddress
                        message.msg_iovlen = 3
                        while true {
                            let sent = sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
                            if sent >= 0 { return sent }
                            if errno != EINTR { return errno == EAGAIN ? 0 : -1 }
                        }
                    }
                }
            }
        }
    }

    /// Returns the number of bytes sent; negative if the connection is lost.
    private func send(_ piece: [UInt8]) -> Int {
        while true {
            let sent = piece.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent >= 0 { return sent }
            if errno != EINTR { return errno == EAGAIN ? 0 : -1 }
        }
    }

    /// Sends what waits, now that the kernel takes more.
    func flush() {
        let taken =
            if let channel { send(&output, through: channel) } else { output.send(to: descriptor) }
        guard let sent = taken else { return abandon() }
        request?.bytesSent += sent
        if sent > 0 { deadlines.bytesWent(sent, shard.rules, now: now) }
        if output.count <= Self.unsentLimit { outputGate.open() }
        guard output.isEmpty else { return }
        deadlines.noBytesWait()
        if lingerAfterOutput { return lingerThenClose() }
        if phase == .exchange, answerIsComplete { finishExchange() }
    }
}

extension HTTPResponse {
    /// The bytes of a body that is not a stream.
    var wholeBody: [UInt8] {
        if case .bytes(let bytes) = body { bytes } else { [] }
    }
}

extension iovec {
    fileprivate init(_ bytes: UnsafeRawBufferPointer) {
        self.init(
            iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    }
}
