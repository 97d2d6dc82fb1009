import API
import Postgres
import School

extension Directory {
    /// The people who have a role in a class.
    static func roster(_ role: Statement, _ name: Statement) -> Computed {
        Computed(
            """
            array(select s.person_id from school.seat as s
                   where s.organization_id = class.organization_id and s.class_id = class.class_id
                     and s.role = \(fragment: role)
                     and school.is_seated(s, coalesce(class.archived_at, school.moment()))
                   order by s.person_id) as \(fragment: name)
            """,
            .required(camelCased(name.text), .array(.uuid, count: 0...100_000)))
    }

    /// Who teaches a class and since when, plus who taught it for less than a day in the last thirty.
    static let teachers: Statement = """
        (select json_agg(json_build_object(
                    'personId', s.person_id, 'givenName', p.given_name, 'familyName', p.family_name,
                    'nameOrder', coalesce(p.name_order, (select school.my_name_order())),
                    'joinedAt', school.rfc3339(s.joined_at), 'leftAt', school.rfc3339(s.left_at),
                    'unusual', school.is_unusual_seat(s))
                    order by s.joined_at, s.person_id)
           from school.seat as s
           join school.person as p
             on p.organization_id = s.organization_id and p.person_id = s.person_id
          where s.organization_id = class.organization_id and s.class_id = class.class_id
            and s.role = 'teacher' and s.joined_at <= coalesce(class.archived_at, school.moment())
            and (s.left_at is null or s.left_at > coalesce(class.archived_at, school.moment())
                 or s.left_at > school.moment() - interval '30 days' and school.is_unusual_seat(s)))
        """

    static let classTeacher = Shape.fields(
        "ClassTeacher",
        [
            .required("personId", .uuid), .required("givenName", .line()),
            .required("familyName", .line()), .nameOrder, .required("joinedAt", .timestamp),
            .orNull("leftAt", .timestamp),
            .required(
                "unusual", .boolean,
                "Added themselves, or taught for less than a day: ask why."),
        ])
}

// MARK: Filters

extension Directory {
    static let classFilters: [Filter<ClassEntity>] = [
        .refers(location, "Only at this location."),
        .refers(course, "Only classes of this course."),
        Filter(.optional("termId", .reference, "Only classes in this term or one of its parts.")) {
            request, organization in
            let term: Reference<TermEntity>? = request.queryReference("termId")
            return term.map {
                "and class.term_id in (\(fragment: withParts($0, of: organization)))"
            }
        },
        seated(
            "personId", "'student', 'teacher'", "Only classes this person is in or teaches now."),
        seated("teacherId", "'teacher'", "Only classes this person teaches now."),
        seated("studentId", "'student'", "Only classes this person is in now."),
        Filter(.optional("status", .word(["active", "archived"]), "Only those with this status.")) {
            request, _ in
            request.query("status").map { "and (class.archived_at is null) = \($0 == "active")" }
        },
        .name, .sourceID, .updatedSince,
    ]

    /// Only classes in which this person has a seat now, in one of the roles.
    private static func seated(
        _ parameter: String, _ roles: Statement, _ meaning: String
    ) -> Filter<ClassEntity> {
        Filter(.optional(parameter, .reference, meaning)) { request, organization in
            let person: Reference<PersonEntity>? = request.queryReference(parameter)
            return person.map {
                """
                and class.class_id in (
                    select s.class_id from school.seat as s
                     where s.organization_id = \(organization)
                       and s.person_id = \(fragment: $0.value(in: organization))
                       and s.role in (\(fragment: roles)) and school.is_seated(s))
                """
            }
        }
    }

    /// The ids of a term, its parts, and their parts.
    private static func withParts(
        _ reference: Reference<TermEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        with recursive whole as (
            select \(fragment: reference.value(in: organization)) as term_id
            union
            select t.term_id from school.term as t
              join whole as w on w.term_id = t.parent_id
             where t.organization_id = \(organization))
        select w.term_id from whole as w
        """
    }
}
