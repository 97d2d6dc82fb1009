import JSONBytes
import Shapes

/// One member of a record. A class, so that who reads shares the declaration instead of copying it.
package final class Member<Value: MemberValue>: DeclaredPart {
    /// As the API document has it.
    let field: Field

    /// A member that every answer has; null if the value is optional and there is none.
    package init(_ name: String, _ shape: Shape, _ meaning: String? = nil) {
        field =
            Value.absent == nil
            ? .required(name, shape, meaning) : .orNull(name, shape, meaning)
    }

    /// A member that an answer leaves out where there is no value.
    package init<Wrapped: MemberValue>(
        leftOut name: String, _ shape: Shape, _ meaning: String? = nil
    ) where Value == Wrapped? {
        field = .optional(name, shape, meaning)
    }

    package var name: String? { field.name }
    package var fields: [Field] { [field] }

    /// The value in an object; `nil` if it is not there and has to be, or is of another kind.
    func value(in object: JSONObject) -> Value? {
        guard let value = object[field.name], !value.isNull else { return Value.absent }
        return Value.value(of: value)
    }

    package func accepts(_ object: JSONObject) -> Bool {
        guard let value = object[field.name], !value.isNull else { return Value.absent != nil }
        return Value.accepts(value)
    }

    package func complete(_ written: JSONObject, into members: inout [(String, JSONValue)]) {
        if let value = written[field.name] {
            members.append((field.name, value))
        } else if field.isRequired, field.shape.takesNull {
            members.append((field.name, .null))
        }
    }
}

extension Member where Value: ShapedValue {
    /// A member whose shape its type says.
    package convenience init(_ name: String, _ meaning: String? = nil) {
        self.init(name, Value.shape, meaning)
    }
}

extension Member {
    /// A list of what has a shape of its own.
    package convenience init<Element: ShapedValue>(
        _ name: String, count: ClosedRange<Int>, _ meaning: String? = nil
    ) where Value == [Element] {
        self.init(name, .array(Element.shape, count: count), meaning)
    }
}
