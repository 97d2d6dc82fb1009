import HTTPServer
import Synchronization

/// How often one address or account may try something: a burst at once, then one try at a time. Callers decide what
/// counts: failures, or everything.
///
/// Loopback is not counted: it is the address of a reverse proxy that is not trusted to report client addresses, so
/// every client behind it shares it. IPv6 addresses count by their /64. All clients whose address a trusted proxy
/// does not report count as one. Whole networks share an address too, which is why some callers let a success
/// make up for a failure (`countSuccess`).
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
    ///   - most: how many failures are allowed at once.
    ///   - seconds: how long until one of them no longer counts.
    package init(most: Int, secondsPerFailure seconds: Double) {
        self.most = Double(most)
        nanosecondsPerTry = seconds * 1e9
    }

    /// Seconds to wait if the address has used up its tries.
    package func secondsToWait(_ address: String, now: Int64) -> Int? {
        guard let address = AddressLimit.counted(address) else { return nil }
        let excess = addresses.withLock { addresses in
            addresses[address].map { $0.left(now, nanosecondsPerTry) - (most - 1) } ?? 0
        }
        guard excess > 0 else { return nil }
        return max(1, Int((excess * nanosecondsPerTry / 1e9).rounded(.up)))
    }

    /// Counts a try: a failure, or whatever else is limited.
    package func count(_ address: String, now: Int64) {
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

    /// Takes back one failure: among many people behind one address, who succeeds makes up for who mistypes.
    package func countSuccess(_ address: String, now: Int64) {
        guard let address = AddressLimit.counted(address) else { return }
        addresses.withLock { addresses in
            guard let count = addresses[address]?.left(now, nanosecondsPerTry) else { return }
            addresses[address] = count > 1 ? Tries(count: count - 1, countedAt: now) : nil
        }
    }

    /// What an address is counted as; `nil` if it is not counted.
    private static func counted(_ text: String) -> String? {
        guard let address = NetworkAddress(text) else { return text.isEmpty ? nil : text }
        return address.isLoopback ? nil : address.network.description
    }
}
