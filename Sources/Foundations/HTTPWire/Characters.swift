/// The classes of bytes of RFC 9110 section 5.6 and RFC 3986.
enum Characters {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20

    /// One bit per byte below 128: letters, digits and ``!#$%&'*+-.^_`|~``.
    private static let tokens: (low: UInt64, high: UInt64) = (
        0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE
    )

    /// Whether the byte is allowed in a method or a field name.
    static func isToken(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        let word = byte < 64 ? tokens.low : tokens.high
        return word >> UInt64(byte & 63) & 1 == 1
    }

    /// Whether the byte is allowed in a line: no control character except the tab.
    static func isText(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == tab
    }

    /// Whether a whole value is allowed in a line.
    static func isText(_ value: String) -> Bool {
        var value = value
        return value.withUTF8 { bytes in
            for byte in bytes where !isText(byte) { return false }
            return true
        }
    }

    /// Whether it is a valid method or field name: a token, and hence not empty.
    static func isToken(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { bytes in
            for byte in bytes where !isToken(byte) { return false }
            return !bytes.isEmpty
        }
    }

    /// Whether the byte is allowed in a request target: visible ASCII, no `#`.
    static func isTarget(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#")
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == space || byte == tab
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }

    /// The value of a hexadecimal digit in either case.
    static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Whether the two are equal, ignoring case.
    static func equalIgnoringCase(
        _ left: some Collection<UInt8>, _ right: some Collection<UInt8>
    ) -> Bool {
        left.count == right.count
            && zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
    }
}
