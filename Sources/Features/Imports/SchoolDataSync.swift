import CSV
import Postgres

/// The CSV files of Microsoft's School Data Sync, version 2.1, and those of version 2, which has roles and grades in
/// its list of users.
///
/// Their files are called as OneRoster's, hold the same kinds of rows in other columns, and are read into the same
/// tables. `adopt_school_data_sync()` then turns their words into those of OneRoster. There is no manifest: the columns
/// tell the two formats apart.
enum SchoolDataSync {
    /// Files of the format that are not used and never stored.
    private static let unusedFiles = ["demographics.csv", "relationships.csv", "userFlags.csv"]

    /// The names of all files.
    static let fileNames = OneRosterFile.allCases.map(\.fileName) + unusedFiles

    /// Whether an archive with OneRoster's names is meant as this format.
    ///
    /// - Parameter header: the columns of a file in small letters; empty where there is no such file.
    static func isMeant(by header: (OneRosterFile) -> Set<String>) -> Bool {
        let (classes, roles, users) = (header(.classes), header(.roles), header(.users))
        if !classes.isEmpty {
            return classes.contains("orgsourcedid") && !classes.contains("schoolsourcedid")
        }
        if !roles.isEmpty { return !roles.contains("roletype") && !roles.contains("sourcedid") }
        return users.contains("grade") && !users.contains("enableduser")
    }

    /// A file as it is read.
    ///
    /// - Parameters:
    ///   - isThere: whether the archive has it; one that is not there says nothing about what is gone.
    ///   - hasRoles: whether roles have a file of their own.
    static func file(_ file: OneRosterFile, isThere: Bool, hasRoles: Bool) -> ImportFile {
        ImportFile(
            layout: layout(file, hasRoles: hasRoles), isWhole: isThere,
            kinds: kinds(file, hasRoles: hasRoles))
    }

    private static func kinds(_ file: OneRosterFile, hasRoles: Bool) -> [ImportFile.Kind] {
        switch file {
        case .academicSessions: [.term]
        case .orgs: [.location]
        case .users: hasRoles ? [.student, .staff] : [.student, .staff, .role]
        case .roles: [.role]
        case .courses: [.course]
        case .classes: [.schoolClass]
        case .enrollments: [.teaching, .seat]
        }
    }

    /// The columns of a file, the rules for their values, and where they go.
    static func layout(_ file: OneRosterFile, hasRoles: Bool) -> FileLayout {
        let all = columns(file, hasRoles: hasRoles)
        var layout = FileLayout(
            name: file.fileName, headerRule: .subset, columns: all, staged: staged(file),
            stagingTable: file.stagingTable)
        layout.options = .standard
        layout.use.needed = Set(all.filter(\.isRequired).map(\.name))
        layout.use.identity = ["sourcedId"]
        if file == .roles { layout.use.identity = ["userSourcedId"] }
        if file == .enrollments { layout.use.identity = ["classSourcedId", "userSourcedId"] }
        return layout
    }

    private static func columns(
        _ file: OneRosterFile, hasRoles: Bool
    ) -> [FileLayout.Column] {
        let id = FileLayout.Column.required("sourcedId", .sourcedID)
        return switch file {
        case .academicSessions:
            [
                id, .required("title", .label),
                .optional(
                    "type",
                    .kind(["gradingPeriod", "semester", "schoolYear", "term"], otherwise: "term")),
                .optional("schoolYear", .anything), .required("startDate", .americanDate),
                .required("endDate", .americanDate),
            ]
        case .orgs:
            [
                id, .required("name", .label), .optional("type", .anything),
                .optional("parentSourcedId", .sourcedID),
            ]
        case .users: hasRoles ? [id] + users : [id] + users + rolesOfUsers
        case .roles:
            [
                .required("userSourcedId", .sourcedID), .required("orgSourcedId", .sourcedID),
                .required("role", .label), .optional("sessionSourcedId", .anything),
                .optional("grade", .shortLabel), .optional("isPrimary", .anything),
                .optional("roleStartDate", .americanDate),
                .optional("roleEndDate", .americanDate),
            ]
        case .courses:
            [
                id, .required("orgSourcedId", .sourcedID), .optional("title"), .optional("code"),
                .optional("schoolYearSourcedId", .sourcedID), .optional("subject", .anything),
                .optional("grade", .anything),
            ]
        case .classes:
            [
                id, .required("orgSourcedId", .sourcedID), .required("title", .label),
                .optional("sessionSourcedIds", .sourcedIDs),
                .optional("courseSourcedId", .sourcedID),
            ]
        case .enrollments:
            [
                .required("classSourcedId", .sourcedID), .required("userSourcedId", .sourcedID),
                .required("role", .label),
            ]
        }
    }

    private static let users: [FileLayout.Column] = [
        .optional("username", .anything), .required("givenName", .label),
        .required("familyName", .label), .optional("password", .anything),
        .optional("activeDirectoryMatchId", .anything), .optional("email", .email),
        .optional("phone", .anything), .optional("sms", .anything),
    ]

    private static let rolesOfUsers: [FileLayout.Column] = [
        .required("orgSourcedIds", .sourcedIDs), .required("role", .label),
        .optional("grade", .shortLabel),
    ]

    /// The columns whose values are stored, and where.
    private static func staged(_ file: OneRosterFile) -> KeyValuePairs<String, Statement> {
        switch file {
        case .academicSessions:
            [
                "sourcedId": "source_id", "title": "title", "type": "kind",
                "startDate": "starts_on", "endDate": "ends_on",
            ]
        case .orgs:
            ["sourcedId": "source_id", "name": "name", "parentSourcedId": "parent_source_id"]
        case .users:
            [
                "sourcedId": "source_id", "givenName": "given_name", "familyName": "family_name",
                "email": "email", "orgSourcedIds": "org_source_ids", "role": "role",
                "grade": "grades",
            ]
        case .roles:
            [
                "userSourcedId": "person_source_id", "orgSourcedId": "org_source_id",
                "role": "role", "grade": "grade", "roleStartDate": "begins_on",
                "roleEndDate": "ends_on",
            ]
        case .courses:
            [
                "sourcedId": "source_id", "title": "title", "code": "code",
                "orgSourcedId": "org_source_id", "schoolYearSourcedId": "session_source_id",
            ]
        case .classes:
            [
                "sourcedId": "source_id", "title": "title", "orgSourcedId": "org_source_id",
                "sessionSourcedIds": "term_source_ids", "courseSourcedId": "course_source_id",
            ]
        case .enrollments:
            [
                "classSourcedId": "class_source_id", "userSourcedId": "person_source_id",
                "role": "role",
            ]
        }
    }
}
