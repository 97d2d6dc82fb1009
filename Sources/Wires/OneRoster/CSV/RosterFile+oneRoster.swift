import Postgres

extension RosterFile {
    /// What versions 1.1 and 1.2 have alike.
    static let ofOneRoster = [academicSessions, orgs, courses, classes, enrollments]

    /// The second and the third column are empty in bulk files.
    private static func columns(_ own: String...) -> [String] {
        ["sourcedId", "status", "dateLastModified"] + own
    }

    private static let academicSessions = RosterFile(
        "academicSessions",
        columns("title", "type", "startDate", "endDate", "parentSourcedId", "schoolYear"),
        """
        select x.sourced_id, null, null, x.title, x.kind, x.starts_on, x.ends_on, x.parent, x.school_year
          from school.oneroster_sessions() as x where x.is_active order by x.sourced_id collate "C"
        """)

    private static let orgs = RosterFile(
        "orgs", columns("name", "type", "identifier", "parentSourcedId"),
        """
        select x.sourced_id, null, null, x.name, x.kind, x.sourced_id, x.parent
          from school.oneroster_orgs() as x where x.is_active order by x.sourced_id collate "C"
        """)

    private static let courses = RosterFile(
        "courses",
        columns(
            "schoolYearSourcedId", "title", "courseCode", "grades", "orgSourcedId", "subjects",
            "subjectCodes"),
        """
        select x.sourced_id, null, null, null, x.title, x.code, null, x.org, null, null
          from school.oneroster_courses() as x where x.is_active order by x.sourced_id collate "C"
        """)

    private static let classes = RosterFile(
        "classes",
        columns(
            "title", "grades", "courseSourcedId", "classCode", "classType", "location",
            "schoolSourcedId", "termSourcedIds", "subjects", "subjectCodes", "periods"),
        """
        select x.sourced_id, null, null, x.title, null, x.course, x.code, 'scheduled', x.room, x.school,
               array_to_string(x.terms, ','), null, null, null
          from school.oneroster_classes() as x where x.is_active order by x.sourced_id collate "C"
        """)

    private static let enrollments = RosterFile(
        "enrollments",
        columns(
            "classSourcedId", "schoolSourcedId", "userSourcedId", "role", "primary", "beginDate",
            "endDate"),
        """
        select x.sourced_id, null, null, x.class, x.school, x.person, x.role, null, x.begins_on, x.ends_on
          from school.oneroster_enrollments() as x where x.is_active order by x.sourced_id collate "C"
        """)

    /// The people of version 1.2, whose roles have a file of their own.
    static let users = RosterFile(
        "users",
        columns(
            "enabledUser", "username", "userIds", "givenName", "familyName", "middleName",
            "identifier", "email", "sms", "phone", "agentSourcedIds", "grades", "password",
            "userMasterIdentifier", "preferredGivenName", "preferredMiddleName",
            "preferredFamilyName", "primaryOrgSourcedId", "pronouns"),
        """
        select x.sourced_id, null, null, 'true', x.username, null, x.given_name, x.family_name, x.middle_name,
               p.person_number, p.email, null, null, null, p.grade, null, null, null, null, null,
               x.role_orgs[1], null
          from school.oneroster_users() as x
          join school.person as p on p.organization_id = school.my_organization() and p.person_id = x.id
         where x.is_active order by x.sourced_id collate "C"
        """)

    static let roles = RosterFile(
        "roles",
        columns(
            "userSourcedId", "roleType", "role", "beginDate", "endDate", "orgSourcedId",
            "userProfileSourcedId"),
        """
        select concat_ws('_', r.person_id, r.role, r.org), null, null, x.sourced_id, r.kind, r.role, null, null,
               r.org, null
          from school.oneroster_users() as x
          join school.oneroster_roles() as r on r.organization_id = school.my_organization() and r.person_id = x.id
         where x.is_active order by x.sourced_id collate "C", r.place, r.org collate "C"
        """)

    /// The people of version 1.1 with the first of their roles, at all of their locations. Every kind of administrator is
    /// one. Who has no role works there: the version demands one of everybody.
    static let usersWithOneRole = RosterFile(
        "users",
        columns(
            "enabledUser", "orgSourcedIds", "role", "username", "userIds", "givenName",
            "familyName", "middleName", "identifier", "email", "sms", "phone", "agentSourcedIds",
            "grades", "password"),
        """
        select x.sourced_id, null, null, 'true',
               coalesce((select string_agg(distinct o.org, ',' order by o.org) from unnest(x.role_orgs) as o (org)),
                        school.my_organization()::text),
               case when x.roles[1] like '%Administrator' then 'administrator' else coalesce(x.roles[1], 'aide') end,
               x.username, null, x.given_name, x.family_name, x.middle_name, p.person_number, p.email, null, null, null,
               p.grade, null
          from school.oneroster_users() as x
          join school.person as p on p.organization_id = school.my_organization() and p.person_id = x.id
         where x.is_active order by x.sourced_id collate "C"
        """)
}
