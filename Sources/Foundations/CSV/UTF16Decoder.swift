/// Makes UTF-8 of UTF-16, piece by piece. What is not UTF-16 becomes U+FFFD.
struct UTF16Decoder {
    let isBigEndian: Bool
    /// The first byte of a unit whose second has not come.
    private var half: UInt8?
    /// The first unit of a pair whose second has not come.
    private var high: UInt16?

    init(isBigEndian: Bool) {
        self.isBigEndian = isBigEndian
    }

    mutating func decode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            guard let first = half else {
                half = byte
                continue
            }
            half = nil
            take(
                isBigEndian
                    ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first),
                &text)
        }
        return text
    }

    private mutating func take(_ unit: UInt16, _ text: inout [UInt8]) {
        if let high {
            self.high = nil
            if UTF16.isTrailSurrogate(unit) {
                let value = 0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(unit) - 0xDC00)
                append(Unicode.Scalar(value), &text)
                return
            }
            append(nil, &text)
        }
        if UTF16.isLeadSurrogate(unit) {
            high = unit
        } else {
            append(Unicode.Scalar(unit), &text)
        }
    }

    private func append(_ scalar: Unicode.Scalar?, _ text: inout [UInt8]) {
        text.append(contentsOf: Character(scalar ?? "\u{FFFD}").utf8)
    }
}
