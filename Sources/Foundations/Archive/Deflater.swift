import CZlib

/// Deflates a stream with zlib, framed or raw.
///
/// Needs about 300 KB whatever the length. Calls block and must not overlap.
final class Deflater: @unchecked Sendable {
    /// The framing around the deflated bytes.
    enum Framing {
        /// RFC 1952, without a date or an operating system.
        case gzip
        /// No framing (RFC 1951).
        case none

        /// 15 bits of window; for zlib negative means no framing, and 16 more means gzip.
        fileprivate var windowBits: Int32 {
            switch self {
            case .gzip: 15 + 16
            case .none: -15
            }
        }
    }

    private let stream: UnsafeMutablePointer<z_stream>
    private let header: UnsafeMutablePointer<gz_header>
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private let sink: (UnsafeRawBufferPointer) throws -> Void
    private var hasEnded = false

    /// Passes deflated bytes to `sink` as they are produced; they are only valid during the call.
    init(
        _ framing: Framing, level: Int = 6,
        sink: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) {
        precondition((0...9).contains(level), "zlib knows the levels 0 to 9")
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        header = .allocate(capacity: 1)
        header.initialize(to: gz_header())
        header.pointee.os = 255
        buffer = .allocate(capacity: 64 * 1024)
        self.sink = sink
        // Fails only if memory runs out.
        precondition(
            zlib_deflate_init(stream, Int32(level), framing.windowBits) == Z_OK, "out of memory")
        if framing == .gzip { deflateSetHeader(stream, header) }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        header.deallocate()
        buffer.deallocate()
    }

    /// Compresses content. If the sink throws, the error is rethrown and the stream is unusable.
    func write(_ content: UnsafeRawBufferPointer) throws {
        precondition(!hasEnded, "the stream has ended")
        // zlib counts in 32 bits.
        var rest = content[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            try deflate(part, flush: Z_NO_FLUSH)
            rest = rest.dropFirst(part.count)
        }
    }

    /// Ends the stream; nothing can be written after it.
    func finish() throws {
        guard !hasEnded else { return }
        hasEnded = true
        try deflate(UnsafeRawBufferPointer(start: nil, count: 0), flush: Z_FINISH)
    }

    private func deflate(_ part: UnsafeRawBufferPointer, flush: Int32) throws {
        let input = part.assumingMemoryBound(to: UInt8.self)
        // zlib only reads, despite its signature.
        stream.pointee.next_in = input.baseAddress.map { UnsafeMutablePointer(mutating: $0) }
        stream.pointee.avail_in = UInt32(part.count)
        var result = Z_OK
        repeat {
            stream.pointee.next_out = buffer.baseAddress
            stream.pointee.avail_out = UInt32(buffer.count)
            result = CZlib.deflate(stream, flush)
            precondition(result != Z_STREAM_ERROR, "zlib lost its state")
            let count = buffer.count - Int(stream.pointee.avail_out)
            if count > 0 {
                try sink(UnsafeRawBufferPointer(start: buffer.baseAddress, count: count))
            }
        } while stream.pointee.avail_out == 0 || (flush == Z_FINISH && result != Z_STREAM_END)
    }
}
