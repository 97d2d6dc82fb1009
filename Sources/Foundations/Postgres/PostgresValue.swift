import Values

/// One bound parameter, with the type it is sent as.
package enum PostgresValue: Sendable, Equatable {
    case null(PostgresType)
    case bool(Bool)
    case int2(Int16)
    case int4(Int32)
    case int8(Int64)
    case float8(Double)
    case text(String)
    case bytea([UInt8])
    case uuid(UUID)
    case timestamptz(Timestamp)
    case date(Day)
    case jsonb([UInt8])
    /// One-dimensional; the elements are of that type or its null.
    case array(of: PostgresType, [PostgresValue])

    package var type: PostgresType {
        switch self {
        case .null(let type): type
        case .bool: .bool
        case .int2: .int2
        case .int4: .int4
        case .int8: .int8
        case .float8: .float8
        case .text: .text
        case .bytea: .bytea
        case .uuid: .uuid
        case .timestamptz: .timestamptz
        case .date: .date
        case .jsonb: .jsonb
        case .array(let element, _): element.array
        }
    }
}

/// What can be bound in a statement.
package protocol PostgresEncodable {
    /// The type that every value, and the null of an optional, is sent as.
    static var postgresType: PostgresType { get }
    var postgresValue: PostgresValue { get }
}

/// What can be bound alone or as an element of an array.
package protocol PostgresScalar: PostgresEncodable {}

/// A JSON document that is bound as `jsonb`; PostgreSQL validates it.
package struct JSONDocument: PostgresScalar, Sendable, Equatable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package static var postgresType: PostgresType { .jsonb }
    package var postgresValue: PostgresValue { .jsonb(bytes) }
}

extension Bool: PostgresScalar {
    package static var postgresType: PostgresType { .bool }
    package var postgresValue: PostgresValue { .bool(self) }
}

extension Int: PostgresScalar {
    package static var postgresType: PostgresType { .int8 }
    package var postgresValue: PostgresValue { .int8(Int64(self)) }
}

extension Int64: PostgresScalar {
    package static var postgresType: PostgresType { .int8 }
    package var postgresValue: PostgresValue { .int8(self) }
}

extension Int32: PostgresScalar {
    package static var postgresType: PostgresType { .int4 }
    package var postgresValue: PostgresValue { .int4(self) }
}

extension Int16: PostgresScalar {
    package static var postgresType: PostgresType { .int2 }
    package var postgresValue: PostgresValue { .int2(self) }
}

extension Double: PostgresScalar {
    package static var postgresType: PostgresType { .float8 }
    package var postgresValue: PostgresValue { .float8(self) }
}

extension String: PostgresScalar {
    package static var postgresType: PostgresType { .text }
    package var postgresValue: PostgresValue { .text(self) }
}

extension UUID: PostgresScalar {
    package static var postgresType: PostgresType { .uuid }
    package var postgresValue: PostgresValue { .uuid(self) }
}

extension Timestamp: PostgresScalar {
    package static var postgresType: PostgresType { .timestamptz }
    package var postgresValue: PostgresValue { .timestamptz(self) }
}

extension Day: PostgresScalar {
    package static var postgresType: PostgresType { .date }
    package var postgresValue: PostgresValue { .date(self) }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    package static var postgresType: PostgresType { Wrapped.postgresType }
    package var postgresValue: PostgresValue {
        map(\.postgresValue) ?? .null(Wrapped.postgresType)
    }
}

extension Optional: PostgresScalar where Wrapped: PostgresScalar {}

extension Array: PostgresEncodable where Element: PostgresScalar {
    package static var postgresType: PostgresType { Element.postgresType.array }
    package var postgresValue: PostgresValue {
        .array(of: Element.postgresType, map(\.postgresValue))
    }
}
