import Values

/// A value of a result, of one of the common types.
package enum Cell {
    case null
    /// UTF-8, valid as long as the rows exist.
    case text(UnsafeRawBufferPointer)
    /// UTF-8, valid as long as the rows exist.
    case json(UnsafeRawBufferPointer)
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case uuid(UUID)
    case timestamp(Timestamp)
    case day(Day)
}

extension Rows {
    /// The value of a column, by position; fails for types that `Cell` does not cover.
    package func cell(row: Int, column: Int) throws(PostgresError) -> Cell {
        guard let bytes = bytes(row: checked(row), column: column) else { return .null }
        let type = columnSet.fields[column].type.oid
        let cell: Cell? =
            switch type {
            case 25, 1043, 1042, 19, 18: .text(bytes)
            case 114: .json(bytes)
            case 3802: .json(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
            case 16: bytes.first.map { .bool($0 != 0) }
            case 20, 21, 23: BinaryValue.integer(bytes).map { .integer($0) }
            case 701: BinaryValue.double(bytes).map { .double($0) }
            case 2950: UUID(bytes: bytes).map { .uuid($0) }
            case 1184: BinaryValue.timestamp(bytes).map { .timestamp($0) }
            case 1082: BinaryValue.day(bytes).map { .day($0) }
            default: nil
            }
        guard let cell else {
            throw .unexpected(column: columnSet.names[column], "of type \(type) cannot be a cell")
        }
        return cell
    }
}
