import CLinux
import Glibc

/// An IPv4 or IPv6 address without port or zone. IPv4 is stored as the IPv4-mapped IPv6 address, so that both
/// spellings of an address are equal.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
    /// The first and the last eight bytes, in network order.
    let high: UInt64
    let low: UInt64

    private static let mapped: UInt64 = 0xFFFF_0000_0000

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads `192.0.2.7`, `2001:db8::7` and `::ffff:192.0.2.7`; nothing else, so no brackets and no names.
    package init?(_ text: some StringProtocol) {
        let text = String(text)
        guard text.utf8.count < Int(INET6_ADDRSTRLEN), !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(four)
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self.init(six)
        } else {
            return nil
        }
    }

    /// The address of a socket's end; `::` for a socket that has none.
    init(_ storage: sockaddr_storage) {
        self = withUnsafePointer(to: storage) { pointer in
            switch Int32(storage.ss_family) {
            case AF_INET:
                pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    NetworkAddress($0.pointee.sin_addr)
                }
            case AF_INET6:
                pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    NetworkAddress($0.pointee.sin6_addr)
                }
            default: NetworkAddress(high: 0, low: 0)
            }
        }
    }

    private init(_ four: in_addr) {
        self.init(high: 0, low: Self.mapped | UInt64(UInt32(bigEndian: four.s_addr)))
    }

    private init(_ six: in6_addr) {
        (high, low) = withUnsafeBytes(of: six) {
            (
                UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    var isFour: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// Whether it is a loopback address: 127.0.0.0/8 or `::1`.
    package var isLoopback: Bool {
        isFour ? low >> 24 & 0xFF == 127 : high == 0 && low == 1
    }

    /// The unit that limits count by: an IPv6 client can choose any address in its /64, so only the network counts.
    package var network: NetworkAddress {
        isFour ? self : NetworkAddress(high: high, low: 0)
    }

    /// The ranges that probably belong to one provider, one organization and one customer, the widest first: a /16 and
    /// a /24 of IPv4; a /32, a /48 and a /64 of IPv6.
    package var neighbourhoods: [String] {
        isFour
            ? [16, 24].map { bits in
                let kept = NetworkAddress(high: 0, low: low & .max << UInt64(32 - bits))
                return "\(kept)/\(bits)"
            }
            : [32, 48, 64].map { bits in
                "\(NetworkAddress(high: high & .max << UInt64(64 - bits), low: 0))/\(bits)"
            }
    }

    /// The text form of RFC 5952; a mapped IPv4 address is written as IPv4.
    package var description: String {
        var name = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        if isFour {
            var four = in_addr(s_addr: UInt32(truncatingIfNeeded: low).bigEndian)
            inet_ntop(AF_INET, &four, &name, socklen_t(name.count))
        } else {
            var words = (high.bigEndian, low.bigEndian)
            inet_ntop(AF_INET6, &words, &name, socklen_t(name.count))
        }
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The addresses that begin with the same bits: `10.0.0.0/8`, `2001:db8::/32`, or one address.
package struct AddressRange: Hashable, Sendable {
    private let first: NetworkAddress
    private let highMask: UInt64
    private let lowMask: UInt64

    /// Reads an address, alone or followed by `/` and the number of leading bits that count. The bits behind
    /// those must be zero, so that a mistyped length is noticed.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = NetworkAddress(parts[0]) else { return nil }
        let most = parts[0].contains(":") ? 128 : 32
        var bits = most
        if parts.count == 2 {
            let isPlain = parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) }
            guard isPlain, let number = Int(parts[1]), number <= most else { return nil }
            bits = number
        }
        bits += 128 - most
        first = address
        highMask = bits >= 64 ? .max : ~(.max >> UInt64(bits))
        lowMask = bits <= 64 ? 0 : bits == 128 ? .max : ~(.max >> UInt64(bits - 64))
        guard address.high & ~highMask == 0, address.low & ~lowMask == 0 else { return nil }
    }

    package func contains(_ address: NetworkAddress) -> Bool {
        address.high & highMask == first.high && address.low & lowMask == first.low
    }
}
