import Postgres

/// What a school's information system names by ids of its own, and where it lies.
package protocol Referable {
    static var table: Statement { get }
    static var key: Statement { get }
}

extension LocationEntity: Referable {
    package static var table: Statement { "school.location" }
    package static var key: Statement { "location_id" }
}

extension PersonEntity: Referable {
    package static var table: Statement { "school.person" }
    package static var key: Statement { "person_id" }
}

extension CourseEntity: Referable {
    package static var table: Statement { "school.course" }
    package static var key: Statement { "course_id" }
}

extension ClassEntity: Referable {
    package static var table: Statement { "school.class" }
    package static var key: Statement { "class_id" }
}

extension TermEntity: Referable {
    package static var table: Statement { "school.term" }
    package static var key: Statement { "term_id" }
}

extension Reference where Entity: Referable {
    /// The id as a value in a statement; null, which equals nothing, where the caller sees nothing that is called so.
    package func value(in organization: OrganizationID) -> Statement {
        switch self {
        case .id(let id): "\(id)"
        case .source(let source):
            """
            (select f.\(fragment: Entity.key) from \(fragment: Entity.table) as f
              where f.organization_id = \(organization) and f.source_id = \(source))
            """
        }
    }

    /// The condition that a row is the one that is called so.
    ///
    /// - Parameter row: the name of its table in the statement.
    package func names(_ row: Statement) -> Statement {
        switch self {
        case .id(let id): "\(fragment: row).\(fragment: Entity.key) = \(id)"
        case .source(let source): "\(fragment: row).source_id = \(source)"
        }
    }
}
