/// The capacity in which a request runs: the roles that a person holds, the roles of service accounts, and an app.
///
/// PostgreSQL has one role for each (`SQL/roles.sql`), and a request runs under exactly one of them.
package enum Standing: String, Sendable, CaseIterable {
    case administrator
    case siteManager
    case peopleManager
    case contentManager
    case manager
    case teacher
    case staff
    case student
    case provisioner
    case exporter
    /// Another system of the school that reads the roster.
    case rosterReader
    /// An identity provider that writes people and classes.
    case directoryWriter
    /// Another system in which students work, and which reports their scores (LTI).
    case tool
    case developer
    /// An app that someone signed in to; it never learns whether that is a teacher or a student.
    case app

    /// The PostgreSQL role, such as `school_site_manager`.
    package var databaseRole: String {
        switch self {
        case .siteManager: "school_site_manager"
        case .peopleManager: "school_people_manager"
        case .contentManager: "school_content_manager"
        case .rosterReader: "school_roster_reader"
        case .directoryWriter: "school_directory_writer"
        default: "school_\(rawValue)"
        }
    }

    /// Whether a person holds it at a location, unlike service accounts, developers and apps.
    package var isRoleOfPeople: Bool { Standing.rolesOfPeople.contains(self) }

    package static let rolesOfPeople: [Standing] = [
        .administrator, .siteManager, .peopleManager, .contentManager, .manager, .teacher, .staff,
        .student,
    ]

    /// The standings of service accounts.
    package static let rolesOfServices: [Standing] = [
        .provisioner, .exporter, .rosterReader, .directoryWriter,
    ]

    /// The standings that run the directory.
    package static let directoryManagers: [Standing] = [
        .administrator, .siteManager, .peopleManager, .provisioner,
    ]

    /// The standings that read the whole directory.
    package static let directoryReaders: [Standing] =
        directoryManagers + [.manager, .contentManager]
}

extension Standing {
    /// Whether this standing may give and take a role; SQL's `may_give_role` refuses the same.
    package func mayManage(_ role: String) -> Bool {
        switch self {
        case .administrator: true
        case .siteManager, .peopleManager: role != Standing.administrator.rawValue
        case .provisioner, .directoryWriter, .manager:
            ["staff", "teacher", "student"].contains(role)
        default: false
        }
    }
}

/// The environment of contexts, handouts, activities and tokens; nothing crosses.
package enum Environment: String, Sendable, CaseIterable {
    case development
    case production
}
