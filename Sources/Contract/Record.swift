import JSONBytes
import Shapes

/// An object of the API, each member of which is declared once: features answer with it, pages read it, and tests make up
/// answers from it.
///
///     package struct ImportedSeat: Record {
///         package let change = Member<Word<RowChange>>("change")
///         package let `class` = Member<String?>("class", .line(), "The name of the class.")
///
///         package static let declaration = Declaration(Self())
///     }
///
/// A property has the name of its member, and a test compares them. Who reads writes `seat.change`.
package protocol Record: Sendable {
    static var declaration: Declaration<Self> { get }
}

/// What a record is: its name in the API document, and its members in their order.
///
/// The members are found by reflection, once, so that none can be declared and left out.
package final class Declaration<R: Record>: Sendable {
    package let record: R
    package let object: ObjectShape
    let parts: [any DeclaredPart]
    /// The names of the properties beside those of their members; what a record includes has none.
    package let names: [(property: String, member: String)]

    /// - Parameter name: by which the API document calls it; that of the type when absent.
    package init(_ record: R, as name: String = "\(R.self)") {
        let children = Mirror(reflecting: record).children
        let parts = children.compactMap { $0.value as? any DeclaredPart }
        precondition(
            parts.count == children.count, "\(name) has a property that is not a member")
        self.record = record
        self.parts = parts
        names = zip(children, parts).compactMap { child, part in
            part.name.map { (property: child.label ?? "", member: $0) }
        }
        object = ObjectShape(name, parts.flatMap(\.fields))
    }

    package var shape: Shape { .object(object) }

    /// Whether an object has what its readers rely on. More members than the known ones are not looked at: a document of
    /// our own has none, and tests say so.
    func accepts(_ object: JSONObject) -> Bool { parts.allSatisfy { $0.accepts(object) } }

    /// What was written in the order of the declaration, with null for what has no value.
    func completed(_ written: JSONObject) -> JSONObject {
        var members: [(String, JSONValue)] = []
        for part in parts { part.complete(written, into: &members) }
        return JSONObject(members)
    }
}

/// One property of a record: a member, or the members of another record.
package protocol DeclaredPart: Sendable {
    /// The name of a member; `nil` for what has several.
    var name: String? { get }
    var fields: [Field] { get }

    func accepts(_ object: JSONObject) -> Bool
    func complete(_ written: JSONObject, into members: inout [(String, JSONValue)])
}

/// The members of another record as a part of the same object.
package final class Included<Base: Record>: DeclaredPart {
    package init() {}

    package var name: String? { nil }
    package var fields: [Field] { Base.declaration.object.fields }

    package func accepts(_ object: JSONObject) -> Bool { Base.declaration.accepts(object) }

    package func complete(_ written: JSONObject, into members: inout [(String, JSONValue)]) {
        for part in Base.declaration.parts { part.complete(written, into: &members) }
    }
}
