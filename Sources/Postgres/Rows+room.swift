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
    func putMembers(row: Int32, columns: Range<Int>, into room: inout JSONRoom) -> Int {
        let (result, fields) = (result, columnSet.fields)
        let end = room.place + room.left
        var place = room.place
        var needsComma = room.needsComma
        var column = columns.lowerBound
        while column < columns.upperBound {
            let field = fields[column]
            let number = Int32(truncatingIfNeeded: column)
            let length = Int(PQgetlength(result, row, number))
            guard place + (field.bound &+ length &* field.growth) <= end else { break }
            let start = place
            place += JSONText.copyKey(field.key, withComma: needsComma, to: place)
            if length == 0, PQgetisnull(result, row, number) != 0 {
                place += JSONText.copyNull(to: place)
            } else {
                let bytes = UnsafeRawBufferPointer(
                    start: PQgetvalue(result, row, number), count: length)
                let taken = field.direct.copy(bytes, days: &room.days, to: place)
                guard taken > 0 else {
                    place = start
                    break
                }
                place += taken
            }
            needsComma = true
            column += 1
        }
        room.place = place
        room.needsComma = needsComma
        return column
    }
}

extension DirectForm {
    /// Copies a value as JSON and returns its length; 0 if the bytes are not of the type.
    @inline(__always)
    fileprivate func copy(
        _ bytes: UnsafeRawBufferPointer, days: inout DayText, to place: JSONText.Place
    ) -> Int {
        switch self {
        case .text: return JSONText.copyText(bytes, to: place)
        case .uuid:
            guard let value = UUID(bytes: bytes) else { return 0 }
            return JSONText.copy(value, to: place)
        case .integer:
            guard let value = BinaryValue.integer(bytes) else { return 0 }
            return JSONText.copyDecimal(value, to: place)
        case .double:
            guard let value = BinaryValue.double(bytes) else { return 0 }
            return JSONText.copy(value, to: place)
        case .timestamp:
            guard let value = BinaryValue.timestamp(bytes) else { return 0 }
            return JSONText.copy(value, days: &days, to: place)
        case .bool:
            guard let byte = bytes.first else { return 0 }
            return JSONText.copy(byte != 0, to: place)
        case .json: return JSONText.copyCompact(bytes, to: place)
        case .day:
            guard let value = BinaryValue.day(bytes) else { return 0 }
            return JSONText.copy(value, to: place)
        case .none: return 0
        }
    }
}
