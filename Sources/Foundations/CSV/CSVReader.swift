/// Reads a CSV file record by record from any source of bytes.
package struct CSVReader {
    private var parser: CSVParser
    private let source: () throws -> [UInt8]?
    private var hasEnded = false

    /// Pulls pieces from `source` until it returns `nil`; errors of the source are thrown by `next()`.
    package init(
        options: CSVOptions = CSVOptions(), source: @escaping () throws -> [UInt8]?
    ) {
        parser = CSVParser(options: options)
        self.source = source
    }

    /// Reads a file from memory.
    package init(_ bytes: [UInt8], options: CSVOptions = CSVOptions()) {
        self.init(options: options, source: { nil })
        parser.feed(bytes)
    }

    /// The next record; `nil` after the last one. Throws `CSVError`, and whatever the source throws.
    ///
    /// After an error confined to its record, the next call continues.
    package mutating func next() throws -> CSVRecord? {
        while true {
            if let record = try parser.next() { return record }
            if hasEnded { return nil }
            if let bytes = try source() {
                parser.feed(bytes)
            } else {
                hasEnded = true
                parser.finish()
            }
        }
    }

    /// All records of a file in memory.
    package static func records(
        of bytes: [UInt8], options: CSVOptions = CSVOptions()
    ) throws -> [CSVRecord] {
        var reader = CSVReader(bytes, options: options)
        var records: [CSVRecord] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }
}
