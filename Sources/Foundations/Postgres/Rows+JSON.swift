import JSONBytes
import Values

extension Rows {
    /// Writes one row as an object whose keys are the column names.
    ///
    /// Null becomes `null`, and moments become RFC 3339 in UTC with milliseconds. `numeric` keeps its exact
    /// digits; `json` and `jsonb` lose the blanks between their tokens. Fails for infinite moments,
    /// not-a-number in `numeric`, and types without a JSON form, which a statement has to cast.
    ///
    /// - Parameter columns: how many columns, from the first; all of them when `nil`.
    package func writeJSON(
        row: Int, columns: Int? = nil, into writer: inout JSONWriter
    ) throws(PostgresError) {
        let columns = 0..<shown(columns)
        var written = 0
        var isWhole = false
        writer.fill(atLeast: 2) { space in
            space.beginObject()
            written = putMembers(row: checked(row), columns: columns, into: &space)
            isWhole = written == columns.upperBound && space.left >= 1
            if isWhole { space.endObject() }
        }
        if isWhole { return }
        try writeMembers(row: row, columns: written..<columns.upperBound, into: &writer)
        writer.endObject()
    }

    /// Writes the members of one row into an object opened by the caller.
    package func writeMembers(
        row: Int, columns: Int? = nil, into writer: inout JSONWriter
    ) throws(PostgresError) {
        try writeMembers(row: row, columns: 0..<shown(columns), into: &writer)
    }

    /// Writes some members of one row into an object opened by the caller.
    ///
    /// - Parameter columns: their positions.
    package func writeMembers(
        row: Int, columns: Range<Int>, into writer: inout JSONWriter
    ) throws(PostgresError) {
        let row = checked(row)
        var column = columns.lowerBound
        while true {
            writer.fill(atLeast: 0) { space in
                column = putMembers(row: row, columns: column..<columns.upperBound, into: &space)
            }
            guard column < columns.upperBound else { return }
            // Values that are rare, large or wrong are written the slow way, one at a time.
            try writeMember(row: row, column: column, into: &writer)
            column += 1
        }
    }

    private func shown(_ columns: Int?) -> Int {
        let all = columnSet.fields.count
        return Swift.min(columns ?? all, all)
    }

    func checked(_ row: Int) -> Int32 {
        precondition((0..<count).contains(row), "there is no such row")
        return Int32(truncatingIfNeeded: row)
    }

    private func writeMember(
        row: Int32, column: Int, into writer: inout JSONWriter
    ) throws(PostgresError) {
        let field = columnSet.fields[column]
        writer.key(encoded: UnsafeRawBufferPointer(rebasing: field.key.dropFirst()))
        guard let bytes = bytes(row: row, column: column) else { return writer.null() }
        guard JSONForm.write(bytes, of: field.type, into: &writer) else {
            throw .unexpected(
                column: columnSet.names[column], "of type \(field.type.oid) has no JSON form")
        }
    }

    /// Writes all rows as an array of objects.
    package func writeJSONArray(into writer: inout JSONWriter) throws(PostgresError) {
        writer.beginArray()
        for row in 0..<count { try writeJSON(row: row, into: &writer) }
        writer.endArray()
    }
}

/// How PostgreSQL's values are written in JSON.
enum JSONForm {
    /// Writes a value; returns false if it has no JSON form.
    static func write(
        _ bytes: UnsafeRawBufferPointer, of type: PostgresType, into writer: inout JSONWriter
    ) -> Bool {
        switch type.oid {
        case 25, 1043, 1042, 19, 18: writer.text(utf8: bytes)
        case 2950: return write(UUID(bytes: bytes)) { writer.uuid($0) }
        case 16: return write(bytes.first) { writer.bool($0 != 0) }
        case 20, 21, 23: return write(BinaryValue.integer(bytes)) { writer.int($0) }
        case 701: return write(BinaryValue.double(bytes)) { writer.double($0) }
        case 1184: return write(BinaryValue.timestamp(bytes)) { writer.timestamp($0) }
        case 1082: return write(BinaryValue.day(bytes)) { writer.day($0) }
        case 114: writer.document(bytes)
        case 3802:
            guard bytes.first == 1 else { return false }
            writer.document(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
        case 1700:
            var text: [UInt8] = []
            guard Numeric.append(bytes, to: &text) else { return false }
            writer.raw(text)
        case 2278: writer.null()  // void
        default: return isArray(type) && writeArray(bytes, into: &writer)
        }
        return true
    }

    private static func isArray(_ type: PostgresType) -> Bool {
        switch type.oid {
        case 1000, 1005, 1007, 1016, 1009, 1015, 1022, 1182, 1185, 1231, 199, 2951, 3807: true
        default: false
        }
    }

    private static func write<Value>(_ value: Value?, with write: (Value) -> Void) -> Bool {
        guard let value else { return false }
        write(value)
        return true
    }

    private static func writeArray(
        _ bytes: UnsafeRawBufferPointer, into writer: inout JSONWriter
    ) -> Bool {
        // PostgreSQL has no arrays of arrays; following them could recurse as deep as there are bytes.
        guard var array = BinaryArray(bytes), !isArray(array.element) else { return false }
        guard !array.dimensions.isEmpty else {
            writer.beginArray()
            writer.endArray()
            return true
        }
        return writeLevel(0, of: &array, into: &writer)
    }

    private static func writeLevel(
        _ level: Int, of array: inout BinaryArray, into writer: inout JSONWriter
    ) -> Bool {
        writer.beginArray()
        for _ in 0..<array.dimensions[level] {
            if level + 1 < array.dimensions.count {
                guard writeLevel(level + 1, of: &array, into: &writer) else { return false }
                continue
            }
            guard let element = array.next() else { return false }
            if let element {
                guard write(element, of: array.element, into: &writer) else { return false }
            } else {
                writer.null()
            }
        }
        writer.endArray()
        return true
    }
}
