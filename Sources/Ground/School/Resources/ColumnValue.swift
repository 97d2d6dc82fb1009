import API
import JSONBytes
import Postgres
import Values

/// A type that a column of a resource can hold. It defines how the value is represented in JSON, in a row and in SQL.
package protocol ColumnValue: PostgresEncodable, Sendable {
    /// The name of the type in SQL.
    static var sqlType: Statement { get }
    /// Whether the value may be null in a row and absent in a body.
    static var isOptional: Bool { get }
    /// The shape in answers, if the type alone determines it; a text needs a shape of its own.
    static var shape: Shape? { get }
    /// For an id, the table that it refers to.
    static var referredTable: Statement? { get }
    /// Makes the value from a body of the right shape; an id is found by its reference instead.
    init?(json: JSONValue)
    init?(_ value: PostgresValue)
    static func read(_ row: Row, _ column: String) throws -> Self
}

extension ColumnValue {
    package static var isOptional: Bool { false }
    package static var referredTable: Statement? { nil }
}

extension String: ColumnValue {
    package static var sqlType: Statement { "text" }
    package static var shape: Shape? { nil }
    package init?(json: JSONValue) {
        guard let text = json.text else { return nil }
        self = text
    }
    package init?(_ value: PostgresValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
    package static func read(_ row: Row, _ column: String) throws -> Self { try row.text(column) }
}

extension Day: ColumnValue {
    package static var sqlType: Statement { "date" }
    package static var shape: Shape? { .day }
    package init?(json: JSONValue) {
        guard let day = json.text.flatMap({ Day($0) }) else { return nil }
        self = day
    }
    package init?(_ value: PostgresValue) {
        guard case .date(let day) = value else { return nil }
        self = day
    }
    package static func read(_ row: Row, _ column: String) throws -> Self { try row.day(column) }
}

extension Timestamp: ColumnValue {
    package static var sqlType: Statement { "timestamptz" }
    package static var shape: Shape? { .timestamp }
    package init?(json: JSONValue) {
        guard let time = json.text.flatMap({ Timestamp($0) }) else { return nil }
        self = time
    }
    package init?(_ value: PostgresValue) {
        guard case .timestamptz(let time) = value else { return nil }
        self = time
    }
    package static func read(_ row: Row, _ column: String) throws -> Self {
        try row.timestamp(column)
    }
}

extension Int: ColumnValue {
    package static var sqlType: Statement { "bigint" }
    package static var shape: Shape? { nil }
    package init?(json: JSONValue) {
        guard let number = json.int64 else { return nil }
        self = Int(number)
    }
    package init?(_ value: PostgresValue) {
        guard case .int8(let number) = value else { return nil }
        self = Int(number)
    }
    package static func read(_ row: Row, _ column: String) throws -> Self { try row.int(column) }
}

extension Bool: ColumnValue {
    package static var sqlType: Statement { "boolean" }
    package static var shape: Shape? { .boolean }
    package init?(json: JSONValue) {
        guard let flag = json.bool else { return nil }
        self = flag
    }
    package init?(_ value: PostgresValue) {
        guard case .bool(let flag) = value else { return nil }
        self = flag
    }
    package static func read(_ row: Row, _ column: String) throws -> Self { try row.bool(column) }
}

extension Array: ColumnValue where Element == String {
    package static var sqlType: Statement { "text[]" }
    package static var shape: Shape? { nil }
    package init?(json: JSONValue) {
        guard let texts = json.array?.compactMap(\.text) else { return nil }
        self = texts
    }
    package init?(_ value: PostgresValue) {
        guard case .array(of: .text, let elements) = value else { return nil }
        self = elements.compactMap { String($0) }
    }
    package static func read(_ row: Row, _ column: String) throws -> Self {
        try row.textArray(column)
    }
}

extension ID: ColumnValue where Entity: Referable {
    package static var sqlType: Statement { "uuid" }
    package static var shape: Shape? { .uuid }
    package static var referredTable: Statement? { Entity.table }
    package init?(json: JSONValue) { nil }
    package init?(_ value: PostgresValue) {
        guard case .uuid(let uuid) = value else { return nil }
        self.init(uuid)
    }
    package static func read(_ row: Row, _ column: String) throws -> Self {
        ID(try row.uuid(column))
    }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    package static var sqlType: Statement { Wrapped.sqlType }
    package static var isOptional: Bool { true }
    package static var shape: Shape? { Wrapped.shape }
    package static var referredTable: Statement? { Wrapped.referredTable }
    package init?(json: JSONValue) { self = Wrapped(json: json) }
    package init?(_ value: PostgresValue) { self = Wrapped(value) }
    package static func read(_ row: Row, _ column: String) throws -> Self {
        try row.isNull(column) ? nil : Wrapped.read(row, column)
    }
}
