import API
import JSONBytes
import Postgres
import Values

/// What a call is about to write into one row of a resource: a value for each column, read from a body.
///
/// Ids that a body gives as references are null until `Resource.resolve` has found them.
package struct Draft<Entity: ResourceEntity>: Sendable {
    /// The id of the existing row, or of the one to be created.
    package let id: Entity.Key
    /// The body as sent; fields that are not columns are read from it.
    package let body: Fields
    /// The existing row as it was locked, with all columns; `nil` when creating one.
    package let present: Row?
    let columns: [any AnyColumn]
    private(set) var values: [PostgresValue]
    /// Ids that a rule has found, for later rules.
    package var related: [String: [UUID]] = [:]
    /// Columns that the service sets itself.
    private(set) var extras: [(name: Statement, value: PostgresValue)] = []

    /// Makes a draft from a `POST` or a `PUT`: an absent field is null.
    ///
    /// - Parameter source: the `sourceId` in the path, if it names the row by that. The body may repeat it.
    init(
        _ body: Fields, source: String? = nil, id: Entity.Key, present: Row?,
        columns: [any AnyColumn]
    ) throws {
        self.init(body, id, present, columns)
        values = columns.map { column in
            body[column.field.name].map(column.value) ?? column.null
        }
        guard let source else { return }
        if let sent = self[.sourceID], sent != source { throw Problem.sourceIDContradictsPath }
        self[.sourceID] = source
    }

    /// Applies a merge patch to the existing row: an absent field stays, and null resets it to its default (RFC 7396,
    /// at the top level).
    init(
        change: Fields, of id: Entity.Key, present: Row, columns: [any AnyColumn]
    ) throws {
        self.init(change, id, present, columns)
        values = try columns.map { column in
            guard change.has(column.field.name) else { return try column.value(in: present) }
            return change[column.field.name].map(column.value) ?? column.null
        }
    }

    private init(_ body: Fields, _ id: Entity.Key, _ present: Row?, _ columns: [any AnyColumn]) {
        self.body = body
        self.id = id
        self.present = present
        self.columns = columns
        values = []
    }

    /// An empty draft, for printing statements.
    init(empty id: Entity.Key, values: [PostgresValue], columns: [any AnyColumn]) {
        self.init(Fields(JSONObject()), id, nil, columns)
        self.values = values
    }

    /// The value of a column of the resource.
    package subscript<Value: ColumnValue>(_ column: Column<Value>) -> Value {
        get {
            guard let value = Value(values[position(of: column)]) else {
                preconditionFailure("\(column.label) is not resolved")
            }
            return value
        }
        set { values[position(of: column)] = newValue.postgresValue }
    }

    /// Sets a column that is not set by bodies.
    package mutating func set(_ column: StaticString, to value: some PostgresEncodable) {
        extras.append((Statement(stringLiteral: column), value.postgresValue))
    }

    package mutating func set(_ column: StaticString, to bytes: [UInt8]) {
        extras.append((Statement(stringLiteral: column), .bytea(bytes)))
    }

    /// Whether the draft would change one of the columns of the existing row.
    package func differs(in columns: [any AnyColumn]) throws -> Bool {
        guard let present else { return true }
        return try columns.contains { column in
            try column.value(in: present) != values[position(of: column)]
        }
    }

    private func position(of column: some AnyColumn) -> Int {
        guard let position = columns.firstIndex(where: { $0.field.name == column.field.name })
        else { preconditionFailure("the resource has no column \(column.field.name)") }
        return position
    }

    // MARK: References

    /// A reference in the body whose id is not known yet.
    struct Unresolved {
        /// The index of the column among those of the resource.
        let position: Int
        let table: Statement
        let reference: Reference<Never>
        let pointer: String
    }

    var unresolved: [Unresolved] {
        columns.enumerated().compactMap { position, column in
            guard let table = column.referredTable, let text = body.text(column.field.name),
                let reference = Reference<Never>(text)
            else { return nil }
            return Unresolved(
                position: position, table: table, reference: reference,
                pointer: "/\(column.field.name)")
        }
    }

    mutating func resolve(_ position: Int, to id: UUID) {
        values[position] = .uuid(id)
    }
}
