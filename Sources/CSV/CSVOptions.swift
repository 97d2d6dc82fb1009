/// How a CSV file is read, and its limits.
package struct CSVOptions: Sendable {
    /// The character that separates values.
    package enum Separator: Sendable {
        /// Comma or semicolon, whichever comes first in the first record.
        case detected
        case comma
        case semicolon
    }

    package var separator: Separator = .detected
    /// Whether a backslash escapes as in Apple School Manager: before quotation marks anywhere, and before line
    /// breaks and itself inside quoted values. RFC 4180 has no such escapes.
    package var backslashEscapes = true
    /// Whether a record must have as many values as the first one.
    package var requiresEqualCounts = true
    /// The longest value, in bytes.
    package var fieldLength = 64 * 1024
    /// The longest record, in bytes.
    package var recordLength = 1024 * 1024
    /// The maximum number of values in a record.
    package var fieldCount = 4096

    /// Apple's dialect, which also reads RFC 4180 as long as values contain no backslash.
    package init() {}

    /// RFC 4180 to the letter, as OneRoster requires.
    package static var rfc4180: CSVOptions {
        var options = CSVOptions()
        options.separator = .comma
        options.backslashEscapes = false
        return options
    }
}
