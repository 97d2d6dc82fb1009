import CSV

/// How the records of a collection become rows of the file of the same name, with exactly the columns that the importer
/// expects there. What it would not use, such as phone numbers, is left out.
struct RosterTable {
    /// Where the value of a column comes from.
    private enum Source {
        case id, empty
        case text(String)
        case flag(String)
        case day(String)
        case reference(String)
        case references(String)
        case list(String)
        /// Of a user in version 1.1, where some providers have the roles of version 1.2.
        case mainRole, placesOfRoles
    }

    let collection: OneRosterFile
    let header: [String]
    private let sources: [Source]

    init(_ collection: OneRosterFile, _ version: OneRosterVersion) {
        self.collection = collection
        header = collection.layout(version, .bulk).columns.map(\.name)
        sources = header.map { Self.source(of: $0, in: collection) }
    }

    func append(_ record: RosterRecord, to file: inout CSVWriter) throws {
        for source in sources { file.field(try value(source, record)) }
        file.endRecord()
    }

    private func value(_ source: Source, _ record: RosterRecord) throws -> String {
        switch source {
        case .id: record.id
        case .empty: ""
        case .text(let name): try record.text(name)
        case .flag(let name): try record.text(name).lowercased()
        case .day(let name): try record.day(name)
        case .reference(let name): try record.reference(name)
        case .references(let name): try record.references(name)
        case .list(let name): try record.list(name)
        case .mainRole: try mainRole(of: record)
        case .placesOfRoles: try places(of: record)
        }
    }

    private func mainRole(of user: RosterRecord) throws -> String {
        guard !user.has("role") else { return try user.text("role") }
        let roles = try user.inner("roles")
        let main = try roles.first { try $0.text("roleType") == "primary" } ?? roles.first
        switch try main?.text("role") ?? "" {
        case "districtAdministrator", "siteAdministrator", "systemAdministrator", "principal":
            return "administrator"
        case "counselor": return "aide"
        case let role: return role
        }
    }

    private func places(of user: RosterRecord) throws -> String {
        guard !user.has("orgs") else { return try user.references("orgs") }
        var ids: [String] = []
        var known: Set<String> = []
        for role in try user.inner("roles") {
            let id = try role.reference("org")
            if !id.isEmpty, known.insert(id).inserted { ids.append(id) }
        }
        return ids.joined(separator: ",")
    }

    private static func source(of column: String, in collection: OneRosterFile) -> Source {
        switch (collection, column) {
        case (_, "sourcedId"): .id
        case (_, "parentSourcedId"): .reference("parent")
        case (.academicSessions, "startDate"), (.academicSessions, "endDate"),
            (.enrollments, "beginDate"), (.enrollments, "endDate"):
            .day(column)
        case (.academicSessions, "title"), (.academicSessions, "type"),
            (.academicSessions, "schoolYear"), (.orgs, "name"), (.orgs, "type"),
            (.orgs, "identifier"), (.courses, "title"), (.courses, "courseCode"),
            (.classes, "title"), (.classes, "classCode"), (.classes, "classType"),
            (.classes, "location"), (.enrollments, "role"):
            .text(column)
        case (.users, "username"), (.users, "givenName"), (.users, "familyName"),
            (.users, "middleName"), (.users, "identifier"), (.users, "email"):
            .text(column)
        case (.users, "enabledUser"), (.enrollments, "primary"): .flag(column)
        case (.users, "agentSourcedIds"): .references("agents")
        case (.users, "grades"): .list("grades")
        case (.users, "role"): .mainRole
        case (.users, "orgSourcedIds"): .placesOfRoles
        case (.courses, "schoolYearSourcedId"): .reference("schoolYear")
        case (.courses, "orgSourcedId"): .reference("org")
        case (.classes, "courseSourcedId"): .reference("course")
        case (.classes, "schoolSourcedId"), (.enrollments, "schoolSourcedId"):
            .reference("school")
        case (.classes, "termSourcedIds"): .references("terms")
        case (.enrollments, "classSourcedId"): .reference("class")
        case (.enrollments, "userSourcedId"): .reference("user")
        default: .empty
        }
    }
}
