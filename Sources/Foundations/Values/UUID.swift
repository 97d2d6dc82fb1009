/// A 128-bit identifier, stored as two machine words.
package struct UUID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The first eight bytes, in network order.
    package let high: UInt64
    /// The last eight bytes, in network order.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads the 16 bytes in network order; `nil` for any other length.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// Reads the usual text form, 8-4-4-4-12 hexadecimal digits in either case; `nil` for anything else.
    package init?(_ text: String) {
        var text = text
        guard let uuid = text.withUTF8({ UUID(text: $0) }) else { return nil }
        self = uuid
    }

    /// Reads the usual text form from part of a string.
    package init?(_ text: some StringProtocol) {
        self.init(String(text))
    }

    private init?(text: UnsafeBufferPointer<UInt8>) {
        guard text.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for position in 0..<36 {
            let byte = text[position]
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let value = hexadecimalValue(byte) else { return nil }
            if digits < 16 {
                words.0 = words.0 << 4 | UInt64(value)
            } else {
                words.1 = words.1 << 4 | UInt64(value)
            }
            digits += 1
        }
        self.init(high: words.0, low: words.1)
    }

    /// A version 7 identifier (RFC 9562 section 5.7): the moment in milliseconds, then 74 random bits.
    package init(milliseconds: Int64, random: (UInt64, UInt64)) {
        high = UInt64(truncatingIfNeeded: milliseconds) << 16 | 0x7000 | random.0 & 0x0FFF
        low = 0x8000_0000_0000_0000 | random.1 & 0x3FFF_FFFF_FFFF_FFFF
    }

    /// Appends the 36 characters of the text form, lower case.
    package func append(to bytes: inout [UInt8]) {
        forEachCharacter { bytes.append($0) }
    }

    /// The 16 bytes in network order.
    package var bytes: [UInt8] { (0..<16).map(byte) }

    package var description: String {
        String(unsafeUninitializedCapacity: 36) { buffer in
            var end = 0
            forEachCharacter { character in
                buffer[end] = character
                end += 1
            }
            return end
        }
    }

    @inline(__always)
    private func forEachCharacter(_ body: (UInt8) -> Void) {
        for position in 0..<16 {
            if position == 4 || position == 6 || position == 8 || position == 10 {
                body(UInt8(ascii: "-"))
            }
            let byte = self.byte(position)
            body(hexadecimalDigit(byte >> 4))
            body(hexadecimalDigit(byte & 15))
        }
    }

    package static func < (left: UUID, right: UUID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    private func byte(_ position: Int) -> UInt8 {
        let word = position < 8 ? high : low
        return UInt8(truncatingIfNeeded: word >> UInt64(56 - (position & 7) * 8))
    }
}

/// The value of one hexadecimal digit, or `nil`.
package func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}

/// The lower-case digit of a value from 0 to 15.
package func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
