import API
import Crypto
import Postgres
import Values

/// What names a row of a resource for good: a UUID that Homeroom makes, or a text that the client chooses.
package protocol ResourceKey: PostgresScalar, Hashable, Sendable {
    /// Reads a key in a path or a page token; `nil` if the text cannot be one.
    init?(text: String)
    /// - Parameter sent: the key in the body, if clients choose it.
    static func new(_ sent: String?) -> Self
    static func read(_ row: Row, _ column: String) throws -> Self
    /// As in paths and page tokens.
    var text: String { get }
}

extension ID: ResourceKey {
    package init?(text: String) {
        guard let uuid = UUID(text) else { return nil }
        self.init(uuid)
    }
    package static func new(_ sent: String?) -> Self { ID(.v7()) }
    package static func read(_ row: Row, _ column: String) throws -> Self {
        ID(try row.uuid(column))
    }
    package var text: String { uuid.description }
}

/// A key that clients choose, such as an app's id in the store.
package struct TextKey: ResourceKey {
    package let text: String

    package init(text: String) {
        self.text = text
    }
    package static func new(_ sent: String?) -> Self {
        guard let sent else { preconditionFailure("the shape of the body requires the key") }
        return TextKey(text: sent)
    }
    package static func read(_ row: Row, _ column: String) throws -> Self {
        TextKey(text: try row.text(column))
    }
    package static var postgresType: PostgresType { String.postgresType }
    package var postgresValue: PostgresValue { text.postgresValue }
}

/// How bodies contain a key that clients choose.
package struct ClientKey: Sendable {
    /// In the body of a `POST`. The path parameter has the same name.
    let field: Field
    /// In the body of a `PUT`, if that creates rows: the path already contains the key.
    let repeated: Field?

    /// - Parameter repeated: the field in the body of a `PUT`, if that creates rows. Without it, `PUT` only replaces,
    ///   and takes the body of a `POST`.
    package init(_ field: Field, repeated: Field? = nil) {
        self.field = field
        self.repeated = repeated
    }
}

/// How a call names a row: by its key, or by the id in the school's information system.
package enum RowName<Entity: ResourceEntity>: Sendable {
    case id(Entity.Key)
    case source(String)
}

extension RowName where Entity: Referable {
    package init(_ reference: Reference<Entity>) {
        self =
            switch reference {
            case .id(let id): .id(id)
            case .source(let source): .source(source)
            }
    }
}
