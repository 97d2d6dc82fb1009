import Synchronization

/// How many TLS handshakes one address may start; each costs a third of a millisecond of processor time. IPv6
/// addresses are counted by /64, and loopback like any other address. A whole school behind one address starts
/// its lesson at once, so the limits allow for that.
package struct HandshakeLimits: Sendable {
    /// In progress at a time.
    package var unfinished = 256
    /// Started at once, after a pause.
    package var burst = 1000
    /// Started per second in the long run.
    package var perSecond = 50
    /// Addresses that are not counted: proxies that handle TLS for all their clients.
    package var exempt: [AddressRange] = []

    package init() {}
}

/// Counts the handshakes of each address, for all loops. A refusal costs no more than an accept and a close.
///
/// It remembers a bounded number of addresses. When all of them are busy, further ones are let in uncounted:
/// against that many attackers a count per address does not help, and honest clients would be kept out.
final class HandshakeLimit: Sendable {
    private struct Count {
        var unfinished = 0
        /// When all started ones will be paid for at the long-run rate, on the monotonic clock.
        var paidAt: Int64
    }

    private struct Book {
        var counts: [NetworkAddress: Count] = [:]
        var sweptAt: Int64 = .min
    }

    private static let maximumAddresses = 16_384
    private static let second: Int64 = 1_000_000_000

    private let limits: HandshakeLimits
    private let book = Mutex(Book())

    init(_ limits: HandshakeLimits) {
        self.limits = limits
    }

    /// Counts one more; returns `false` if the address has too many and the connection should be closed.
    func begin(_ address: NetworkAddress, now: Int64) -> Bool {
        guard !isExempt(address) else { return true }
        let price = Self.second / Int64(max(1, limits.perSecond))
        let credit = price * Int64(limits.burst)
        return book.withLock { book in
            if book.counts.count >= Self.maximumAddresses { sweep(&book, now) }
            var count = book.counts[address.network] ?? Count(paidAt: now)
            count.paidAt = max(count.paidAt, now)
            guard count.unfinished < limits.unfinished, count.paidAt + price <= now + credit
            else { return false }
            count.paidAt += price
            count.unfinished += 1
            let isKnown = book.counts[address.network] != nil
            guard isKnown || book.counts.count < Self.maximumAddresses else { return true }
            book.counts[address.network] = count
            return true
        }
    }

    /// A handshake that began is over, successful or not.
    func end(_ address: NetworkAddress) {
        guard !isExempt(address) else { return }
        book.withLock { book in
            guard var count = book.counts[address.network], count.unfinished > 0 else { return }
            count.unfinished -= 1
            book.counts[address.network] = count
        }
    }

    /// How many addresses are remembered.
    var addressCount: Int { book.withLock { $0.counts.count } }

    private func isExempt(_ address: NetworkAddress) -> Bool {
        limits.exempt.contains { $0.contains(address) }
    }

    /// Forgets addresses that owe nothing. It does not run on every call because it looks at all of them.
    private func sweep(_ book: inout Book, _ now: Int64) {
        guard now - Self.second >= book.sweptAt else { return }
        book.sweptAt = now
        book.counts = book.counts.filter { $0.value.unfinished > 0 || $0.value.paidAt > now }
    }
}
