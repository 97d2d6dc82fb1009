import Postgres

/// What is kept in a table of its own, in rows with an `organization_id`, a key called like the table with `_id` behind it,
/// `created_at`, `updated_at` and `version`.
package protocol ResourceEntity: Sendable {
    static var table: Statement { get }
}

/// A resource that a school's information system may name by an id of its own, in the column `source_id`.
package protocol Referable: ResourceEntity {}

extension Reference where Entity: Referable {
    /// The id as a value in a statement; null, which equals nothing, where the caller sees nothing that is called so.
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

    /// The condition that a row is the one that is called so.
    ///
    /// - Parameter row: the name of its table in the statement.
    package func names(_ row: Statement) -> Statement {
        switch self {
        case .id(let id): "\(fragment: row).\(fragment: Entity.table)_id = \(id)"
        case .source(let source): "\(fragment: row).source_id = \(source)"
        }
    }
}
