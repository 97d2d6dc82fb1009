/// A JSON document (RFC 8259) in memory.
///
/// Two values are equal when their members are, in whatever order, and their number literals agree to the letter.
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case text(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The member of an object; `nil` when there is none, or this is no object.
    package subscript(key: String) -> JSONValue? { object?[key] }

    /// The element of an array; `nil` beyond its end, or when this is no array.
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

    /// The truth value; `nil` when this is anything else.
    package var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The text; `nil` when this is anything else.
    package var text: String? {
        guard case .text(let value) = self else { return nil }
        return value
    }

    /// The number; `nil` when this is anything else.
    package var number: JSONNumber? {
        guard case .number(let value) = self else { return nil }
        return value
    }

    /// The number if it is written without fraction and exponent and fits; `nil` otherwise.
    package var int64: Int64? { number?.int64 }

    /// The number as the nearest double; `nil` when this is no number.
    package var double: Double? { number?.double }

    /// The elements; `nil` when this is no array.
    package var array: [JSONValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The members; `nil` when this is no object.
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

    /// A number; infinity and not-a-number become `null`, since JSON cannot say them.
    package init(floatLiteral value: Double) {
        self = JSONNumber(value).map(JSONValue.number) ?? .null
    }

    /// An object; naming a key twice is a mistake of the programmer and stops the program.
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(JSONObject(members))
    }
}
