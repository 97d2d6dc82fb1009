import API
import JSONBytes
import Postgres
import Values

/// A value that PostgreSQL computes for a field.
struct RosterColumn: Sendable {
    /// Its name in the result.
    let name: StaticString
    let expression: Statement

    init(_ name: StaticString, _ expression: Statement) {
        self.name = name
        self.expression = expression
    }

    /// A column of the collection's table.
    init(_ name: StaticString) {
        self.init(name, "x.\(fragment: Statement(stringLiteral: name))")
    }

    /// As an entry of a select list.
    var selected: Statement {
        "\(fragment: expression) as \(fragment: Statement(stringLiteral: name))"
    }
}

/// What a reference leads to: the collection in its address, and the standard's word for the type.
struct ReferenceTarget: Sendable {
    let path: String
    let type: String
    var part = Part.rostering

    static let org = ReferenceTarget(path: "orgs", type: "org")
    static let session = ReferenceTarget(path: "academicSessions", type: "academicSession")
    static let course = ReferenceTarget(path: "courses", type: "course")
    static let `class` = ReferenceTarget(path: "classes", type: "class")
    static let user = ReferenceTarget(path: "users", type: "user")
    static let category = ReferenceTarget(path: "categories", type: "category", part: .gradebook)
    static let lineItem = ReferenceTarget(path: "lineItems", type: "lineItem", part: .gradebook)
    static let scale = ReferenceTarget(path: "scoreScales", type: "scoreScale", part: .gradebook)
}

/// A field of an object of the standard: how it is read, written, filtered and sorted.
struct RosterField: Sendable {
    /// What a filter compares.
    struct Term: Sendable {
        enum Kind: Sendable { case text, texts, timestamp, day, number }

        /// As filters and `sort` name it.
        let name: String
        let kind: Kind
        let expression: Statement
    }

    enum Value: Sendable {
        /// Absent where there is none.
        case text(RosterColumn)
        case word(RosterColumn, [String])
        case texts(RosterColumn)
        case timestamp(RosterColumn)
        case day(RosterColumn)
        case number(RosterColumn)
        /// As it was received: a list or an object.
        case document(RosterColumn, isList: Bool)
        case reference(RosterColumn, ReferenceTarget)
        case references(RosterColumn, ReferenceTarget)
        /// Of version 1.2, from a list of their names, kinds and orgs in turn; filters compare two other lists.
        case roles(RosterColumn, names: RosterColumn, orgs: RosterColumn)
    }

    let name: String
    let value: Value

    static func text(_ name: String, _ column: StaticString) -> RosterField {
        RosterField(name: name, value: .text(RosterColumn(column)))
    }

    static func reference(
        _ name: String, _ column: StaticString, _ target: ReferenceTarget
    ) -> RosterField {
        RosterField(name: name, value: .reference(RosterColumn(column), target))
    }

    static func references(
        _ name: String, _ column: StaticString, _ target: ReferenceTarget
    ) -> RosterField {
        RosterField(name: name, value: .references(RosterColumn(column), target))
    }

    /// What every object has.
    static let ofEveryObject: [RosterField] = [
        text("sourcedId", "sourced_id"),
        RosterField(
            name: "status", value: .word(RosterColumn("status"), ["active", "tobedeleted"])),
        RosterField(name: "dateLastModified", value: .timestamp(RosterColumn("changed_at"))),
    ]

    /// The column that it is read from.
    var column: RosterColumn {
        switch value {
        case .text(let column), .word(let column, _), .texts(let column), .timestamp(let column),
            .day(let column), .number(let column), .document(let column, _),
            .reference(let column, _), .references(let column, _), .roles(let column, _, _):
            column
        }
    }

    /// What filters may compare of it.
    var terms: [Term] {
        func term(_ name: String, _ kind: Term.Kind, _ column: RosterColumn) -> Term {
            Term(name: name, kind: kind, expression: column.expression)
        }
        return switch value {
        case .text(let column), .word(let column, _): [term(name, .text, column)]
        case .texts(let column): [term(name, .texts, column)]
        case .timestamp(let column): [term(name, .timestamp, column)]
        case .day(let column): [term(name, .day, column)]
        case .number(let column): [term(name, .number, column)]
        case .document: []
        case .reference(let column, _): [term("\(name).sourcedId", .text, column)]
        case .references(let column, _): [term("\(name).sourcedId", .texts, column)]
        case .roles(_, let names, let orgs):
            [
                term("role", .texts, names), term("\(name).role", .texts, names),
                term("\(name).org.sourcedId", .texts, orgs),
            ]
        }
    }
}
