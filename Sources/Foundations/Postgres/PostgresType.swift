import CLibpq

/// A data type of PostgreSQL, by its object identifier.
package struct PostgresType: Hashable, Sendable {
    package let oid: UInt32

    package init(oid: UInt32) {
        self.oid = oid
    }

    package static let bool = PostgresType(oid: 16)
    package static let bytea = PostgresType(oid: 17)
    package static let int8 = PostgresType(oid: 20)
    package static let int2 = PostgresType(oid: 21)
    package static let int4 = PostgresType(oid: 23)
    package static let text = PostgresType(oid: 25)
    package static let float8 = PostgresType(oid: 701)
    package static let date = PostgresType(oid: 1082)
    package static let timestamptz = PostgresType(oid: 1184)
    package static let uuid = PostgresType(oid: 2950)
    package static let jsonb = PostgresType(oid: 3802)

    /// The array type of this one; only the types above have one here.
    package var array: PostgresType {
        let oid: UInt32 =
            switch self {
            case .bool: 1000
            case .bytea: 1001
            case .int8: 1016
            case .int2: 1005
            case .int4: 1007
            case .text: 1009
            case .float8: 1022
            case .date: 1182
            case .timestamptz: 1185
            case .uuid: 2951
            case .jsonb: 3807
            default: preconditionFailure("no array type is known for type \(self.oid)")
            }
        return PostgresType(oid: oid)
    }

    /// The name to write in SQL.
    var name: StaticString {
        switch self {
        case .bool: "bool"
        case .bytea: "bytea"
        case .int8: "int8"
        case .int2: "int2"
        case .int4: "int4"
        case .float8: "float8"
        case .date: "date"
        case .timestamptz: "timestamptz"
        case .uuid: "uuid"
        case .jsonb: "jsonb"
        default: "text"
        }
    }
}
