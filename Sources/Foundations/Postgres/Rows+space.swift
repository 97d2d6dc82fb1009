import CLibpq
import JSONBytes
import Values

/// The types whose values are written directly into the buffer, because nearly all columns have them.
enum DirectForm: UInt8 {
    case text, uuid, integer, double, timestamp, bool, json, day
    /// Arrays, `numeric` and the like.
    case none

    init(_ type: PostgresType) {
        self =
            switch type.oid {
            case 25, 1043, 1042, 19, 18: .text
            case 2950: .uuid
            case 20, 21, 23: .integer
            case 701: .double
            case 1184: .timestamp
            case 16: .bool
            case 114: .json
            case 1082: .day
            default: .none
            }
    }

    /// The most bytes of JSON that a value takes, apart from those that grow with its length.
    var fixedBound: Int {
        switch self {
        case .text: 6
        case .uuid: 38
        case .integer: 20
        case .double: 24
        case .timestamp: 26
        case .bool, .json: 5
        case .day: 12
        case .none: 4
        }
    }

    /// The most bytes of JSON that each of its bytes may become.
    var growth: Int {
        switch self {
        case .text: 6
        case .json: 1
        default: 0
        }
    }
}

extension Rows {
    /// Writes members of one row as long as they certainly fit and have a direct form. Returns the position of
    /// the first one not written.
    ///
    /// The loop uses only local variables because it runs for every value of every list.
    func putMembers(row: Int32, columns: Range<Int>, into space: inout JSONSpace) -> Int {
        let (result, fields) = (result, columnSet.fields)
        let end = space.cursor + space.left
        var cursor = space.cursor
        var needsComma = space.needsComma
        var column = columns.lowerBound
        while column < columns.upperBound {
            let field = fields[column]
            let number = Int32(truncatingIfNeeded: column)
            let length = Int(PQgetlength(result, row, number))
            guard cursor + (field.bound &+ length &* field.growth) <= end else { break }
            let start = cursor
            cursor += JSONText.copyKey(field.key, withComma: needsComma, to: cursor)
            if length == 0, PQgetisnull(result, row, number) != 0 {
                cursor += JSONText.copyNull(to: cursor)
            } else {
                let bytes = UnsafeRawBufferPointer(
                    start: PQgetvalue(result, row, number), count: length)
                let taken = field.direct.copy(bytes, days: &space.days, to: cursor)
                guard taken > 0 else {
                    cursor = start
                    break
                }
                cursor += taken
            }
            needsComma = true
            column += 1
        }
        space.cursor = cursor
        space.needsComma = needsComma
        return column
    }
}

extension DirectForm {
    /// Copies a value as JSON and returns its length; 0 if the bytes are not of the type.
    @inline(__always)
    fileprivate func copy(
        _ bytes: UnsafeRawBufferPointer, days: inout DayText, to cursor: JSONText.Cursor
    ) -> Int {
        switch self {
        case .text: return JSONText.copyText(bytes, to: cursor)
        case .uuid:
            guard let value = UUID(bytes: bytes) else { return 0 }
            return JSONText.copy(value, to: cursor)
        case .integer:
            guard let value = BinaryValue.integer(bytes) else { return 0 }
            return JSONText.copyDecimal(value, to: cursor)
        case .double:
            guard let value = BinaryValue.double(bytes) else { return 0 }
            return JSONText.copy(value, to: cursor)
        case .timestamp:
            guard let value = BinaryValue.timestamp(bytes) else { return 0 }
            return JSONText.copy(value, days: &days, to: cursor)
        case .bool:
            guard let byte = bytes.first else { return 0 }
            return JSONText.copy(byte != 0, to: cursor)
        case .json: return JSONText.copyCompact(bytes, to: cursor)
        case .day:
            guard let value = BinaryValue.day(bytes) else { return 0 }
            return JSONText.copy(value, to: cursor)
        case .none: return 0
        }
    }
}
