import EventLoop
import HTTPWire

/// How large a body may be, and how slowly it may arrive. Time counts only while the handler waits for bytes.
package struct BodyLimits: Sendable {
    package var maximumBytes: Int
    /// Required on average after the first five seconds; 0 requires nothing.
    package var minimumBytesPerSecond: Int
    /// For the whole body; `nil` sets none.
    package var deadlineSeconds: Int?

    package init(
        maximumBytes: Int = 1_048_576, minimumBytesPerSecond: Int = 1024,
        deadlineSeconds: Int? = 30
    ) {
        self.maximumBytes = maximumBytes
        self.minimumBytesPerSecond = minimumBytesPerSecond
        self.deadlineSeconds = deadlineSeconds
    }
}

/// The body of a request, received only as fast as the handler asks for it. Confined to its loop; one task
/// reads.
package final class RequestBody: @unchecked Sendable {
    private enum Rest {
        case length(Int)
        case chunked(ChunkedDecoder)
        case local([UInt8])
        /// A body that did not come over a connection and is read as it is asked for.
        case source(@Sendable () async throws -> [UInt8]?)
        case done
    }

    /// To be set before the first read.
    package var limits = BodyLimits()
    /// The body's announced length; `nil` if it is chunked or comes from a source.
    package let announcedLength: Int?
    /// How many bytes the handler has been given.
    package private(set) var receivedBytes = 0

    private var rest: Rest
    /// Bytes that were previewed and are still to be handed out.
    private var previewed: [UInt8]?
    private var pieces = 0
    private(set) var failure: HTTPRefusal?
    private(set) var awaitsContinue: Bool
    private var patience = BodyPatience()
    private(set) var isWaiting = false
    /// `nil` once the exchange is over, and for a body that did not come over a connection.
    var connection: ClientConnection?

    init(head: RequestHead, connection: ClientConnection) {
        switch head.framing {
        case .none, .length(0): (rest, announcedLength) = (.done, 0)
        case .length(let length): (rest, announcedLength) = (.length(length), length)
        case .chunked: (rest, announcedLength) = (.chunked(ChunkedDecoder()), nil)
        }
        awaitsContinue = head.expectsContinue
        self.connection = connection
    }

    init(_ bytes: [UInt8]) {
        rest = bytes.isEmpty ? .done : .local(bytes)
        announcedLength = bytes.count
        awaitsContinue = false
    }

    /// A body that a closure provides piece by piece, until it returns `nil`.
    init(source: @escaping @Sendable () async throws -> [UInt8]?) {
        rest = .source(source)
        announcedLength = nil
        awaitsContinue = false
    }

    /// Whether everything that was sent has been read.
    var isComplete: Bool {
        if case .done = rest { true } else { false }
    }

    /// The next piece of the body, at most 64 KiB; `nil` at its end.
    ///
    /// Throws `HTTPRefusal`: 413 above the limit (at once if the length was announced), 400 for a body that is
    /// malformed or ends early, 408 for one that is too slow; `ConnectionLost` when the client has left;
    /// `CancellationError` in a cancelled task. After any of them the connection closes with the answer.
    package func next() async throws -> [UInt8]? {
        if let announcedLength, announcedLength > limits.maximumBytes { throw fail(.bodyTooLarge) }
        while true {
            if let failure { throw failure }
            if let previewed {
                self.previewed = nil
                receivedBytes = previewed.count
                return previewed
            }
            if isComplete { return nil }
            if case .source(let read) = rest { return try await receive(from: read) }
            if let piece = try take() {
                receivedBytes += piece.count
                if receivedBytes > limits.maximumBytes { throw fail(.bodyTooLarge) }
                // A fast client must not keep the loop from its other connections.
                pieces += 1
                if pieces % 4 == 0 { await Task.yield() }
                return piece
            }
            if isComplete { return nil }
            try await waitForBytes()
        }
    }

    private func receive(
        from read: @Sendable () async throws -> [UInt8]?
    ) async throws -> [UInt8]? {
        guard let piece = try await read() else {
            rest = .done
            return nil
        }
        receivedBytes += piece.count
        if receivedBytes > limits.maximumBytes { throw fail(.bodyTooLarge) }
        return piece
    }

    /// The whole body, if it is at most that long.
    package func collect(upTo maximumBytes: Int) async throws -> [UInt8] {
        limits.maximumBytes = maximumBytes
        guard var whole = try await next() else { return [] }
        if let announcedLength { whole.reserveCapacity(min(announcedLength, maximumBytes)) }
        while let piece = try await next() { whole += piece }
        return whole
    }

    /// The whole body, if it is at most that long, read ahead; the handler still gets all of it.
    package func preview(upTo maximumBytes: Int) async throws -> [UInt8] {
        let whole = try await collect(upTo: maximumBytes)
        if !whole.isEmpty { previewed = whole }
        receivedBytes = 0
        return whole
    }

    // MARK: From the connection

    /// Takes what has arrived; `nil` if there is nothing yet.
    func take() throws(HTTPRefusal) -> [UInt8]? {
        if case .local(let bytes) = rest {
            rest = .done
            return bytes
        }
        guard let connection else { return nil }
        let piece =
            switch rest {
            case .length(let length): takePlain(length, from: connection)
            case .chunked(let decoder): try takeChunked(decoder, from: connection)
            case .local, .source, .done: nil as [UInt8]?
            }
        if piece != nil { awaitsContinue = false }
        if piece == nil, connection.inputHasEnded, !isComplete { throw fail(.bodyIncomplete) }
        return piece
    }

    /// Reports that the wait has lasted too long.
    func expire() {
        failure = .bodyTooSlow
        connection?.mustClose = true
        connection?.inputGate.open()
    }

    /// Whether the rest may be read and dropped, so that the connection can be used again.
    func canDrop(atMost limit: Int) -> Bool {
        guard failure == nil, !awaitsContinue || isComplete else { return false }
        if case .length(let length) = rest { return length <= limit }
        return true
    }

    private func takePlain(_ length: Int, from connection: ClientConnection) -> [UInt8]? {
        let piece = connection.receivePiece(atMost: length)
        if let piece { rest = piece.count == length ? .done : .length(length - piece.count) }
        return piece
    }

    private func takeChunked(
        _ before: ChunkedDecoder, from connection: ClientConnection
    ) throws(HTTPRefusal) -> [UInt8]? {
        var decoder = before
        var piece: [UInt8] = []
        repeat {
            guard connection.fillInput() else { break }
            do {
                try connection.input.decode(&decoder, into: &piece)
            } catch {
                throw fail(error)
            }
        } while piece.isEmpty && !decoder.isDone
        rest = decoder.isDone ? .done : .chunked(decoder)
        return piece.isEmpty ? nil : piece
    }

    private func fail(_ refusal: HTTPRefusal) -> HTTPRefusal {
        failure = refusal
        connection?.mustClose = true
        return refusal
    }

    // MARK: Waiting

    private func waitForBytes() async throws {
        try Task.checkCancellation()
        guard let connection, !connection.isClosed else { throw ConnectionLost() }
        if awaitsContinue {
            awaitsContinue = false
            connection.sendContinue()
        }
        let loop = connection.shard.loop
        isWaiting = true
        let deadline = patience.begin(limits, receivedBytes: receivedBytes, now: loop.time.now)
        connection.deadlines.awaitBody(until: deadline)
        await connection.inputGate.wait(on: loop)
        isWaiting = false
        patience.end(now: loop.time.now)
        guard let connection = self.connection, !connection.isClosed else { throw ConnectionLost() }
        connection.restartHandlerDeadline()
        try Task.checkCancellation()
    }
}

/// The client has left, or its answer was abandoned.
package struct ConnectionLost: Error, Sendable {}
