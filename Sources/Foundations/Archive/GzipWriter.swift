/// Compresses a stream (RFC 1952). The bytes depend only on content and level: no date, operating system unknown.
///
/// Needs about 300 KB whatever the length. Calls block and must not overlap.
package final class GzipWriter: @unchecked Sendable {
    private let deflater: Deflater

    /// Passes compressed bytes to `sink` as they are produced; they are only valid during the call.
    ///
    /// The level is zlib's: 1 is fastest, 9 is smallest, 6 is the usual one.
    package init(level: Int = 6, sink: @escaping (UnsafeRawBufferPointer) throws -> Void) {
        deflater = Deflater(.gzip, level: level, sink: sink)
    }

    /// Compresses bytes that are already in memory.
    package static func compress(_ content: [UInt8], level: Int = 6) throws -> [UInt8] {
        var compressed: [UInt8] = []
        let writer = GzipWriter(level: level) { compressed += $0 }
        try writer.write(content)
        try writer.finish()
        return compressed
    }

    /// Compresses content. If the sink throws, the error is rethrown and the stream is unusable.
    package func write(_ content: [UInt8]) throws {
        try content.withUnsafeBytes { try write($0) }
    }

    /// Compresses content from other memory.
    package func write(_ content: UnsafeRawBufferPointer) throws {
        try deflater.write(content)
    }

    /// Ends the stream; nothing can be written after it.
    package func finish() throws {
        try deflater.finish()
    }
}
