import EventLoop
import HTTPWire

/// Takes the body of a streamed answer. Confined to its loop; one task writes.
package final class ResponseWriter: @unchecked Sendable {
    /// The producer wrote another length than it announced.
    package struct WrongLength: Error, Sendable {}

    private let connection: Connection
    private let request: HTTPRequest
    private let response: HTTPResponse
    private let length: Int?
    private var writtenBytes = 0
    private var isChunked: Bool { length == nil && request.head.minorVersion == 1 }

    init(connection: Connection, request: HTTPRequest, response: HTTPResponse, length: Int?) {
        self.connection = connection
        self.request = request
        self.response = response
        self.length = length
    }

    /// Sends the bytes, the head before the first ones, and waits while more than 64 KiB are unsent.
    ///
    /// Throws `ConnectionLost` when the client has left or takes nothing for too long.
    package func write(_ bytes: [UInt8]) async throws {
        guard !bytes.isEmpty else { return }
        writtenBytes += bytes.count
        if let length, writtenBytes > length { throw WrongLength() }
        guard connection.request === request else { throw ConnectionLost() }
        try startHead()
        let shard = connection.shard
        var tail: [UInt8] = []
        if isChunked {
            ResponseWire.appendChunkSize(bytes.count, to: &shard.head)
            tail = Self.chunkEnd
        }
        guard connection.transmit(shard.head, bytes, tail) else { throw ConnectionLost() }
        connection.restartHandlerDeadline()
        // A fast client must not keep the loop from its other connections.
        if writtenBytes / Self.turnBytes != (writtenBytes - bytes.count) / Self.turnBytes {
            await Task.yield()
        }
        while connection.output.count > Connection.unsentLimit {
            connection.deadline = .max
            await connection.outputGate.wait(on: shard.loop)
            guard connection.request === request else { throw ConnectionLost() }
            try Task.checkCancellation()
            connection.restartHandlerDeadline()
        }
    }

    /// Ends the answer.
    func finish(isBodiless: Bool) throws {
        guard connection.request === request else { throw ConnectionLost() }
        if let length, writtenBytes != length, !isBodiless { throw WrongLength() }
        try startHead()
        connection.answerIsComplete = true
        connection.deadline = .max
        let end = isChunked && !isBodiless ? ResponseWire.lastChunk : []
        guard connection.transmit(connection.shard.head, end) else { throw ConnectionLost() }
        if connection.output.isEmpty { connection.finishExchange() }
    }

    /// Leaves the head in the shard's buffer if it has not been sent, else nothing.
    private func startHead() throws {
        guard request.status == 0 else {
            connection.shard.head.removeAll(keepingCapacity: true)
            return
        }
        guard connection.startHead(response, to: request, length: length) else {
            throw ConnectionLost()
        }
        connection.endHead(
            requestID: request.requestID, isOld: request.head.minorVersion == 0)
    }

    private static let turnBytes = 262_144
    private static let chunkEnd = Array("\r\n".utf8)
}
