extension JSONText {
    /// Copies the shortest literal that reads back as the same double; `null` for infinity and not-a-number.
    /// Takes at most 24 bytes.
    package static func copy(_ value: Double, to cursor: Cursor) -> Int {
        guard value.isFinite else { return copyNull(to: cursor) }
        if value.magnitude < 9e15 {
            let whole = Int64(value)
            if Double(whole) == value, whole != 0 || value.sign == .plus {
                return copyDecimal(whole, to: cursor)
            }
            let length = copyShortFraction(value, to: cursor)
            if length > 0 { return length }
        }
        var text = value.description
        return text.withUTF8 { bytes in
            cursor.update(from: bytes.baseAddress.unsafelyUnwrapped, count: bytes.count)
            return bytes.count
        }
    }

    /// Copies a number with up to four decimal places, as most shares and times have; returns 0 if it has more.
    ///
    /// Whole ten-thousandths below 10^14 have at most 15 significant digits, which always distinguish doubles.
    /// So if dividing gives the number back, no literal is shorter than these digits without their trailing zeros.
    private static func copyShortFraction(_ value: Double, to cursor: Cursor) -> Int {
        guard value.magnitude < 1e10 else { return 0 }
        let scaled = Int64(value.magnitude * 1e4 + 0.5)
        guard scaled > 0, Double(scaled) / 1e4 == value.magnitude else { return 0 }
        let (whole, fraction) = scaled.quotientAndRemainder(dividingBy: 10_000)
        var end = 0
        if value < 0 {
            cursor[0] = UInt8(ascii: "-")
            end = 1
        }
        end += copyDecimal(whole, to: cursor + end)
        cursor[end] = UInt8(ascii: ".")
        end += 1
        var rest = fraction
        var unit: Int64 = 1000
        repeat {
            cursor[end] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / unit)
            end += 1
            rest %= unit
            unit /= 10
        } while rest > 0
        return end
    }
}
