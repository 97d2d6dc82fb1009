import HTTPServer
import Synchronization

/// How often one address may fail: so many times at once, and then one time after the other.
///
/// Loopback is not counted: it is the reverse proxy that is not trusted to tell addresses, behind which
/// everybody has the same one. IPv6 addresses count by their /64, and all clients whose address a trusted
/// proxy does not tell count as one. Whole schools share an address too, which is why what succeeds costs
/// nothing.
package final class AddressLimit: Sendable {
    private struct Tries {
        let count: Double
        let countedAt: Int64

        /// The tries that still count.
        func left(_ now: Int64, _ nanosecondsPerTry: Double) -> Double {
            max(0, count - Double(now - countedAt) / nanosecondsPerTry)
        }
    }

    private static let maximumAddresses = 10_000

    private let most: Double
    private let nanosecondsPerTry: Double
    private let addresses = Mutex<[String: Tries]>([:])

    /// - Parameters:
    ///   - most: how many failures at once.
    ///   - seconds: after which one of them counts no more.
    package init(most: Int, secondsPerFailure seconds: Double) {
        self.most = Double(most)
        nanosecondsPerTry = seconds * 1e9
    }

    /// Seconds to wait, where the address has used up its tries.
    package func secondsToWait(_ address: String, now: Int64) -> Int? {
        guard let address = AddressLimit.counted(address) else { return nil }
        let excess = addresses.withLock { addresses in
            addresses[address].map { $0.left(now, nanosecondsPerTry) - (most - 1) } ?? 0
        }
        guard excess > 0 else { return nil }
        return max(1, Int((excess * nanosecondsPerTry / 1e9).rounded(.up)))
    }

    /// Counts a failure, or whatever else is limited.
    package func countFailure(_ address: String, now: Int64) {
        guard let address = AddressLimit.counted(address) else { return }
        addresses.withLock { addresses in
            if addresses.count >= AddressLimit.maximumAddresses {
                addresses = addresses.filter { $0.value.left(now, nanosecondsPerTry) > 0 }
            }
            let count = addresses[address]?.left(now, nanosecondsPerTry) ?? 0
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
