import Postgres

/// An entity with a table of its own, whose rows have an `organization_id`, a key, `created_at`, `updated_at` and
/// `version`.
package protocol ResourceEntity: Sendable {
    associatedtype Key: ResourceKey = ID<Self>
    static var table: Statement { get }
    /// The column of the key; by default, it is named like the table with the suffix `_id`.
    static var key: Statement { get }
}

extension ResourceEntity {
    package static var key: Statement { "\(fragment: table)_id" }
}

/// A resource that a school's information system may name by its own id, in the column `source_id`.
package protocol Referable: ResourceEntity where Key == ID<Self> {}

extension Reference where Entity: Referable {
    /// The id as a value in a statement; null, which equals nothing, if the caller sees no such row.
    package func value(in organization: OrganizationID) -> Statement {
        switch self {
        case .id(let id): "\(id)"
        case .source(let source):
            """
            (select f.\(fragment: Entity.table)_id from school.\(fragment: Entity.table) as f
              where f.organization_id = \(organization) and f.source_id = \(source))
            """
        }
    }

    /// The condition that a row is the one this reference names.
    ///
    /// - Parameter row: the name of its table in the statement.
    package func names(_ row: Statement) -> Statement {
        switch self {
        case .id(let id): "\(fragment: row).\(fragment: Entity.table)_id = \(id)"
        case .source(let source): "\(fragment: row).source_id = \(source)"
        }
    }
}
