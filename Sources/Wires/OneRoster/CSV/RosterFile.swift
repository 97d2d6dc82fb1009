import CSV
import Postgres

/// A file of a OneRoster 1.2 archive that Homeroom writes.
enum RosterFile: String, CaseIterable {
    case academicSessions, orgs, users, roles, courses, classes, enrollments

    /// Every file of version 1.2, for the manifest.
    static let namesOfStandard = [
        "academicSessions", "categories", "classes", "classResources", "courses",
        "courseResources", "demographics", "enrollments", "lineItemLearningObjectiveIds",
        "lineItems", "lineItemScoreScales", "orgs", "resources", "resultLearningObjectiveIds",
        "results", "resultScoreScales", "roles", "scoreScales", "userProfiles",
        "userResources", "users",
    ]

    /// The columns in the order of the standard. In bulk files the second and the third are empty.
    private var columns: [String] {
        let own =
            switch self {
            case .academicSessions:
                ["title", "type", "startDate", "endDate", "parentSourcedId", "schoolYear"]
            case .orgs: ["name", "type", "identifier", "parentSourcedId"]
            case .users:
                [
                    "enabledUser", "username", "userIds", "givenName", "familyName", "middleName",
                    "identifier", "email", "sms", "phone", "agentSourcedIds", "grades", "password",
                    "userMasterIdentifier", "preferredGivenName", "preferredMiddleName",
                    "preferredFamilyName", "primaryOrgSourcedId", "pronouns",
                ]
            case .roles:
                [
                    "userSourcedId", "roleType", "role", "beginDate", "endDate", "orgSourcedId",
                    "userProfileSourcedId",
                ]
            case .courses:
                [
                    "schoolYearSourcedId", "title", "courseCode", "grades", "orgSourcedId",
                    "subjects", "subjectCodes",
                ]
            case .classes:
                [
                    "title", "grades", "courseSourcedId", "classCode", "classType", "location",
                    "schoolSourcedId", "termSourcedIds", "subjects", "subjectCodes", "periods",
                ]
            case .enrollments:
                [
                    "classSourcedId", "schoolSourcedId", "userSourcedId", "role", "primary",
                    "beginDate", "endDate",
                ]
            }
        return ["sourcedId", "status", "dateLastModified"] + own
    }

    var header: [UInt8] {
        var writer = CSVWriter()
        writer.record(columns)
        return writer.take()
    }

    /// PostgreSQL writes the records, with the rights of a roster reader.
    var copy: Statement { "copy (\(fragment: records)) to stdout (format csv)" }

    private var records: Statement {
        switch self {
        case .academicSessions:
            """
            select x.sourced_id, null, null, x.title, x.kind, x.starts_on, x.ends_on, x.parent, x.school_year
              from school.oneroster_sessions() as x where x.is_active order by x.sourced_id collate "C"
            """
        case .orgs:
            """
            select x.sourced_id, null, null, x.name, x.kind, x.sourced_id, x.parent
              from school.oneroster_orgs() as x where x.is_active order by x.sourced_id collate "C"
            """
        case .users:
            """
            select x.sourced_id, null, null, 'true', x.username, null, x.given_name, x.family_name, x.middle_name,
                   p.person_number, p.email, null, null, null, p.grade, null, null, null, null, null,
                   x.role_orgs[1], null
              from school.oneroster_users() as x
              join school.person as p on p.organization_id = school.my_organization() and p.person_id = x.id
             where x.is_active order by x.sourced_id collate "C"
            """
        case .roles:
            """
            select concat_ws('_', r.person_id, r.role, r.org), null, null, x.sourced_id, r.kind, r.role, null, null,
                   r.org, null
              from school.oneroster_users() as x
              join school.oneroster_roles() as r on r.organization_id = school.my_organization() and r.person_id = x.id
             where x.is_active order by x.sourced_id collate "C", r.place, r.org collate "C"
            """
        case .courses:
            """
            select x.sourced_id, null, null, null, x.title, x.code, null, x.org, null, null
              from school.oneroster_courses() as x where x.is_active order by x.sourced_id collate "C"
            """
        case .classes:
            """
            select x.sourced_id, null, null, x.title, null, x.course, x.code, 'scheduled', x.room, x.school,
                   array_to_string(x.terms, ','), null, null, null
              from school.oneroster_classes() as x where x.is_active order by x.sourced_id collate "C"
            """
        case .enrollments:
            """
            select x.sourced_id, null, null, x.class, x.school, x.person, x.role, null, x.begins_on, x.ends_on
              from school.oneroster_enrollments() as x where x.is_active order by x.sourced_id collate "C"
            """
        }
    }
}
