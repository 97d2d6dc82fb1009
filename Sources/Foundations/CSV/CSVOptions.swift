/// How a CSV file is read, and its limits.
package struct CSVOptions: Sendable {
    /// The character that separates values.
    package enum Separator: Sendable {
        /// Comma or semicolon, whichever comes first in the first record.
        case detected
        case comma
        case semicolon
        case tab
    }

    package var separator: Separator = .detected
    /// Whether a backslash escapes as in Apple School Manager: before quotation marks anywhere, and before line
    /// breaks and itself inside quoted values. RFC 4180 has no such escapes.
    package var backslashEscapes = true
    /// Whether a record must have as many values as the first one.
    package var requiresEqualCounts = true
    /// Whether what other programs write is read as far as it is certain: spaces beside quotation marks, quotation
    /// marks within a value, lines that end with a carriage return. A record of which that cannot be said is given with
    /// its `flaw` instead of ending the file.
    package var isLenient = false
    /// The line on which the text begins, where lines before it were taken off.
    package var firstLine = 1
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
