import API
import Crypto
import EventLoop
import Metrics
import Values

/// Who the recently seen access tokens speak for. Confined to its loop.
///
/// An entry is used only while the process is sure to be notified of revocations: for 700 ms after the last heartbeat
/// of the listening connection, and for at most 60 s. Any revocation empties the cache. That costs one lookup per
/// token in use, and guarantees that no revoked token stays.
package final class TokenCache: @unchecked Sendable {
    /// How long a result from the database is trusted without asking again.
    private static let entryNanoseconds: Int64 = 60_000_000_000
    /// How long silence of the listening connection is taken to mean that nothing was revoked.
    private static let silenceNanoseconds: Int64 = 700_000_000
    private static let maximumEntries = 50_000

    private struct Entry {
        let caller: Caller
        let allowance: Allowance
        let believedUntil: Int64
        let expiresAt: Timestamp
    }

    private let loop: Loop
    private var entries: [SHA256Digest: Entry] = [:]
    private var freshUntil: Int64 = 0

    /// The cache's metrics, readable from any thread: number of tokens, hits and misses.
    package let size = Gauge()
    package let hits = Counter()
    package let misses = Counter()

    /// Changes with every revocation; reads that began before it are not cached.
    private(set) var generation = 0

    package init(loop: Loop) {
        self.loop = loop
    }

    /// The listening connection has answered: every revocation before that moment of the monotonic clock has been
    /// received.
    package func noteHeartbeat(sentAt moment: Int64) {
        loop.preconditionCurrent()
        freshUntil = max(freshUntil, moment + Self.silenceNanoseconds)
    }

    /// Something was revoked, or the listening connection was lost and may have missed it.
    package func forget() {
        loop.preconditionCurrent()
        generation += 1
        entries.removeAll(keepingCapacity: true)
        size.set(0)
    }

    /// Who a token speaks for, and what it may still ask for.
    func known(
        _ digest: SHA256Digest, at moment: Timestamp
    ) -> (caller: Caller, allowance: Allowance)? {
        loop.preconditionCurrent()
        guard loop.now < freshUntil, let entry = entries[digest],
            loop.now < entry.believedUntil, moment < entry.expiresAt
        else {
            misses.add()
            return nil
        }
        hits.add()
        return (entry.caller, entry.allowance)
    }

    /// Caches what was read, unless something was revoked since the read began.
    func keep(
        _ caller: Caller, _ allowance: Allowance, for digest: SHA256Digest,
        until expiresAt: Timestamp, readDuring generation: Int
    ) {
        loop.preconditionCurrent()
        guard generation == self.generation else { return }
        if entries.count >= Self.maximumEntries { entries.removeAll(keepingCapacity: true) }
        entries[digest] = Entry(
            caller: caller, allowance: allowance,
            believedUntil: loop.now + Self.entryNanoseconds, expiresAt: expiresAt)
        size.set(entries.count)
    }
}
