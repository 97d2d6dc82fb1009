/// Appends records to a CSV file in memory.
package struct CSVWriter: Sendable {
    /// How values are quoted and how lines end.
    package struct Style: Sendable {
        package var separator: UInt8 = UInt8(ascii: ",")
        /// Whether lines end with a carriage return and a line feed.
        package var endsLinesWithReturn = false
        /// Whether quotation marks, line breaks and backslashes in quoted values are escaped with a backslash;
        /// otherwise quotation marks are doubled.
        package var escapesWithBackslash = false
        /// Whether values with a space are quoted.
        package var quotesSpaces = false
        /// Whether a text that a spreadsheet would run as a formula is prefixed with an apostrophe.
        package var disarmsFormulas = false
        /// Whether the file begins with a byte order mark, by which spreadsheets recognize UTF-8.
        package var beginsWithByteOrderMark = false

        package init() {}

        /// RFC 4180, except that lines end with a line feed alone.
        package static var plain: Style { Style() }

        /// The style of Apple School Manager's templates.
        package static var apple: Style {
            var style = Style()
            style.escapesWithBackslash = true
            style.quotesSpaces = true
            return style
        }

        /// For people who open the file in a spreadsheet.
        package static var spreadsheet: Style {
            var style = Style()
            style.endsLinesWithReturn = true
            style.disarmsFormulas = true
            style.beginsWithByteOrderMark = true
            return style
        }
    }

    /// What has been written since the last `take()`.
    package private(set) var bytes: [UInt8] = []
    private let style: Style
    private var fieldsInRecord = 0
    private var lengthOfRecord = 0

    package init(style: Style = .plain) {
        self.style = style
        if style.beginsWithByteOrderMark { bytes = [0xEF, 0xBB, 0xBF] }
    }

    /// Appends a value.
    package mutating func field(_ value: String) {
        var value = value
        value.withUTF8 { field(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Appends a value from UTF-8 in other memory; the caller guarantees its validity.
    package mutating func field(utf8 value: UnsafeRawBufferPointer) {
        separate()
        let isDisarmed = style.disarmsFormulas && CSVWriter.looksLikeFormula(value)
        lengthOfRecord += value.count
        if needsQuotes(value) {
            bytes.append(UInt8(ascii: "\""))
            if isDisarmed { bytes.append(UInt8(ascii: "'")) }
            appendEscaped(value)
            bytes.append(UInt8(ascii: "\""))
        } else {
            if isDisarmed { bytes.append(UInt8(ascii: "'")) }
            bytes.append(contentsOf: value)
        }
    }

    /// Appends an integer, which is not a formula even if it begins with a minus.
    package mutating func field(_ value: Int) {
        separate()
        lengthOfRecord += 1
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Appends the shortest decimal that reads back as the same number; not a formula either. Infinity and
    /// not-a-number become an empty value.
    package mutating func field(_ value: Double) {
        separate()
        guard value.isFinite else { return }
        lengthOfRecord += 1
        let whole = value.magnitude < 9e15 ? Int(exactly: value) : nil
        bytes.append(contentsOf: (whole.map(String.init) ?? value.description).utf8)
    }

    /// Ends the record. A record that is a single empty value is quoted, since readers skip blank lines.
    package mutating func endRecord() {
        if fieldsInRecord == 1, lengthOfRecord == 0 { bytes.append(contentsOf: "\"\"".utf8) }
        if style.endsLinesWithReturn { bytes.append(UInt8(ascii: "\r")) }
        bytes.append(UInt8(ascii: "\n"))
        fieldsInRecord = 0
        lengthOfRecord = 0
    }

    /// Appends a record of texts.
    package mutating func record(_ values: [String]) {
        for value in values { field(value) }
        endRecord()
    }

    /// Returns what has been written and continues after it.
    package mutating func take() -> [UInt8] {
        let taken = bytes
        bytes = []
        return taken
    }

    private mutating func separate() {
        if fieldsInRecord > 0 { bytes.append(style.separator) }
        fieldsInRecord += 1
    }

    private func needsQuotes(_ value: UnsafeRawBufferPointer) -> Bool {
        // A first byte 0xEF could be taken for a byte order mark.
        if value.first == 0xEF { return true }
        return value.contains { byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: ","),
                UInt8(ascii: ";"), UInt8(ascii: "\t"):
                true
            case UInt8(ascii: " "): style.quotesSpaces
            default: byte == style.separator
            }
        }
    }

    private mutating func appendEscaped(_ value: UnsafeRawBufferPointer) {
        for byte in value {
            switch byte {
            case UInt8(ascii: "\""):
                bytes.append(style.escapesWithBackslash ? UInt8(ascii: "\\") : byte)
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\\"):
                if style.escapesWithBackslash { bytes.append(UInt8(ascii: "\\")) }
            default: break
            }
            bytes.append(byte)
        }
    }

    /// Whether a spreadsheet would run the text.
    private static func looksLikeFormula(_ value: UnsafeRawBufferPointer) -> Bool {
        switch value.first {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"),
            UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
            true
        default: false
        }
    }
}
