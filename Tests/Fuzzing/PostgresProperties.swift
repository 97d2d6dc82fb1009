import JSONBytes
import Values

@testable import Postgres

/// Values in PostgreSQL's binary formats: read within their bytes, exactly, or refused.
///
/// The bytes are read as a value of every type in turn.
enum PostgresProperties {
    static func check(_ input: UnsafeRawBufferPointer) {
        for type in types { checkJSON(input, PostgresType(oid: type)) }
        checkNumeric(input)
        checkMoments(input)
        checkArray(input)
        RowProperties.check(input)
        ParameterProperties.check(input)
    }

    /// Everything that `JSONForm` has a form for, and one that has none.
    static let types: [UInt32] = [
        16, 18, 19, 20, 21, 23, 25, 114, 701, 1042, 1043, 1082, 1184, 1186, 1700, 2950, 3802,
        199, 1000, 1005, 1007, 1009, 1015, 1016, 1022, 1182, 1185, 1231, 2951, 3807,
    ]

    /// Texts and documents are passed on as PostgreSQL has checked them; everything else must be valid JSON.
    private static let passedOn: Set<UInt32> = [18, 19, 25, 114, 1042, 1043, 3802]

    private static func checkJSON(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType) {
        var writer = JSONWriter()
        guard JSONForm.write(bytes, of: type, into: &writer), !passedOn.contains(type.oid) else {
            return
        }
        if let array = BinaryArray(bytes), bytes.count > 12 {
            guard !passedOn.contains(array.element.oid) else { return }
        }
        let limits = JSONLimits(depth: 8, numberLength: 200_000)
        do throws(JSONError) {
            _ = try JSONValue(parsing: writer.bytes, limits: limits)
        } catch {
            // A numeric may exceed any double.
            require(
                error.reason == .numberOutOfRange, "type \(type.oid) is valid JSON, but \(error)")
        }
    }

    /// The text is the digits, group by group.
    private static func checkNumeric(_ bytes: UnsafeRawBufferPointer) {
        var text: [UInt8] = []
        guard Numeric.append(bytes, to: &text) else { return }
        let words = stride(from: 0, to: bytes.count, by: 2).map {
            Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int16.self))
        }
        let weight = Int(words[1])
        let scale = Int(words[3])
        func group(_ position: Int) -> String {
            let digits = words.dropFirst(4)
            let index = digits.startIndex + position
            let value = position >= 0 && index < digits.endIndex ? String(digits[index]) : "0"
            return String(repeating: "0", count: 4 - value.count) + value
        }
        let whole = weight < 0 ? "" : (0...weight).map(group).joined()
        let leading = whole.drop { $0 == "0" }
        let groups = (scale + 3) / 4
        let fraction = (0..<groups).map { group(weight + 1 + $0) }.joined().prefix(scale)
        let sign = words[2] == 0 ? "" : "-"
        let expected =
            sign + (leading.isEmpty ? "0" : leading) + (scale > 0 ? ".\(fraction)" : "")
        require(String(decoding: text, as: UTF8.self) == expected, "a numeric is its digits")
    }

    /// Accepted moments and days have a text, which reads back the same.
    private static func checkMoments(_ bytes: UnsafeRawBufferPointer) {
        if let moment = BinaryValue.timestamp(bytes) {
            require(Timestamp(moment.description) == moment, "a moment reads back the same")
            var writer = JSONWriter()
            writer.timestamp(moment)
            require(
                String(decoding: writer.bytes, as: UTF8.self) == "\"\(moment)\"",
                "a moment has one text")
        }
        if let day = BinaryValue.day(bytes) {
            require(Day(day.description) == day, "a day reads back the same")
            var writer = JSONWriter()
            writer.day(day)
            require(
                String(decoding: writer.bytes, as: UTF8.self) == "\"\(day)\"",
                "a day has one text")
        }
    }

    /// An array has no more elements than fit its bytes.
    private static func checkArray(_ bytes: UnsafeRawBufferPointer) {
        guard let array = BinaryArray(bytes) else { return }
        let (most, overflows) = array.dimensions.reduce((1, false)) { product, size in
            let (next, overflow) = product.0.multipliedReportingOverflow(by: size)
            return (next, product.1 || overflow)
        }
        require(
            !overflows && (array.dimensions.isEmpty || most * 4 <= bytes.count),
            "an array announces no more elements than there are")
    }
}
