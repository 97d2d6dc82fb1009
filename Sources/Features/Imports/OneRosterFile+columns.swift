import Postgres

extension OneRosterFile {
    /// The columns after `sourcedId`, `status` and `dateLastModified`, in the order of the standard.
    func ownColumns(_ version: OneRosterVersion) -> [FileLayout.Column] {
        switch self {
        case .academicSessions:
            [
                .required("title", .label),
                .required(
                    "type",
                    .kind(["gradingPeriod", "semester", "schoolYear", "term"], otherwise: "term")),
                .required("startDate", .date), .required("endDate", .date),
                .optional("parentSourcedId", .sourcedID), .required("schoolYear", .year),
            ]
        case .orgs:
            [
                .required("name", .label), .required("type", .word(OneRosterFile.orgTypes)),
                .optional("identifier"), .optional("parentSourcedId", .sourcedID),
            ]
        case .users: version == .v1p1 ? usersOfFirstVersion : usersOfSecondVersion
        case .roles:
            [
                .required("userSourcedId", .sourcedID),
                .required("roleType", .word(["primary", "secondary"])),
                .required("role", .word(OneRosterFile.rolesOfSecondVersion)),
                .optional("beginDate", .date), .optional("endDate", .date),
                .required("orgSourcedId", .sourcedID), .optional("userProfileSourcedId", .anything),
            ]
        case .courses:
            [
                .optional("schoolYearSourcedId", .sourcedID), .required("title", .label),
                .optional("courseCode"), .optional("grades", .anything),
                .required("orgSourcedId", .sourcedID), .optional("subjects", .anything),
                .optional("subjectCodes", .anything),
            ]
        case .classes:
            [
                .required("title", .label), .optional("grades", .anything),
                .required("courseSourcedId", .sourcedID), .optional("classCode"),
                .required("classType", .word(["homeroom", "scheduled"])), .optional("location"),
                .required("schoolSourcedId", .sourcedID),
                .required("termSourcedIds", .sourcedIDs), .optional("subjects", .anything),
                .optional("subjectCodes", .anything), .optional("periods", .anything),
            ]
        case .enrollments:
            [
                .required("classSourcedId", .sourcedID), .required("schoolSourcedId", .sourcedID),
                .required("userSourcedId", .sourcedID),
                .required("role", .word(["administrator", "proctor", "student", "teacher"])),
                .optional("primary", .boolean), .optional("beginDate", .date),
                .optional("endDate", .date),
            ]
        }
    }

    /// The columns whose values are stored, and where.
    var staged: KeyValuePairs<String, Statement> {
        switch self {
        case .academicSessions:
            [
                "status": "status", "sourcedId": "source_id", "title": "title", "type": "kind",
                "startDate": "starts_on", "endDate": "ends_on",
                "parentSourcedId": "parent_source_id",
            ]
        case .orgs:
            [
                "status": "status", "sourcedId": "source_id", "name": "name",
                "parentSourcedId": "parent_source_id",
            ]
        case .users:
            [
                "status": "status", "sourcedId": "source_id", "enabledUser": "is_enabled",
                "orgSourcedIds": "org_source_ids", "role": "role", "givenName": "given_name",
                "middleName": "middle_name", "familyName": "family_name",
                "identifier": "person_number", "email": "email",
                "agentSourcedIds": "agent_source_ids", "grades": "grades",
            ]
        case .roles:
            [
                "status": "status", "sourcedId": "source_id", "userSourcedId": "person_source_id",
                "role": "role", "beginDate": "begins_on", "endDate": "ends_on",
                "orgSourcedId": "org_source_id",
            ]
        case .courses:
            [
                "status": "status", "sourcedId": "source_id", "title": "title",
                "courseCode": "code", "orgSourcedId": "org_source_id",
                "schoolYearSourcedId": "session_source_id",
            ]
        case .classes:
            [
                "status": "status", "sourcedId": "source_id", "title": "title",
                "courseSourcedId": "course_source_id", "classCode": "code", "location": "room",
                "schoolSourcedId": "org_source_id", "termSourcedIds": "term_source_ids",
            ]
        case .enrollments:
            [
                "status": "status", "sourcedId": "source_id", "classSourcedId": "class_source_id",
                "schoolSourcedId": "org_source_id", "userSourcedId": "person_source_id",
                "role": "role", "beginDate": "begins_on", "endDate": "ends_on",
            ]
        }
    }

    var stagingTable: Statement {
        switch self {
        case .academicSessions: "given_session"
        case .orgs: "given_org"
        case .users: "given_user"
        case .roles: "given_role"
        case .courses: "given_course"
        case .classes: "given_class"
        case .enrollments: "given_enrollment"
        }
    }

    private var usersOfFirstVersion: [FileLayout.Column] {
        [
            .required("enabledUser", .boolean), .required("orgSourcedIds", .sourcedIDs),
            .required("role", .word(OneRosterFile.rolesOfFirstVersion)),
            .required("username", .label), .optional("userIds", .anything),
            .required("givenName", .label), .required("familyName", .label),
            .optional("middleName"), .optional("identifier"), .optional("email", .email),
            .optional("sms", .anything), .optional("phone", .anything),
            .optional("agentSourcedIds", .anything), .optional("grades", .anything),
            .optional("password", .anything),
        ]
    }

    private var usersOfSecondVersion: [FileLayout.Column] {
        [
            .required("enabledUser", .boolean), .required("username", .label),
            .optional("userIds", .anything), .required("givenName", .label),
            .required("familyName", .label), .optional("middleName"), .optional("identifier"),
            .optional("email", .email), .optional("sms", .anything), .optional("phone", .anything),
            .optional("agentSourcedIds", .anything), .optional("grades", .anything),
            .optional("password", .anything), .optional("userMasterIdentifier", .anything),
            .optional("preferredGivenName", .anything),
            .optional("preferredMiddleName", .anything),
            .optional("preferredFamilyName", .anything),
            .optional("primaryOrgSourcedId", .anything), .optional("pronouns", .anything),
        ]
    }

    private static let orgTypes = [
        "department", "school", "district", "local", "state", "national",
    ]

    static let rolesOfFirstVersion = [
        "administrator", "aide", "guardian", "parent", "proctor", "relative", "student", "teacher",
    ]

    static let rolesOfSecondVersion = [
        "aide", "counselor", "districtAdministrator", "guardian", "parent", "principal", "proctor",
        "relative", "siteAdministrator", "student", "systemAdministrator", "teacher",
    ]
}
