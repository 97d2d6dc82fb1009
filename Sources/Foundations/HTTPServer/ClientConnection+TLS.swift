import Glibc
import HTTPWire

/// The TLS counterparts of the plain system calls of a connection.
extension ClientConnection {
    /// One record; also the most a record may hold (RFC 8446 section 5.1).
    private static let recordBytes = 16_384

    // MARK: Handshake

    /// Waits for the client to start the handshake.
    func awaitHandshake() {
        phase = .handshake
        deadlines.wait(for: shard.rules.handshake, now: now)
    }

    /// Continues the handshake; a client that speaks plain HTTP gets a plain answer saying so.
    func shakeHands() {
        guard let channel else { return }
        switch channel.shakeHands() {
        case .waiting: return
        case .failed: close()
        case .plainRequest:
            leaveHandshake()
            channel.release()
            self.channel = nil
            refuse(.securePort)
        case .done:
            leaveHandshake()
            phase = .idle
            deadlines.wait(for: shard.rules.idle, now: now)
            advance()
            if shard.isGraceOver { endIfIdle() }
        }
    }

    /// Counts the handshake as no longer in progress, once.
    func leaveHandshake() {
        guard phase == .handshake else { return }
        shard.handshakes?.end(peer)
    }

    // MARK: Bytes

    /// Receives into the shard's scratch buffer; returns 0 if there is nothing, or if the connection has ended
    /// or failed.
    func receive(through channel: TLSChannel, atMost limit: Int) -> Int {
        guard mayRead, !inputHasEnded else { return 0 }
        let space = UnsafeMutableRawBufferPointer(rebasing: shard.scratch[..<limit])
        switch channel.read(into: space) {
        case .bytes(let count):
            if !channel.mayHaveMore, peerFinishedAt == nil { mayRead = false }
            return count
        case .none: mayRead = false
        case .end:
            mayRead = false
            inputHasEnded = true
        }
        return 0
    }

    /// Sends the pieces in as few records as they fit; returns the number of bytes sent, negative if the
    /// connection is lost.
    func send(_ pieces: [[UInt8]], through channel: TLSChannel) -> Int {
        var queue = OutputQueue()
        for piece in pieces { queue.append(piece[...]) }
        return send(&queue, through: channel) ?? -1
    }

    /// Sends what it can off the queue; returns the number of bytes sent, or `nil` if the connection is lost.
    func send(_ queue: inout OutputQueue, through channel: TLSChannel) -> Int? {
        var sent = 0
        while !queue.isEmpty {
            // Records are always gathered the same way because a write that waited has to be repeated.
            let space = UnsafeMutableRawBufferPointer(
                rebasing: shard.scratch[..<Self.recordBytes])
            let gathered = queue.copy(into: space)
            switch channel.write(UnsafeRawBufferPointer(rebasing: space[..<gathered])) {
            case .bytes(let count):
                queue.drop(count)
                sent += count
            case .none: return sent
            case .end: return nil
            }
        }
        return sent
    }

    // MARK: End

    /// Ends our side; under TLS, only once the kernel has taken the close_notify.
    func endOurSide() {
        guard !hasEndedOurSide, channel?.sayEnd() ?? true else { return }
        hasEndedOurSide = true
        _ = Glibc.shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Releases the TLS state, with a close_notify to the peer unless something was left unsent.
    func releaseChannel() {
        guard let channel else { return }
        leaveHandshake()
        if output.isEmpty { _ = channel.sayEnd() }
        channel.release()
    }
}

extension HTTPRefusal {
    /// The client sent a plain request where TLS is expected.
    static let securePort = HTTPRefusal(
        status: 400, code: "tls_required", detail: "This port speaks TLS: use https.")
}
