import Postgres

/// What a school's information system names by ids of its own.
package protocol Referable {
    /// The table in which it lies, whose key is called the same with `_id` behind it.
    static var table: Statement { get }
}

extension LocationEntity: Referable { package static var table: Statement { "location" } }
extension PersonEntity: Referable { package static var table: Statement { "person" } }
extension CourseEntity: Referable { package static var table: Statement { "course" } }
extension ClassEntity: Referable { package static var table: Statement { "class" } }
extension TermEntity: Referable { package static var table: Statement { "term" } }

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
