import EventLoop
import HTTPWire

/// Takes the body of a streamed answer. Confined to its loop; one task writes.
package final class ResponseWriter: @unchecked Sendable {
    /// The length of the body was not the announced one.
    package struct WrongLength: Error, Sendable {}

    /// The request on whose connection the answer goes out.
    private struct Wire {
        let connection: ClientConnection
        let request: HTTPRequest
        let response: HTTPResponse
    }

    /// `nil` if there is no client and the bytes are collected.
    private let wire: Wire?
    /// Where the bytes go instead, and what becomes of them on the way.
    private let onward: (writer: ResponseWriter, change: @Sendable ([UInt8]) -> [UInt8])?
    private let length: Int?
    private var writtenBytes = 0
    fileprivate var collected: [UInt8] = []

    init(connection: ClientConnection, request: HTTPRequest, response: HTTPResponse, length: Int?) {
        wire = Wire(connection: connection, request: request, response: response)
        onward = nil
        self.length = length
    }

    /// Writes into another writer what the function makes of each piece.
    package init(
        into writer: ResponseWriter, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) {
        wire = nil
        onward = (writer, change)
        length = nil
    }

    fileprivate init(collecting length: Int?) {
        wire = nil
        onward = nil
        self.length = length
    }

    /// Sends the bytes, the head before the first ones, and waits while more than 64 KiB are unsent.
    ///
    /// Throws `ConnectionLost` when the client has left or takes nothing for too long.
    package func write(_ bytes: [UInt8]) async throws {
        guard !bytes.isEmpty else { return }
        if let onward { return try await onward.writer.write(onward.change(bytes)) }
        writtenBytes += bytes.count
        if let length, writtenBytes > length { throw WrongLength() }
        guard let wire else { return collected += bytes }
        let (connection, request) = (wire.connection, wire.request)
        guard connection.request === request else { throw ConnectionLost() }
        try startHead(wire)
        let shard = connection.shard
        var tail: [UInt8] = []
        if isChunked(request) {
            ResponseWire.appendChunkSize(bytes.count, to: &shard.head)
            tail = Self.chunkEnd
        }
        guard connection.transmit(shard.head, bytes, tail) else { throw ConnectionLost() }
        connection.restartHandlerDeadline()
        // A fast client must not keep the loop from its other connections.
        if writtenBytes / Self.turnBytes != (writtenBytes - bytes.count) / Self.turnBytes {
            await Task.yield()
        }
        while connection.output.count > ClientConnection.unsentLimit {
            connection.deadlines.waitForever()
            await connection.outputGate.wait(on: shard.loop)
            guard connection.request === request else { throw ConnectionLost() }
            try Task.checkCancellation()
            connection.restartHandlerDeadline()
        }
    }

    /// Lets the answer go on until its producer ends it, with any time between two writes. The head is sent at once.
    ///
    /// From now on a client that ends its side has left, because it cannot wait for an end that may never come; then the
    /// task is cancelled. Returns `false` if the client has left, so that nothing more should be written.
    package func keepOpen() throws -> Bool {
        guard let wire else { return false }
        let (connection, request) = (wire.connection, wire.request)
        guard connection.request === request else { throw ConnectionLost() }
        if request.status == 0 {
            try startHead(wire)
            guard connection.transmit(connection.shard.head, []) else { throw ConnectionLost() }
        }
        guard connection.keepOpen() else { throw ConnectionLost() }
        return true
    }

    /// Ends the answer.
    func finish(isBodiless: Bool) throws {
        if let length, writtenBytes != length, !isBodiless { throw WrongLength() }
        guard let wire else { return }
        let (connection, request) = (wire.connection, wire.request)
        guard connection.request === request else { throw ConnectionLost() }
        try startHead(wire)
        connection.answerIsComplete = true
        connection.deadlines.waitForever()
        let end = isChunked(request) && !isBodiless ? ResponseWire.lastChunk : []
        guard connection.transmit(connection.shard.head, end) else { throw ConnectionLost() }
        if connection.output.isEmpty { connection.finishExchange() }
    }

    /// Leaves the head in the shard's buffer if it has not been sent, otherwise nothing.
    private func startHead(_ wire: Wire) throws {
        let (connection, request) = (wire.connection, wire.request)
        guard request.status == 0 else {
            connection.shard.head.removeAll(keepingCapacity: true)
            return
        }
        guard connection.startHead(wire.response, to: request, length: length) else {
            throw ConnectionLost()
        }
        connection.endHead(
            requestID: request.requestID, isOld: request.head.minorVersion == 0)
    }

    private func isChunked(_ request: HTTPRequest) -> Bool {
        length == nil && request.head.minorVersion == 1
    }

    private static let turnBytes = 262_144
    private static let chunkEnd = Array("\r\n".utf8)
}

extension HTTPResponse {
    /// The whole body, for programs and tests that call a handler directly.
    package func wholeBody() async throws -> [UInt8] {
        switch body {
        case .none: return []
        case .bytes(let bytes): return bytes
        case .stream(let length, let producer):
            let writer = ResponseWriter(collecting: length)
            try await producer(writer)
            try writer.finish(isBodiless: false)
            return writer.collected
        }
    }
}
