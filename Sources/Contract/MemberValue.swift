import JSONBytes
import Shapes
import Values

/// What a member of a record can be in Swift.
package protocol MemberValue: Sendable {
    /// What stands for a member that is null or left out; `nil` if there has to be one.
    static var absent: Self? { get }
    /// Whether JSON is such a value, with everything in it.
    static func accepts(_ json: JSONValue) -> Bool
    /// The value of JSON that was accepted.
    static func value(of json: JSONValue) -> Self?

    var json: JSONValue { get }
}

extension MemberValue {
    package static var absent: Self? { nil }
    package static func accepts(_ json: JSONValue) -> Bool { value(of: json) != nil }
}

/// A value whose type alone says what it looks like.
package protocol ShapedValue: MemberValue {
    static var shape: Shape { get }
}

extension String: MemberValue {
    package static func value(of json: JSONValue) -> String? { json.text }
    package var json: JSONValue { .text(self) }
}

extension Int: MemberValue {
    package static func value(of json: JSONValue) -> Int? { json.int64.map { Int($0) } }
    package var json: JSONValue { .number(JSONNumber(Int64(self))) }
}

extension Double: MemberValue {
    package static func value(of json: JSONValue) -> Double? { json.double }
    package var json: JSONValue { JSONValue(floatLiteral: self) }
}

extension Bool: ShapedValue {
    package static var shape: Shape { .boolean }
    package static func value(of json: JSONValue) -> Bool? { json.bool }
    package var json: JSONValue { .bool(self) }
}

extension Timestamp: ShapedValue {
    package static var shape: Shape { .timestamp }
    package static func value(of json: JSONValue) -> Timestamp? {
        json.text.flatMap { Timestamp($0) }
    }
    package var json: JSONValue { .text(description) }
}

extension Optional: MemberValue where Wrapped: MemberValue {
    package static var absent: Wrapped?? { .some(nil) }
    package static func accepts(_ json: JSONValue) -> Bool { json.isNull || Wrapped.accepts(json) }

    package static func value(of json: JSONValue) -> Wrapped?? {
        json.isNull ? .some(nil) : Wrapped.value(of: json).map { .some($0) }
    }

    package var json: JSONValue { map(\.json) ?? .null }
}

extension Optional: ShapedValue where Wrapped: ShapedValue {
    package static var shape: Shape { Wrapped.shape }
}

extension Array: MemberValue where Element: MemberValue {
    package static func accepts(_ json: JSONValue) -> Bool {
        json.array?.allSatisfy { Element.accepts($0) } ?? false
    }

    package static func value(of json: JSONValue) -> [Element]? {
        json.array?.compactMap { Element.value(of: $0) }
    }

    package var json: JSONValue { .array(map(\.json)) }
}

/// The words that a member can be.
package protocol Words: RawRepresentable<String>, CaseIterable, Sendable {}

/// A word of the API. Who reads takes words that it does not know, too: a newer server beside this one may have
/// stored them.
package struct Word<Known: Words>: ShapedValue, Equatable {
    package let text: String

    package init(_ known: Known) { text = known.rawValue }
    private init(text: String) { self.text = text }

    /// `nil` for a word of another version.
    package var known: Known? { Known(rawValue: text) }

    package static var shape: Shape { .word(Known.allCases.map(\.rawValue)) }
    package static func value(of json: JSONValue) -> Word? { json.text.map { Word(text: $0) } }
    package var json: JSONValue { .text(text) }

    package static func == (word: Word, known: Known) -> Bool { word.text == known.rawValue }
    package static func != (word: Word, known: Known) -> Bool { word.text != known.rawValue }
}

/// Whether there is a word, and it is this one.
package func == <Known: Words>(word: Word<Known>?, known: Known) -> Bool {
    word?.text == known.rawValue
}
