import Values

/// Typed access to the values of a row: `text("name")` for what is never null, `optionalText("name")` for what may be.
extension Row {
    package func isNull(_ column: String) throws(PostgresError) -> Bool {
        rows.bytes(row: index, column: try rows.position(of: column)) == nil
    }

    package func text(_ column: String) throws(PostgresError) -> String {
        try required(column, optionalText(column))
    }

    /// For text types, and the text of `json` and `jsonb`.
    package func optionalText(_ column: String) throws(PostgresError) -> String? {
        try value(column, of: 25, 1043, 1042, 19, 18, 114, 3802) { bytes, type in
            let skipped = type == .jsonb ? 1 : 0
            return String(decoding: bytes.dropFirst(skipped), as: UTF8.self)
        }
    }

    package func bool(_ column: String) throws(PostgresError) -> Bool {
        try required(column, optionalBool(column))
    }

    package func optionalBool(_ column: String) throws(PostgresError) -> Bool? {
        try value(column, of: 16) { bytes, _ in bytes.first.map { $0 != 0 } }
    }

    package func int(_ column: String) throws(PostgresError) -> Int {
        try required(column, optionalInt(column))
    }

    package func optionalInt(_ column: String) throws(PostgresError) -> Int? {
        try value(column, of: 20, 21, 23) { bytes, _ in BinaryValue.integer(bytes).map { Int($0) } }
    }

    package func double(_ column: String) throws(PostgresError) -> Double {
        try required(column, optionalDouble(column))
    }

    /// For `float4` and `float8`; use `optionalNumeric` for the exact text of a `numeric`.
    package func optionalDouble(_ column: String) throws(PostgresError) -> Double? {
        try value(column, of: 700, 701) { bytes, _ in BinaryValue.double(bytes) }
    }

    /// The exact decimal text of a `numeric`.
    package func optionalNumeric(_ column: String) throws(PostgresError) -> String? {
        try value(column, of: 1700) { bytes, _ in
            var text: [UInt8] = []
            guard Numeric.append(bytes, to: &text) else { return nil }
            return String(decoding: text, as: UTF8.self)
        }
    }

    package func uuid(_ column: String) throws(PostgresError) -> UUID {
        try required(column, optionalUUID(column))
    }

    package func optionalUUID(_ column: String) throws(PostgresError) -> UUID? {
        try value(column, of: 2950) { bytes, _ in UUID(bytes: bytes) }
    }

    package func timestamp(_ column: String) throws(PostgresError) -> Timestamp {
        try required(column, optionalTimestamp(column))
    }

    /// Infinity is an error: programs do not use it.
    package func optionalTimestamp(_ column: String) throws(PostgresError) -> Timestamp? {
        try value(column, of: 1184) { bytes, _ in BinaryValue.timestamp(bytes) }
    }

    package func day(_ column: String) throws(PostgresError) -> Day {
        try required(column, optionalDay(column))
    }

    package func optionalDay(_ column: String) throws(PostgresError) -> Day? {
        try value(column, of: 1082) { bytes, _ in BinaryValue.day(bytes) }
    }

    package func bytes(_ column: String) throws(PostgresError) -> [UInt8] {
        try required(column, optionalBytes(column))
    }

    /// For `bytea`, a text, and the raw bytes of `json` and `jsonb`.
    package func optionalBytes(_ column: String) throws(PostgresError) -> [UInt8]? {
        try value(column, of: 17, 25, 1043, 114, 3802) { bytes, type in
            Array(bytes.dropFirst(type == .jsonb ? 1 : 0))
        }
    }

    package func textArray(_ column: String) throws(PostgresError) -> [String] {
        try array(column, of: 1009, 1015) { String(decoding: $0, as: UTF8.self) }
    }

    package func uuidArray(_ column: String) throws(PostgresError) -> [UUID] {
        try array(column, of: 2951) { UUID(bytes: $0) }
    }

    package func intArray(_ column: String) throws(PostgresError) -> [Int] {
        try array(column, of: 1005, 1007, 1016) { BinaryValue.integer($0).map { Int($0) } }
    }

    // MARK: Implementation

    private func required<Value>(_ column: String, _ value: Value?) throws(PostgresError) -> Value {
        guard let value else { throw .unexpected(column: column, "is null") }
        return value
    }

    private func value<Value>(
        _ column: String, of types: UInt32...,
        decode: (UnsafeRawBufferPointer, PostgresType) -> Value?
    ) throws(PostgresError) -> Value? {
        let position = try rows.position(of: column)
        let type = rows.columnSet.types[position]
        guard types.contains(type.oid) else {
            throw .unexpected(column: column, "is of the type with the identifier \(type.oid)")
        }
        guard let bytes = rows.bytes(row: index, column: position) else { return nil }
        guard let value = decode(bytes, type) else {
            throw .unexpected(column: column, "holds a value that has no counterpart")
        }
        return value
    }

    /// The elements of a one-dimensional array without nulls; a null array gives an empty one.
    private func array<Element>(
        _ column: String, of types: UInt32..., decode: (UnsafeRawBufferPointer) -> Element?
    ) throws(PostgresError) -> [Element] {
        let position = try rows.position(of: column)
        guard types.contains(rows.columnSet.types[position].oid) else {
            throw .unexpected(column: column, "is not such an array")
        }
        guard let bytes = rows.bytes(row: index, column: position) else { return [] }
        guard var array = BinaryArray(bytes), array.dimensions.count < 2 else {
            throw .unexpected(column: column, "is not an array of one dimension")
        }
        var elements: [Element] = []
        for _ in 0..<(array.dimensions.first ?? 0) {
            guard case .some(.some(let bytes)) = array.next(), let element = decode(bytes) else {
                throw .unexpected(column: column, "has an element that is null or broken")
            }
            elements.append(element)
        }
        return elements
    }
}
