import CCurl
import Glibc

/// Where an address of IPv4 or IPv6 leads.
package enum NetworkPlace: Sendable, Equatable {
    /// The Internet.
    case open
    /// A private network (RFC 1918, RFC 6598, RFC 4193).
    case own
    /// This machine.
    case loopback
    /// Neither: link-local addresses, where clouds hand out secrets, multicast, documentation, and others that nobody
    /// serves web pages from.
    case nowhere

    package init(four: (UInt8, UInt8, UInt8, UInt8)) {
        let (first, second, third, _) = four
        switch first {
        case 127: self = .loopback
        case 10: self = .own
        case 172 where second & 0xF0 == 16: self = .own
        case 192 where second == 168: self = .own
        case 100 where second & 0xC0 == 64: self = .own
        case 0, 224...255: self = .nowhere
        case 169 where second == 254: self = .nowhere
        case 192 where second == 0 && (third == 0 || third == 2): self = .nowhere
        case 192 where second == 88 && third == 99: self = .nowhere
        case 198 where second & 0xFE == 18 || second == 51 && third == 100: self = .nowhere
        case 203 where second == 0 && third == 113: self = .nowhere
        default: self = .open
        }
    }

    /// - Parameter six: the sixteen bytes of an address of IPv6, in network order.
    package init(six: [UInt8]) {
        precondition(six.count == 16, "an address of IPv6 has 16 bytes")
        let four = (six[12], six[13], six[14], six[15])
        let isMapped = six[..<10].allSatisfy { $0 == 0 } && six[10] == 0xFF && six[11] == 0xFF
        // The prefix under which networks without IPv4 reach it (RFC 6052).
        let isTranslated = Array(six[..<12]) == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        if isMapped {
            self.init(four: four)
        } else if isTranslated {
            self = NetworkPlace(four: four) == .open ? .open : .nowhere
        } else if six == [UInt8](repeating: 0, count: 15) + [1] {
            self = .loopback
        } else if six[0] & 0xFE == 0xFC {
            self = .own
        } else if six[0] & 0xE0 == 0x20 {
            let isDocumentation = six[..<4] == [0x20, 0x01, 0x0D, 0xB8]
            // Both carry an address of IPv4 that could be any.
            let isTunnel = six[..<2] == [0x20, 0x02] || six[..<4] == [0x20, 0x01, 0, 0]
            self = isDocumentation || isTunnel ? .nowhere : .open
        } else {
            self = .nowhere
        }
    }

    /// The place of an address as the system has it; nowhere for any other family.
    init(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin_addr) { bytes in
                    NetworkPlace(four: (bytes[0], bytes[1], bytes[2], bytes[3]))
                }
            }
        case AF_INET6:
            self = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin6_addr) { NetworkPlace(six: Array($0)) }
            }
        default: self = .nowhere
        }
    }
}
