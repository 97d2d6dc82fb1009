/// PostgreSQL's `numeric` in binary: base-10,000 digits, the weight of the first one, a sign and a scale.
enum Numeric {
    /// Appends the exact decimal text; returns false for not-a-number, the infinities and malformed bytes.
    static func append(_ bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) -> Bool {
        var reader = BinaryReader(bytes)
        guard let count = reader.integer(Int16.self), let weight = reader.integer(Int16.self),
            let sign = reader.integer(UInt16.self), let scale = reader.integer(Int16.self),
            sign == 0 || sign == 0x4000, count >= 0, scale >= 0, bytes.count == 8 + Int(count) * 2
        else { return false }
        let digits = UnsafeRawBufferPointer(rebasing: bytes[8...])
        for group in 0..<Int(count) where digit(group, in: digits) > 9999 { return false }
        // PostgreSQL sends no leading zeros; without this check a weight alone could ask for 130,000 of them.
        guard weight <= 0 || digit(0, in: digits) > 0 else { return false }
        if sign == 0x4000 { text.append(UInt8(ascii: "-")) }
        if weight < 0 { text.append(UInt8(ascii: "0")) }
        for group in 0...max(0, Int(weight)) where weight >= 0 {
            append(digit(group, in: digits), isFirst: group == 0, to: &text)
        }
        guard scale > 0 else { return true }
        text.append(UInt8(ascii: "."))
        let end = text.count + Int(scale)
        var group = Int(weight) + 1
        while text.count < end {
            append(digit(group, in: digits), isFirst: false, to: &text)
            group += 1
        }
        text.removeLast(text.count - end)
        return true
    }

    /// The base-10,000 digit at that index; zero before and after the stored ones.
    private static func digit(_ group: Int, in digits: UnsafeRawBufferPointer) -> UInt16 {
        guard group >= 0, group * 2 + 2 <= digits.count else { return 0 }
        return UInt16(
            bigEndian: digits.loadUnaligned(fromByteOffset: group * 2, as: UInt16.self))
    }

    private static func append(_ digit: UInt16, isFirst: Bool, to text: inout [UInt8]) {
        var divisor: UInt16 = 1000
        var isLeading = isFirst
        while divisor > 0 {
            let decimal = UInt8(truncatingIfNeeded: digit / divisor % 10)
            isLeading = isLeading && decimal == 0 && divisor > 1
            if !isLeading { text.append(UInt8(ascii: "0") + decimal) }
            divisor /= 10
        }
    }
}
