/// A host and a port, as in `Host` and in a target of the absolute form (RFC 3986 section 3.2).
enum Authority {
    /// Whether the bytes are empty, or a host with an optional colon and port.
    ///
    /// HTTP allows no user before the host (RFC 9110 section 4.2.4). A comma, which a name might contain, is
    /// refused because it more likely separates two hosts.
    static func isHostAndPort(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 0 else { return true }
        guard var position = hostEnd(bytes), position > 0 else { return false }
        guard position < bytes.count else { return true }
        guard bytes[position] == UInt8(ascii: ":") else { return false }
        position += 1
        while position < bytes.count, Characters.isDigit(bytes[position]) { position += 1 }
        return position == bytes.count
    }

    /// Where the host at the start of the bytes ends; `nil` if there is no host.
    private static func hostEnd(_ bytes: Span<UInt8>) -> Int? {
        var position = 0
        guard bytes[0] == UInt8(ascii: "[") else {
            while position < bytes.count {
                if isName(bytes[position]) {
                    position += 1
                } else if bytes[position] == UInt8(ascii: "%") {
                    guard position + 2 < bytes.count,
                        Characters.hexadecimal(bytes[position + 1]) != nil,
                        Characters.hexadecimal(bytes[position + 2]) != nil
                    else { return nil }
                    position += 3
                } else {
                    break
                }
            }
            return position
        }
        position = 1
        while position < bytes.count, isAddress(bytes[position]) { position += 1 }
        let isClosed = position < bytes.count && bytes[position] == UInt8(ascii: "]")
        return isClosed && position > 2 ? position + 1 : nil
    }

    /// One bit per byte below 128: letters, digits and ``!$&'()*+-.;=_~``.
    private static let names: (low: UInt64, high: UInt64) = (
        0x2BFF_6FD2_0000_0000, 0x47FF_FFFE_87FF_FFFE
    )

    private static func isName(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        let word = byte < 64 ? names.low : names.high
        return word >> UInt64(byte & 63) & 1 == 1
    }

    /// Whether the byte is allowed in an IPv6 address.
    private static func isAddress(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
            || Characters.hexadecimal(byte) != nil
    }
}
