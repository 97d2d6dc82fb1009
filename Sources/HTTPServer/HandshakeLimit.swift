import CLinux
import Synchronization

/// How many TLS handshakes one address may ask for; each costs a third of a millisecond of a processor. IPv6
/// addresses count by their /64, loopback like any other. A school behind one address starts its lesson at
/// once, so the limits leave room for that.
package struct HandshakeLimits: Sendable {
    /// In progress at a time.
    package var unfinished = 256
    /// Started at once, after a time without any.
    package var burst = 1000
    /// Started per second in the long run.
    package var perSecond = 50
    /// Who is not counted: proxies that speak TLS for everybody.
    package var exempt: [AddressRange] = []

    package init() {}
}

/// Counts the handshakes of each address, for all loops. Refusing costs no more than an accept and a close.
///
/// It remembers a bounded number of addresses. When they are all busy, further ones are let in uncounted:
/// with so many against it no count per address helps, and clients that mean well would be kept out.
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

    /// Counts one more; `false` if the address has too many and the connection should be closed.
    func begin(_ address: NetworkAddress, now: Int64 = linux_monotonic_nanoseconds()) -> Bool {
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

    /// One that began is over, well or not.
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

    /// Forgets who owes nothing; not at every call, as it looks at all.
    private func sweep(_ book: inout Book, _ now: Int64) {
        guard now - Self.second >= book.sweptAt else { return }
        book.sweptAt = now
        book.counts = book.counts.filter { $0.value.unfinished > 0 || $0.value.paidAt > now }
    }
}
