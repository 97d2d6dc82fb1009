import Postgres
import Values

/// An identifier typed by what it identifies.
package struct ID<Entity>: Hashable, Sendable {
    package let uuid: UUID

    package init(_ uuid: UUID) {
        self.uuid = uuid
    }
}

extension ID: PostgresScalar {
    package static var postgresType: PostgresType { UUID.postgresType }
    package var postgresValue: PostgresValue { uuid.postgresValue }
}

package enum OrganizationEntity {}
package enum LocationEntity: Referable { package static let table: Statement = "location" }
package enum PersonEntity: Referable { package static let table: Statement = "person" }
package enum CourseEntity: Referable { package static let table: Statement = "course" }
package enum ClassEntity: Referable { package static let table: Statement = "class" }
package enum TermEntity: Referable { package static let table: Statement = "term" }
package enum HandoutEntity {}
package enum TaskEntity {}
package enum ImportEntity {}
package enum ExportEntity {}
package enum ServiceAccountEntity: ResourceEntity {
    package static let table: Statement = "service_account"
}
package enum ConnectedSystemEntity: ResourceEntity {
    package static let table: Statement = "connected_system"
}

package typealias OrganizationID = ID<OrganizationEntity>
package typealias LocationID = ID<LocationEntity>
package typealias PersonID = ID<PersonEntity>
package typealias CourseID = ID<CourseEntity>
package typealias ClassID = ID<ClassEntity>
package typealias TermID = ID<TermEntity>
package typealias HandoutID = ID<HandoutEntity>
package typealias TaskID = ID<TaskEntity>
package typealias ImportID = ID<ImportEntity>
package typealias ExportID = ID<ExportEntity>
package typealias ServiceAccountID = ID<ServiceAccountEntity>
package typealias ConnectedSystemID = ID<ConnectedSystemEntity>

/// How a path or a body names a location, person, course, class or term: by Homeroom's id or by the school's own.
package enum Reference<Entity>: Hashable, Sendable {
    case id(ID<Entity>)
    /// The id in the school's information system, 1 to 255 printable characters.
    case source(String)

    /// Reads `source:ID` or a UUID; `nil` for anything else.
    package init?(_ text: String) {
        if text.hasPrefix("source:") {
            let source = String(text.dropFirst(7))
            guard SourceID.isValid(source) else { return nil }
            self = .source(source)
        } else if let uuid = UUID(text) {
            self = .id(ID(uuid))
        } else {
            return nil
        }
    }

    /// The UUID, if the reference is one. Bind both it and `source`, and let the statement choose.
    package var id: ID<Entity>? {
        if case .id(let id) = self { id } else { nil }
    }

    /// The id in the school's information system, if the reference is one.
    package var source: String? {
        if case .source(let source) = self { source } else { nil }
    }
}

/// Ids of the school's own information system.
package enum SourceID {
    /// 1 to 255 characters without control characters.
    package static func isValid(_ text: String) -> Bool {
        (1...255).contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy { !$0.isControl }
    }
}
