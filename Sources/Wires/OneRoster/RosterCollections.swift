import Postgres
import Values

extension RosterCollection {
    /// Every collection of an edition, in alphabetical order.
    static func all(in edition: Edition) -> [RosterCollection] {
        let users = users(in: edition)
        return [
            sessions, classes, courses, demographics(users), enrollments,
            sessions.those("gradingPeriods", where: "x.kind = 'gradingPeriod'"),
            orgs, orgs.those("schools", where: "x.kind = 'school'"),
            users.those("students", from: "school.oneroster_users_holding('student')"),
            users.those("teachers", from: "school.oneroster_users_holding('teacher')"),
            sessions.those("terms", where: "x.kind <> 'gradingPeriod'"), users,
        ]
    }

    private static let orgs = RosterCollection(
        name: "orgs", keys: ("org", "orgs"), object: "Org", source: "school.oneroster_orgs()",
        fields: RosterField.ofEveryObject + [
            .text("name", "name"), .text("type", "kind"),
            RosterField(
                name: "identifier", value: .text(RosterColumn("identifier", "x.sourced_id"))),
            .reference("parent", "parent", .org), .references("children", "children", .org),
        ])

    private static let sessions = RosterCollection(
        name: "academicSessions", keys: ("academicSession", "academicSessions"),
        object: "AcademicSession", source: "school.oneroster_sessions()",
        fields: RosterField.ofEveryObject + [
            .text("title", "title"), .text("type", "kind"),
            RosterField(name: "startDate", value: .day(RosterColumn("starts_on"))),
            RosterField(name: "endDate", value: .day(RosterColumn("ends_on"))),
            .text("schoolYear", "school_year"), .reference("parent", "parent", .session),
            .references("children", "children", .session),
        ])

    private static let courses = RosterCollection(
        name: "courses", keys: ("course", "courses"), object: "Course",
        source: "school.oneroster_courses()",
        fields: RosterField.ofEveryObject + [
            .text("title", "title"), .text("courseCode", "code"), .reference("org", "org", .org),
        ])

    private static let classes = RosterCollection(
        name: "classes", keys: ("class", "classes"), object: "Class",
        source: "school.oneroster_classes()",
        fields: RosterField.ofEveryObject + [
            .text("title", "title"), .text("classCode", "code"), .text("location", "room"),
            RosterField(
                name: "classType", value: .text(RosterColumn("class_type", "'scheduled'"))),
            .reference("course", "course", .course), .reference("school", "school", .org),
            .references("terms", "terms", .session),
        ],
        pages: PagesByID("class", of: "school.oneroster_classes()"))

    private static let enrollments = RosterCollection(
        name: "enrollments", keys: ("enrollment", "enrollments"), object: "Enrollment",
        source: "school.oneroster_enrollments()",
        fields: RosterField.ofEveryObject + [
            .reference("user", "person", .user), .reference("class", "class", .class),
            .reference("school", "school", .org), .text("role", "role"),
            RosterField(name: "beginDate", value: .day(RosterColumn("begins_on"))),
            RosterField(name: "endDate", value: .day(RosterColumn("ends_on"))),
        ],
        named: { sourcedID in
            let parts = sourcedID.split(separator: "_").map(String.init)
            guard parts.count == 3, let group = UUID(parts[0]), let person = UUID(parts[1]) else {
                return "x.source_id = \(sourcedID)"
            }
            return """
                (x.source_id = \(sourcedID)
                 or x.source_id is null and x.class_id = \(group) and x.person_id = \(person)
                    and x.role = \(parts[2]))
                """
        },
        pages: PagesByID("enrollment"))

    private static func users(in edition: Edition) -> RosterCollection {
        let roles: [RosterField] =
            switch edition {
            case .v1p1: rolesBefore12
            case .v1p2:
                [
                    RosterField(
                        name: "roles",
                        value: .roles(
                            RosterColumn("role_facts"), names: RosterColumn("roles"),
                            orgs: RosterColumn("role_orgs")))
                ]
            }
        return RosterCollection(
            name: "users", keys: ("user", "users"), object: "User",
            source: "school.oneroster_users()",
            fields: RosterField.ofEveryObject + [
                .text("username", "username"), .text("enabledUser", "is_enabled"),
                .text("givenName", "given_name"), .text("middleName", "middle_name"),
                .text("familyName", "family_name"), .text("identifier", "number"),
                .text("email", "email"),
                RosterField(name: "grades", value: .texts(RosterColumn("grades"))),
            ] + roles,
            pages: PagesByID("user", of: "school.oneroster_users()"))
    }

    /// One role, and the orgs of all of them.
    private static let rolesBefore12: [RosterField] = [
        RosterField(
            name: "role",
            value: .text(
                RosterColumn(
                    "first_role",
                    """
                    case when x.roles[1] like '%Administrator' then 'administrator' else x.roles[1] end
                    """))),
        RosterField(
            name: "orgs",
            value: .references(
                RosterColumn(
                    "distinct_orgs",
                    "array(select distinct o.org from unnest(x.role_orgs) as o (org) order by o.org)"
                ), .org)),
    ]

    /// The collection is empty: nothing of what the standard calls demographics is kept here.
    private static func demographics(_ users: RosterCollection) -> RosterCollection {
        RosterCollection(
            name: "demographics", keys: ("demographics", "demographics"), object: "Demographics",
            source: users.source, condition: "false", fields: RosterField.ofEveryObject,
            reach: .demographics)
    }
}
