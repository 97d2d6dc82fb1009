import API
import JSONBytes
import Postgres

/// A column of a resource that callers write, declared once: its name in the table, which in camel case is its name
/// in JSON; its type; and its shape.
///
///     Column<String>("name", .line())
///     Column<String?>("display_name", .line(), "What students see.")
///     Column<LocationID>("location_id")
///
/// An optional column may be left out of a body, and is null in answers then. An id is a reference in bodies
/// (Homeroom's id or `source:ID`) and a UUID in answers.
package struct Column<Value: ColumnValue>: AnyColumn {
    package let name: Statement
    package let field: Field
    /// The name for reading rows.
    let label: String
    private let alias: Statement?
    private var isAlwaysAnswered = false
    private var inherited: Statement?

    /// - Parameters:
    ///   - alias: the name in answers and bodies, if it is not that of the column: `revocable` for `is_revocable`.
    ///   - shape: what the type does not determine, such as how long a text or how large a number may be.
    ///   - meaning: a sentence for the API document, if the name does not say enough.
    package init(
        _ name: StaticString, as alias: StaticString? = nil, _ shape: Shape? = nil,
        _ meaning: String? = nil
    ) {
        self.name = Statement(stringLiteral: name)
        label = "\(alias ?? name)"
        self.alias = alias.map { Statement(stringLiteral: $0) }
        let sent = Value.referredTable == nil ? shape ?? Value.shape : .reference
        guard let sent else { preconditionFailure("\(name) needs a shape") }
        let member = camelCased(label)
        field =
            Value.isOptional
            ? .optional(member, sent, meaning) : .required(member, sent, meaning)
    }

    /// The value of this column in a row.
    package func read(_ row: Row) throws -> Value { try Value.read(row, label) }

    /// The column for which a rule has a value when a body has none, so that answers are never null.
    package var withDefault: Column {
        var column = self
        column.isAlwaysAnswered = true
        return column
    }

    /// The column whose null means a value that is set elsewhere: answers have that value.
    ///
    /// - Parameter expression: for the rows of a select, such as `(select school.my_name_order())`.
    package func inheriting(_ expression: Statement) -> Column {
        var column = withDefault
        column.inherited = expression
        return column
    }

    package func shown(from table: Statement) -> Statement {
        guard let inherited else { return selected(from: table) }
        return """
            coalesce(\(fragment: table).\(fragment: name), \(fragment: inherited)) as \(fragment: alias ?? name)
            """
    }

    package var answer: Field {
        if isAlwaysAnswered { return .required(field.name, field.shape, field.meaning) }
        guard Value.referredTable != nil else { return [field].answered[0] }
        return Value.isOptional ? .orNull(field.name, .uuid) : .required(field.name, .uuid)
    }
    package func selected(from table: Statement) -> Statement {
        let own: Statement = "\(fragment: table).\(fragment: name)"
        return alias.map { "\(fragment: own) as \(fragment: $0)" } ?? own
    }
    package var sqlType: Statement { Value.sqlType }
    package var referredTable: Statement? { Value.referredTable }
    package var null: PostgresValue { .null(Value.postgresType) }

    package func value(of json: JSONValue) -> PostgresValue {
        Value(json: json)?.postgresValue ?? null
    }

    package func value(in row: Row) throws -> PostgresValue {
        try Value.read(row, label).postgresValue
    }
}

extension Column where Value == String? {
    /// The id in the school's information system.
    package static var sourceID: Column {
        Column("source_id", .text(1...255), "The id in the school's information system.")
    }
}

/// A column of any type.
package protocol AnyColumn: Sendable {
    /// The name in the table.
    var name: Statement { get }
    /// What a `select` contains for it, with the name for reading rows.
    func selected(from table: Statement) -> Statement
    /// What a `select` for an answer contains for it.
    func shown(from table: Statement) -> Statement
    /// The field in a body.
    var field: Field { get }
    /// The field in an answer.
    var answer: Field { get }
    var sqlType: Statement { get }
    var referredTable: Statement? { get }
    var null: PostgresValue { get }
    func value(of json: JSONValue) -> PostgresValue
    func value(in row: Row) throws -> PostgresValue
}

/// A field of answers that no body sets: an expression over the row.
package struct Computed: Sendable {
    package let expression: Statement
    package let field: Field
    /// Whether lists leave it out.
    package let isAloneOnly: Bool
    /// Whether only lists have it, because it changes without the row, whose ETag would be wrong.
    package let isListedOnly: Bool

    /// A column that is not set by bodies.
    package init(_ column: StaticString, _ field: (String) -> Field) {
        expression = Statement(stringLiteral: column)
        self.field = field(camelCased("\(column)"))
        isAloneOnly = false
        isListedOnly = false
    }

    /// - Parameter expression: prefixes columns with the name of the table, and ends with `as NAME`.
    package init(
        _ expression: Statement, _ field: Field, isAloneOnly: Bool = false,
        isListedOnly: Bool = false
    ) {
        self.expression = expression
        self.field = field
        self.isAloneOnly = isAloneOnly
        self.isListedOnly = isListedOnly
    }
}
