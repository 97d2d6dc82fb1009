/// One record of a CSV file: its values, unescaped, and their positions in the file.
package struct CSVRecord: Sendable {
    /// The values one after the other, each followed by a comma, which keeps invalid UTF-8 at the end of one
    /// value from becoming valid together with the next.
    var bytes: [UInt8] = []
    var places: [Place] = []

    /// Where a value began in the file, and where it ends in `bytes`.
    struct Place: Sendable {
        var end: Int
        let line: Int
        let column: Int
    }

    /// The number of values; at least one.
    package var count: Int { places.count }

    /// The line on which it begins, counted from 1.
    package var line: Int { places.first?.line ?? 0 }

    /// All values.
    package var fields: [String] { places.indices.map { self[$0] } }

    /// One value.
    package subscript(index: Int) -> String {
        String(decoding: utf8(index), as: UTF8.self)
    }

    /// One value as valid UTF-8 without U+0000.
    package func utf8(_ index: Int) -> ArraySlice<UInt8> {
        bytes[(index == 0 ? 0 : places[index - 1].end + 1)..<places[index].end]
    }

    /// The line on which a value begins, counted from 1.
    package func line(of index: Int) -> Int { places[index].line }

    /// The character in its line at which a value begins, counted from 1.
    package func column(of index: Int) -> Int { places[index].column }

    /// The bytes of the value being read.
    var openLength: Int { bytes.count - (places.count > 1 ? places[places.count - 2].end + 1 : 0) }

    /// The first value that is not valid UTF-8.
    var firstInvalid: Int? {
        places.indices.first { String(validating: utf8($0), as: UTF8.self) == nil }
    }
}
