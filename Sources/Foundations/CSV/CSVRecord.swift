/// One record of a CSV file: its values, unescaped, and their positions in the file.
package struct CSVRecord: Sendable {
    /// The values one after the other, each followed by a comma, which keeps invalid UTF-8 at the end of one
    /// value from becoming valid together with the next.
    var bytes: [UInt8] = []
    var positions: [Position] = []
    /// Why the record cannot be trusted, if it was read with `CSVOptions.isLenient`.
    package internal(set) var flaw: CSVError?
    /// Whether quotation marks within a value were taken as text.
    package internal(set) var isMended = false

    /// Where a value began in the file, and where it ends in `bytes`.
    struct Position: Sendable {
        var end: Int
        let line: Int
        let column: Int
    }

    /// The number of values; at least one.
    package var count: Int { positions.count }

    /// Whether none of its values has any content.
    package var isEmpty: Bool { bytes.count == positions.count }

    /// The line on which it begins, counted from 1.
    package var line: Int { positions.first?.line ?? 0 }

    /// All values.
    package var fields: [String] { positions.indices.map { self[$0] } }

    /// One value.
    package subscript(index: Int) -> String {
        String(decoding: utf8(index), as: UTF8.self)
    }

    /// One value as valid UTF-8 without U+0000.
    package func utf8(_ index: Int) -> ArraySlice<UInt8> {
        bytes[(index == 0 ? 0 : positions[index - 1].end + 1)..<positions[index].end]
    }

    /// The line on which a value begins, counted from 1.
    package func line(of index: Int) -> Int { positions[index].line }

    /// The character in its line at which a value begins, counted from 1.
    package func column(of index: Int) -> Int { positions[index].column }

    /// The bytes of the value being read.
    var openLength: Int {
        bytes.count - (positions.count > 1 ? positions[positions.count - 2].end + 1 : 0)
    }

    /// The first value that is not valid UTF-8.
    var firstInvalid: Int? {
        positions.indices.first { String(validating: utf8($0), as: UTF8.self) == nil }
    }
}
