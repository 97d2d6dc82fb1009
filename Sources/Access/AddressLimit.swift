import HTTPServer
import Synchronization

/// How many wrong passwords one address may try: sixty at once, then one every three seconds.
///
/// Loopback is not counted: it is the reverse proxy that is not trusted to tell addresses, behind which
/// everybody has the same one. IPv6 addresses count by their /64, and all clients whose address a trusted
/// proxy does not tell count as one. Whole schools share an address too, which is why right passwords cost
/// nothing.
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
        guard let address = AddressLimit.counted(address) else { return nil }
        let excess = addresses.withLock { addresses in
            addresses[address].map { $0.left(now) - (AddressLimit.most - 1) } ?? 0
        }
        guard excess > 0 else { return nil }
        return max(1, Int((excess * AddressLimit.nanosecondsPerTry / 1e9).rounded(.up)))
    }

    /// Counts a wrong password.
    func countFailure(_ address: String, now: Int64) {
        guard let address = AddressLimit.counted(address) else { return }
        addresses.withLock { addresses in
            if addresses.count >= AddressLimit.maximumAddresses {
                addresses = addresses.filter { $0.value.left(now) > 0 }
            }
            let count = addresses[address]?.left(now) ?? 0
            guard addresses.count < AddressLimit.maximumAddresses || count > 0 else { return }
            addresses[address] = Tries(count: count + 1, countedAt: now)
        }
    }

    /// What an address is counted as; `nil` if it is not.
    private static func counted(_ text: String) -> String? {
        guard let address = NetworkAddress(text) else { return text.isEmpty ? nil : text }
        return address.isLoopback ? nil : address.network.description
    }
}
