import JSONBytes
import Shapes

/// An answer of the API that has what its record declares: `document.member` is the value, in its type.
@dynamicMemberLookup
package struct Document<R: Record>: ShapedValue, Answered, Equatable {
    let object: JSONObject

    fileprivate init(unchecked object: JSONObject) { self.object = object }

    /// `nil` for JSON in which something is missing that its readers rely on.
    package init?(_ json: JSONValue) {
        guard case .object(let object) = json, R.declaration.accepts(object) else { return nil }
        self.object = object
    }

    /// A document that is written here. What has no value becomes null, or is left out where the record says so.
    package init(_ write: (inout Writing<R>) -> Void) {
        var writing = Writing<R>(JSONObject())
        write(&writing)
        object = R.declaration.completed(writing.object)
    }

    package subscript<Value>(dynamicMember path: KeyPath<R, Member<Value>>) -> Value {
        let member = R.declaration.record[keyPath: path]
        guard let value = member.value(in: object) else {
            preconditionFailure("\(R.self).\(member.field.name) is read, but was never written")
        }
        return value
    }

    package subscript<Base>(dynamicMember path: KeyPath<R, Included<Base>>) -> Document<Base> {
        Document<Base>(unchecked: object)
    }

    package var json: JSONValue { .object(object) }
    package static var shape: Shape { R.declaration.shape }

    package static func accepts(_ json: JSONValue) -> Bool {
        guard case .object(let object) = json else { return false }
        return R.declaration.accepts(object)
    }

    package static func value(of json: JSONValue) -> Document? {
        json.object.map { Document(unchecked: $0) }
    }
}

/// A document while it is written.
@dynamicMemberLookup
package struct Writing<R: Record> {
    fileprivate(set) var object: JSONObject

    init(_ object: JSONObject) { self.object = object }

    /// Goes on with what is written already.
    package init(_ document: Document<R>) { object = document.object }

    package subscript<Value>(dynamicMember path: KeyPath<R, Member<Value>>) -> Value {
        get { Document<R>(unchecked: object)[dynamicMember: path] }
        set { object[R.declaration.record[keyPath: path].field.name] = newValue.json }
    }

    /// So that a word is written as `.known`.
    package subscript<Known>(dynamicMember path: KeyPath<R, Member<Word<Known>>>) -> Known? {
        get { Document<R>(unchecked: object)[dynamicMember: path].known }
        set {
            object[R.declaration.record[keyPath: path].field.name] = newValue.map {
                .text($0.rawValue)
            }
        }
    }

    package subscript<Known>(dynamicMember path: KeyPath<R, Member<Word<Known>?>>) -> Known? {
        get { Document<R>(unchecked: object)[dynamicMember: path].flatMap(\.known) }
        set {
            object[R.declaration.record[keyPath: path].field.name] = newValue.map {
                .text($0.rawValue)
            }
        }
    }

    package subscript<Base>(dynamicMember path: KeyPath<R, Included<Base>>) -> Writing<Base> {
        get { Writing<Base>(object) }
        set { object = newValue.object }
    }
}
