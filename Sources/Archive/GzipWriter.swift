/// Compresses a stream (RFC 1952) whose bytes depend on nothing but content and level: no date, system unknown.
///
/// Needs about 300 KB whatever the length. Calls block and must not overlap.
package final class GzipWriter: @unchecked Sendable {
    private let deflater: Deflater

    /// Gives compressed bytes to `sink` as they come; they are only valid during the call.
    ///
    /// The level is zlib's: 1 is fast, 9 is small, 6 is usual.
    package init(level: Int = 6, sink: @escaping (UnsafeRawBufferPointer) throws -> Void) {
        deflater = Deflater(.gzip, level: level, sink: sink)
    }

    /// Compresses what is in memory already.
    package static func compress(_ content: [UInt8]) throws -> [UInt8] {
        var compressed: [UInt8] = []
        let writer = GzipWriter { compressed += $0 }
        try writer.write(content)
        try writer.finish()
        return compressed
    }

    /// Takes content. Throws what the sink throws; then the stream is lost.
    package func write(_ content: [UInt8]) throws {
        try content.withUnsafeBytes { try write($0) }
    }

    /// Takes content that lies elsewhere.
    package func write(_ content: UnsafeRawBufferPointer) throws {
        try deflater.write(content)
    }

    /// Ends the stream; nothing can be written behind it.
    package func finish() throws {
        try deflater.finish()
    }
}
