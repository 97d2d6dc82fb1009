extension OneRosterFile {
    /// The columns behind `sourcedId`, `status` and `dateLastModified`, in the order of the standard.
    func ownColumns(_ version: OneRosterVersion) -> [FileLayout.Column] {
        switch self {
        case .academicSessions:
            [
                .required("title", .label),
                .required("type", .word(["gradingPeriod", "semester", "schoolYear", "term"])),
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

    /// The columns whose values are kept behind status and id, in the order of the staging table.
    var staged: [String] {
        switch self {
        case .academicSessions: ["title", "type", "startDate", "endDate", "parentSourcedId"]
        case .orgs: ["name", "parentSourcedId"]
        case .users:
            [
                "enabledUser", "orgSourcedIds", "role", "givenName", "middleName", "familyName",
                "identifier", "email", "agentSourcedIds", "grades",
            ]
        case .roles: ["userSourcedId", "role", "beginDate", "endDate", "orgSourcedId"]
        case .courses: ["title", "courseCode", "orgSourcedId", "schoolYearSourcedId"]
        case .classes:
            [
                "title", "courseSourcedId", "classCode", "location", "schoolSourcedId",
                "termSourcedIds",
            ]
        case .enrollments:
            [
                "classSourcedId", "schoolSourcedId", "userSourcedId", "role", "beginDate",
                "endDate",
            ]
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

    private static let rolesOfFirstVersion = [
        "administrator", "aide", "guardian", "parent", "proctor", "relative", "student", "teacher",
    ]

    private static let rolesOfSecondVersion = [
        "aide", "counselor", "districtAdministrator", "guardian", "parent", "principal", "proctor",
        "relative", "siteAdministrator", "student", "systemAdministrator", "teacher",
    ]
}
