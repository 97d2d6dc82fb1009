import CLibpq
import Glibc
import JSONBytes

/// The columns of a result: equal for all results of one prepared statement, and so made once.
///
/// Immutable, so it may be passed to another thread.
final class Columns: @unchecked Sendable {
    /// What the JSON writer needs of a column, without a reference to count.
    struct Field {
        let type: PostgresType
        let direct: DirectForm
        /// The name as `JSONText.copyKey` takes it, within `keys`.
        let key: UnsafeRawBufferPointer
        /// The most bytes of JSON that a member takes with its key, and how many more for each byte of the value.
        let (bound, growth): (Int, Int)

        init(_ type: PostgresType, key: UnsafeRawBufferPointer) {
            self.type = type
            self.key = key
            direct = DirectForm(type)
            bound = key.count + direct.fixedBound
            growth = direct.growth
        }
    }

    let names: [String]
    /// The names as members of a JSON object.
    let members: [String]
    let types: [PostgresType]
    let fields: UnsafeBufferPointer<Field>
    private let keys: UnsafeMutableRawBufferPointer

    init(_ result: OpaquePointer) {
        let range = 0..<PQnfields(result)
        // The result that starts a COPY has columns without names.
        names = range.map { PQfname(result, $0).map { String(cString: $0) } ?? "" }
        types = range.map { PostgresType(oid: PQftype(result, $0)) }
        members = names.map(camelCased)
        let encoded = members.map(JSONWriter.memberKey)
        let length = encoded.reduce(0) { $0 + $1.count }
        keys = .allocate(byteCount: length + JSONSpace.slack, alignment: 1)
        keys.initializeMemory(as: UInt8.self, repeating: 0)
        keys.copyBytes(from: encoded.joined())
        let fields = UnsafeMutableBufferPointer<Field>.allocate(capacity: names.count)
        var start = 0
        for (position, key) in encoded.enumerated() {
            let range = start..<start + key.count
            let field = Field(types[position], key: UnsafeRawBufferPointer(rebasing: keys[range]))
            fields.initializeElement(at: position, to: field)
            start += key.count
        }
        self.fields = UnsafeBufferPointer(fields)
    }

    deinit {
        fields.deallocate()
        keys.deallocate()
    }
}

/// The name of a column as a member of a JSON object: `display_name` becomes `displayName`, and any other name stays
/// as it is.
package func camelCased(_ name: String) -> String {
    let words = name.split(separator: "_", omittingEmptySubsequences: false)
    return words.dropFirst().reduce(into: String(words.first ?? "")) { camel, word in
        camel += word.prefix(1).uppercased() + word.dropFirst()
    }
}

/// The rows that a statement returned, in the memory in which libpq received them.
///
/// Immutable, so it may be passed to another thread.
package final class Rows: RandomAccessCollection, @unchecked Sendable {
    let result: OpaquePointer
    let columnSet: Columns
    package let count: Int

    /// Takes over the result.
    init(result: OpaquePointer, columns: Columns? = nil) {
        self.result = result
        count = Int(PQntuples(result))
        if let columns, columns.names.count == Int(PQnfields(result)) {
            columnSet = columns
        } else {
            columnSet = Columns(result)
        }
    }

    deinit {
        PQclear(result)
    }

    /// The names of the columns in their order.
    package var columns: [String] { columnSet.names }

    /// The columns in their order, named as members of a JSON object.
    package var members: [String] { columnSet.members }

    /// How many rows the statement returned or changed.
    package var affected: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

    package var startIndex: Int { 0 }
    package var endIndex: Int { count }

    package subscript(position: Int) -> Row {
        precondition((0..<count).contains(position), "there is no such row")
        return Row(rows: self, index: Int32(position))
    }

    /// The position of a column.
    package func position(of column: String) throws(PostgresError) -> Int {
        guard let position = columnSet.names.firstIndex(of: column) else {
            throw .unexpected(column: column, "is not in the result")
        }
        return position
    }

    /// The first row of a range in which a column, by position, is not null; `nil` if it is null in all of them.
    package func first(with column: Int, in range: Range<Int>) -> Int? {
        range.first { bytes(row: Int32($0), column: column) != nil }
    }

    /// The first run of rows in a range with the same value in a column, byte for byte, skipping leading nulls;
    /// `nil` if the column is null in all rows.
    package func run(of column: Int, in range: Range<Int>) -> Range<Int>? {
        guard let start = first(with: column, in: range),
            let value = bytes(row: Int32(start), column: column)
        else { return nil }
        let end = (start + 1..<range.upperBound).first { row in
            guard let next = bytes(row: Int32(row), column: column) else { return true }
            return next.count != value.count
                || memcmp(next.baseAddress!, value.baseAddress!, value.count) != 0
        }
        return start..<(end ?? range.upperBound)
    }

    /// The bytes of a value; `nil` for null. Valid as long as this object exists.
    func bytes(row: Int32, column: Int) -> UnsafeRawBufferPointer? {
        let column = Int32(truncatingIfNeeded: column)
        let length = PQgetlength(result, row, column)
        if length == 0, PQgetisnull(result, row, column) != 0 { return nil }
        return UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: Int(length))
    }
}

/// One row of a result.
package struct Row: Sendable {
    package let rows: Rows
    let index: Int32
}
