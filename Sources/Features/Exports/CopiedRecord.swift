import Glibc

/// A row as PostgreSQL copies it for both formats: a JSON object as the first CSV field, followed by the columns.
///
/// Reused, so that a row needs no memory of its own.
struct CopiedRecord {
    /// The row as JSON, with a line feed at its end; empty for the header.
    private(set) var json: [UInt8] = []

    /// Takes the JSON out of a record and returns what follows it: the unchanged record of the CSV file.
    ///
    /// In CSV an object begins with a quotation mark because it contains some, which are doubled. A record that does
    /// not begin with one is the header, whose first field is a plain word.
    mutating func read(
        _ record: UnsafeRawBufferPointer
    ) throws(ExportError) -> UnsafeRawBufferPointer {
        json.removeAll(keepingCapacity: true)
        guard record.first == CopiedRecord.quote else {
            return try rest(
                of: record, from: CopiedRecord.index(of: .init(ascii: ","), in: record, from: 0))
        }
        var position = 1
        while let mark = CopiedRecord.index(of: CopiedRecord.quote, in: record, from: position) {
            let isDoubled = mark + 1 < record.count && record[mark + 1] == CopiedRecord.quote
            json.append(contentsOf: record[position..<(isDoubled ? mark + 1 : mark)])
            guard isDoubled else {
                json.append(UInt8(ascii: "\n"))
                return try rest(of: record, from: mark + 1)
            }
            position = mark + 2
        }
        throw .unreadableRow
    }

    private static let quote = UInt8(ascii: "\"")

    private static func index(
        of byte: UInt8, in record: UnsafeRawBufferPointer, from start: Int
    ) -> Int? {
        guard start < record.count, let base = record.baseAddress,
            let found = memchr(base + start, Int32(byte), record.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// What follows a comma.
    private func rest(
        of record: UnsafeRawBufferPointer, from comma: Int?
    ) throws(ExportError) -> UnsafeRawBufferPointer {
        guard let comma, comma < record.count, record[comma] == UInt8(ascii: ",") else {
            throw .unreadableRow
        }
        return UnsafeRawBufferPointer(rebasing: record[(comma + 1)...])
    }
}
