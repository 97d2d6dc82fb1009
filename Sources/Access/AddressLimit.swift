import Synchronization

/// How many wrong passwords one address may try: sixty at once, then one every three seconds.
///
/// Loopback is not counted: it is the reverse proxy, behind which everybody has the same address. Whole
/// schools share one too, which is why right passwords cost nothing.
final class AddressLimit: Sendable {
    private struct Tries {
        let count: Double
        let countedAt: Int64

        /// The tries that still count.
        func left(_ now: Int64) -> Double {
            max(0, count - Double(now - countedAt) / AddressLimit.nanosecondsPerTry)
        }
    }

    private static let most = 60.0
    private static let nanosecondsPerTry = 3_000_000_000.0
    private static let maximumAddresses = 10_000

    private let addresses = Mutex<[String: Tries]>([:])

    /// Seconds to wait, where the address has used up its tries.
    func secondsToWait(_ address: String, now: Int64) -> Int? {
        guard AddressLimit.isCounted(address) else { return nil }
        let excess = addresses.withLock { addresses in
            addresses[address].map { $0.left(now) - (AddressLimit.most - 1) } ?? 0
        }
        guard excess > 0 else { return nil }
        return max(1, Int((excess * AddressLimit.nanosecondsPerTry / 1e9).rounded(.up)))
    }

    /// Counts a wrong password.
    func countFailure(_ address: String, now: Int64) {
        guard AddressLimit.isCounted(address) else { return }
        addresses.withLock { addresses in
            if addresses.count >= AddressLimit.maximumAddresses {
                addresses = addresses.filter { $0.value.left(now) > 0 }
            }
            let count = addresses[address]?.left(now) ?? 0
            guard addresses.count < AddressLimit.maximumAddresses || count > 0 else { return }
            addresses[address] = Tries(count: count + 1, countedAt: now)
        }
    }

    private static func isCounted(_ address: String) -> Bool {
        !address.isEmpty && address != "::1" && !address.hasPrefix("127.")
            && !address.hasPrefix("::ffff:127.")
    }
}
