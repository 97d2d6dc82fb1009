import JSONBytes
import Values

/// The fields of an object whose shape has been checked.
///
/// Null occurs only where the shape allows it. Every accessor returns `nil` for null as well as for an absent field.
/// Reading a required field with `!` is safe because the shape has been checked.
package struct Fields: Sendable {
    package let object: JSONObject

    package init(_ object: JSONObject) {
        self.object = object
    }

    /// The value; `nil` if it is absent or null.
    package subscript(name: String) -> JSONValue? {
        guard let value = object[name], !value.isNull else { return nil }
        return value
    }

    /// Whether the body contains the field at all, even as null.
    package func has(_ name: String) -> Bool { object.has(name) }

    package func text(_ name: String) -> String? { self[name]?.text }
    package func integer(_ name: String) -> Int? { self[name]?.int64.map(Int.init) }
    package func number(_ name: String) -> Double? { self[name]?.double }
    package func boolean(_ name: String) -> Bool? { self[name]?.bool }
    package func timestamp(_ name: String) -> Timestamp? { text(name).flatMap { Timestamp($0) } }
    package func day(_ name: String) -> Day? { text(name).flatMap { Day($0) } }
    package func uuid(_ name: String) -> UUID? { text(name).flatMap { UUID($0) } }
    package func fields(_ name: String) -> Fields? { self[name]?.object.map { Fields($0) } }
    package func list(_ name: String) -> [JSONValue]? { self[name]?.array }
    package func texts(_ name: String) -> [String]? { list(name)?.compactMap(\.text) }
    package func objects(_ name: String) -> [Fields]? {
        list(name)?.compactMap { $0.object.map { Fields($0) } }
    }
}
