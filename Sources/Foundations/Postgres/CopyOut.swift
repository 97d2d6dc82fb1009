import CLibpq
import EventLoop

extension Session {
    /// Starts a `copy … to stdout`. COPY takes no parameters, so bound values travel as quoted literals. The
    /// statement timeout applies to the whole COPY; raise it with `set local` for a long one.
    package func copyOut(_ statement: Statement) async throws -> CopyOut {
        CopyOut(try await CopyChannel.open(self, statement, expecting: PGRES_COPY_OUT))
    }
}

/// The data of a COPY, pulled: nothing is read from the server until the caller asks for it.
///
/// Confined to its loop.
package final class CopyOut: @unchecked Sendable {
    private static let chunkSize = 65_536

    private let channel: CopyChannel
    private var isAtEnd = false

    init(_ channel: CopyChannel) {
        self.channel = channel
        channel.onAbandon {
            channel.cancel()
            try await channel.skip()
        }
    }

    /// Whole rows, usually a little over 64 KiB of them; `nil` after the last ones. Throws `cancelled` if the
    /// task is cancelled.
    package func next() async throws -> [UInt8]? {
        if isAtEnd { return nil }
        try channel.checkUsable()
        var chunk: [UInt8] = []
        chunk.reserveCapacity(Self.chunkSize + 8192)
        var row: UnsafeMutablePointer<CChar>?
        while chunk.count < Self.chunkSize {
            let length = PQgetCopyData(channel.handle, &row, 1)
            if length > 0 {
                chunk.append(contentsOf: UnsafeRawBufferPointer(start: row, count: Int(length)))
                PQfreemem(row)
            } else if length == 0 {
                try await channel.wait(for: .read)
            } else {
                isAtEnd = true
                _ = try await channel.finish()
                return chunk.isEmpty ? nil : chunk
            }
        }
        return chunk
    }
}
