import CLibpq
import EventLoop

extension Session {
    /// Starts a `copy … from stdin`. COPY takes no parameters, so bound values travel as quoted literals. The
    /// statement timeout applies to the whole COPY; raise it with `set local` for a long one.
    package func copyIn(_ statement: Statement) async throws -> CopyIn {
        CopyIn(try await CopyChannel.open(self, statement, expecting: PGRES_COPY_IN))
    }
}

/// Data for a COPY. Unless `finish` is called, PostgreSQL drops all of it. Confined to its loop.
package final class CopyIn: @unchecked Sendable {
    private let channel: CopyChannel

    init(_ channel: CopyChannel) {
        self.channel = channel
        channel.onAbandon {
            _ = PQputCopyEnd(channel.handle, "given up")
            try await channel.flush()
        }
    }

    /// Sends a chunk of any size, split anywhere; returns when the socket has taken it.
    package func write(_ bytes: [UInt8]) async throws {
        try channel.checkUsable()
        let status = bytes.withUnsafeBytes { bytes in
            PQputCopyData(
                channel.handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(bytes.count))
        }
        guard status == 1 else { throw PostgresError.connectionLost(mayHaveCommitted: false) }
        try await channel.flush()
    }

    /// Ends the data and returns the number of rows; throws PostgreSQL's error about them.
    package func finish() async throws -> Int {
        try channel.checkUsable()
        guard PQputCopyEnd(channel.handle, nil) == 1 else {
            throw PostgresError.connectionLost(mayHaveCommitted: false)
        }
        channel.expectCommit()
        try await channel.flush()
        return try await channel.finish()
    }
}
