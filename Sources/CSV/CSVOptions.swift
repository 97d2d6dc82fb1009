/// How a CSV file is read, and what it may ask of the reader.
package struct CSVOptions: Sendable {
    /// Which character stands between values.
    package enum Separator: Sendable {
        /// Whichever of comma and semicolon comes first in the first record.
        case detected
        case comma
        case semicolon
    }

    package var separator: Separator = .detected
    /// Whether a backslash escapes as Apple School Manager has it: before quotation marks anywhere, before
    /// line breaks and itself inside quoted values. RFC 4180 knows no such thing.
    package var backslashEscapes = true
    /// Whether a record must have as many values as the first one.
    package var requiresEqualCounts = true
    /// The longest value, in bytes.
    package var fieldLength = 64 * 1024
    /// The longest record, in bytes.
    package var recordLength = 1024 * 1024
    /// The most values of a record.
    package var fieldCount = 4096

    /// Apple's dialect, which reads RFC 4180 too as long as no value holds a backslash.
    package init() {}

    /// RFC 4180 to the letter, as OneRoster has it.
    package static var rfc4180: CSVOptions {
        var options = CSVOptions()
        options.separator = .comma
        options.backslashEscapes = false
        return options
    }
}
