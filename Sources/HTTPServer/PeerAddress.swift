import CLinux
import Glibc

/// Who is at the other end of a connection.
struct PeerAddress: Sendable {
    /// Without the port; of an IPv4 address in IPv6 form only the former.
    let text: String
    /// Whom its connections are counted for: the IPv4 address, or the first 64 bits of an IPv6 address, since a
    /// customer is given no less than these and can change the others at will.
    let group: UInt64

    /// From what `accept4` tells.
    init(_ address: sockaddr_storage) {
        var address = address
        let isSix = Int32(address.ss_family) == AF_INET6
        var name = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let bytes = withUnsafeMutablePointer(to: &address) { pointer in
            if isSix {
                pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    _ = inet_ntop(AF_INET6, &$0.pointee.sin6_addr, &name, socklen_t(name.count))
                    return withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) }
                }
            } else {
                pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    _ = inet_ntop(AF_INET, &$0.pointee.sin_addr, &name, socklen_t(name.count))
                    return withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
                }
            }
        }
        let letters = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let text = String(decoding: letters, as: UTF8.self)
        let isMapped = isSix && text.hasPrefix("::ffff:") && text.contains(".")
        self.text = isMapped ? String(text.dropFirst(7)) : text
        let counted = isMapped ? bytes.suffix(4) : bytes.prefix(8)
        let number = counted.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        // No IPv6 network begins like this, so the two kinds cannot meet.
        group = counted.count == 4 ? 0xFFFF_0000_0000 | number : number
    }

    /// Whether the address is the machine itself.
    static func isLoopback(_ text: String) -> Bool {
        text == "::1" || text.hasPrefix("127.")
    }
}
