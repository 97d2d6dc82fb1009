import CZlib

/// Unpacks a gzip stream (RFC 1952), of one or several members, piece by piece.
///
/// Calls block and must not overlap.
package final class GzipReader: @unchecked Sendable {
    private let stream: UnsafeMutablePointer<z_stream>
    private let source: () throws -> [UInt8]?
    private let limit: Int
    private let chunkSize = 64 * 1024
    private var input: [UInt8] = []
    private var position = 0
    private var produced = 0
    /// Whether zlib may hold back bytes that did not fit.
    private var mayHoldMore = false
    private var isBetweenMembers = false
    private var hasEnded = false

    /// Pulls packed bytes from `source` until it returns `nil`; refuses to unpack more than `limit` bytes.
    package init(
        limit: Int = 4 * 1024 * 1024 * 1024, source: @escaping () throws -> [UInt8]?
    ) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        self.source = source
        self.limit = limit
        // 15 bits of window, and 16 for the gzip header around it. Fails only if memory runs out.
        precondition(zlib_inflate_init(stream, 15 + 16) == Z_OK, "out of memory")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// The next bytes; `nil` after the last ones, once lengths and checksums have been verified.
    ///
    /// Throws `ArchiveError`, and whatever the source throws.
    package func next() throws -> [UInt8]? {
        while !hasEnded {
            if position == input.count, !mayHoldMore {
                guard let more = try source() else {
                    guard isBetweenMembers else { throw ArchiveError(.notAnArchive) }
                    hasEnded = true
                    return nil
                }
                input = more
                position = 0
                continue
            }
            if isBetweenMembers {
                inflateReset(stream)
                isBetweenMembers = false
            }
            let chunk = try inflate()
            if !chunk.isEmpty { return chunk }
        }
        return nil
    }

    private func inflate() throws(ArchiveError) -> [UInt8] {
        var result = Z_OK
        let chunk = [UInt8](unsafeUninitializedCapacity: chunkSize) { output, filled in
            input.withUnsafeMutableBufferPointer { input in
                let available = min(input.count - position, 1 << 30)
                stream.pointee.next_in = input.baseAddress.map { $0 + position }
                stream.pointee.avail_in = UInt32(available)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(chunkSize)
                result = CZlib.inflate(stream, Z_NO_FLUSH)
                position += available - Int(stream.pointee.avail_in)
            }
            filled = chunkSize - Int(stream.pointee.avail_out)
        }
        produced += chunk.count
        mayHoldMore = chunk.count == chunkSize && result == Z_OK
        guard produced <= limit else { throw ArchiveError(.tooLarge) }
        switch result {
        case Z_STREAM_END: isBetweenMembers = true
        case Z_OK, Z_BUF_ERROR: break
        default: throw ArchiveError(.damaged)
        }
        return chunk
    }
}
