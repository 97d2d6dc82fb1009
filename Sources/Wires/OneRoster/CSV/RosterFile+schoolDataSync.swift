import Postgres

extension RosterFile {
    /// Microsoft's School Data Sync, version 2.1. User names are managed IDs, and only students have a grade.
    static let ofSchoolDataSync = [
        RosterFile(
            "academicSessions",
            ["sourcedId", "title", "type", "schoolYear", "startDate", "endDate"],
            """
            select x.sourced_id, x.title, x.kind, x.school_year, x.starts_on, x.ends_on
              from school.oneroster_sessions() as x where x.is_active order by x.sourced_id collate "C"
            """),
        RosterFile(
            "orgs", ["sourcedId", "name", "type", "parentSourcedId"],
            """
            select x.sourced_id, x.name, x.kind, x.parent
              from school.oneroster_orgs() as x where x.is_active order by x.sourced_id collate "C"
            """),
        RosterFile(
            "users",
            [
                "sourcedId", "username", "givenName", "familyName", "password",
                "activeDirectoryMatchId", "email", "phone", "sms",
            ],
            """
            select x.sourced_id, x.username, x.given_name, x.family_name, null, null, p.email, null, null
              from school.oneroster_users() as x
              join school.person as p on p.organization_id = school.my_organization() and p.person_id = x.id
             where x.is_active order by x.sourced_id collate "C"
            """),
        RosterFile(
            "roles",
            [
                "userSourcedId", "orgSourcedId", "role", "sessionSourcedId", "grade", "isPrimary",
                "roleStartDate", "roleEndDate",
            ],
            """
            select x.sourced_id, r.org,
                   case when r.role like '%Administrator' then 'administrator' when r.role = 'aide' then 'staff'
                        else r.role end,
                   null, case when r.role = 'student' then p.grade end,
                   (row_number() over (partition by r.person_id order by r.place, r.org collate "C") = 1)::text,
                   null, null
              from school.oneroster_users() as x
              join school.person as p on p.organization_id = school.my_organization() and p.person_id = x.id
              join school.oneroster_roles() as r on r.organization_id = p.organization_id and r.person_id = p.person_id
             where x.is_active order by x.sourced_id collate "C", r.place, r.org collate "C"
            """),
        RosterFile(
            "courses",
            [
                "sourcedId", "orgSourcedId", "title", "code", "schoolYearSourcedId", "subject",
                "grade",
            ],
            """
            select x.sourced_id, x.org, x.title, x.code, null, null, null
              from school.oneroster_courses() as x where x.is_active order by x.sourced_id collate "C"
            """),
        RosterFile(
            "classes",
            ["sourcedId", "orgSourcedId", "title", "sessionSourcedIds", "courseSourcedId"],
            """
            select x.sourced_id, x.school, x.title, array_to_string(x.terms, ','), x.course
              from school.oneroster_classes() as x where x.is_active order by x.sourced_id collate "C"
            """),
        RosterFile(
            "enrollments", ["classSourcedId", "userSourcedId", "role"],
            """
            select x.class, x.person, x.role
              from school.oneroster_enrollments() as x where x.is_active order by x.sourced_id collate "C"
            """),
    ]
}
