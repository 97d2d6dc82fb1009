/// A JSON document (RFC 8259) in memory.
///
/// Two values are equal if their members are, in any order, and their number literals are identical.
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case text(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The member of an object; `nil` if there is none, or this is not an object.
    package subscript(key: String) -> JSONValue? { object?[key] }

    /// The element of an array; `nil` beyond its end, or if this is not an array.
    package subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else {
            return nil
        }
        return elements[index]
    }

    /// Whether this is the literal `null`.
    package var isNull: Bool {
        guard case .null = self else { return false }
        return true
    }

    /// The Boolean; `nil` if this is anything else.
    package var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The string; `nil` if this is anything else.
    package var text: String? {
        guard case .text(let value) = self else { return nil }
        return value
    }

    /// The number; `nil` if this is anything else.
    package var number: JSONNumber? {
        guard case .number(let value) = self else { return nil }
        return value
    }

    /// The number if it is written without fraction and exponent and fits; otherwise `nil`.
    package var int64: Int64? { number?.int64 }

    /// The number as the nearest double; `nil` if this is not a number.
    package var double: Double? { number?.double }

    /// The elements; `nil` if this is not an array.
    package var array: [JSONValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The members; `nil` if this is not an object.
    package var object: JSONObject? {
        guard case .object(let value) = self else { return nil }
        return value
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringInterpolation,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(nilLiteral: ()) { self = .null }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
    package init(stringLiteral value: String) { self = .text(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// A number; infinity and not-a-number become `null`, since JSON cannot express them.
    package init(floatLiteral value: Double) {
        self = JSONNumber(value).map(JSONValue.number) ?? .null
    }

    /// An object; a duplicate key is a programming error and stops the program.
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(JSONObject(members))
    }
}
