import CLinux
import Glibc

extension ClientConnection {
    static let headReceive = 16_384
    static let restLimit = 65_536
    private static let lingerLimit = 1_048_576

    // MARK: Receiving

    /// Receives into the shard's scratch buffer; returns 0 if there is nothing, or if the connection has ended
    /// or failed.
    func receive(atMost limit: Int) -> Int {
        if let channel { return receive(through: channel, atMost: limit) }
        while mayRead, !inputHasEnded {
            let count = recv(descriptor, shard.scratch.baseAddress, limit, 0)
            if count > 0 {
                // A receive that did not fill the buffer has emptied the socket, unless the peer's end is
                // queued behind it.
                if count < limit, peerFinishedAt == nil { mayRead = false }
                return count
            }
            if count < 0, errno == EINTR { continue }
            mayRead = false
            if count == 0 || errno != EAGAIN { inputHasEnded = true }
        }
        return 0
    }

    /// Up to that many bytes of a body, at most 64 KiB.
    func receivePiece(atMost limit: Int) -> [UInt8]? {
        if !input.isEmpty { return input.take(atMost: min(limit, 65_536)) }
        let count = receive(atMost: min(limit, shard.scratch.count))
        return count > 0 ? Array(shard.scratch[..<count]) : nil
    }

    /// Whether there are bytes in the input, after a receive if need be.
    func fillInput() -> Bool {
        if !input.isEmpty { return true }
        let count = receive(atMost: Self.headReceive)
        if count > 0 { input.append(UnsafeRawBufferPointer(rebasing: shard.scratch[..<count])) }
        return count > 0
    }

    /// Whether the peer has sent something that the loop has not processed yet.
    var hasUnreadBytes: Bool {
        if !input.isEmpty { return true }
        if channel?.mayHaveMore == true { return true }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    // MARK: Unwanted bytes

    func dropRest() {
        guard let body = restOfBody else { return }
        while let piece = try? body.take() {
            droppedBytes += piece.count
            if droppedBytes > Self.restLimit { break }
        }
        let isOver = droppedBytes > Self.restLimit || body.failure != nil
        guard isOver || body.isComplete else { return }
        body.connection = nil
        restOfBody = nil
        isOver ? lingerThenClose() : nextRequest()
    }

    /// Ends our side and waits until the peer ends or its time is over: closing a socket with unread bytes
    /// resets it, and the peer might lose the answer.
    func lingerThenClose() {
        phase = .lingering
        deadlines.wait(for: shard.rules.linger, now: now)
        droppedBytes = 0
        endOurSide()
        dropAll()
    }

    func dropAll() {
        while true {
            let count = receive(atMost: shard.scratch.count)
            droppedBytes += count
            if inputHasEnded || droppedBytes > Self.lingerLimit { return close() }
            if count == 0 { return }
        }
    }
}
