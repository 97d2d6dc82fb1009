import Crypto
import EventLoop
import Metrics
import Values

/// Who the recently seen access tokens speak for, on one loop. Confined to its loop.
///
/// An entry is used only while the process is sure to hear of revocations: for 700 ms after the last
/// heartbeat of the listening connection, and 60 s at most. Any revocation empties the cache, which costs
/// one look-up per token in use and can never keep one too many.
package final class TokenCache: @unchecked Sendable {
    /// How long an answer of the database is believed without asking again.
    private static let entryNanoseconds: Int64 = 60_000_000_000
    /// How long silence of the listening connection is believed to mean that nothing was revoked.
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

    /// What the cache tells of itself, from any thread: how many tokens it knows, how often it knew one that
    /// was asked for, and how often it did not.
    package let size = Gauge()
    package let hits = Counter()
    package let misses = Counter()

    /// Changes with every revocation; what was read before it began is not kept.
    private(set) var generation = 0

    package init(loop: Loop) {
        self.loop = loop
    }

    /// The listening connection has answered: every revocation before that moment of the monotonic clock
    /// has been heard.
    package func hearHeartbeat(sentAt moment: Int64) {
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

    /// Keeps what was read, unless something was revoked since the read began.
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
