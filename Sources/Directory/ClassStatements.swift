import Postgres
import School
import Values

extension Statement {
    /// Rosters as they are now; of an archived class those that it had when it was archived.
    private static let columns: Statement = """
        select \(fragment: ownColumns), c.version
          from school.class as c
        """

    private static let ownColumns: Statement = """
        c.class_id as "id", c.source_id as "sourceId", c.location_id as "locationId",
               c.course_id as "courseId", c.term_id as "termId", c.name, c.number, c.display_name as "displayName", c.room,
               case when c.archived_at is null then 'active' else 'archived' end as "status",
               array(select s.person_id from school.seat as s
                      where s.organization_id = c.organization_id and s.class_id = c.class_id
                        and s.role = 'teacher' and s.joined_at <= coalesce(c.archived_at, now())
                        and (s.left_at is null or s.left_at > coalesce(c.archived_at, now()))
                      order by s.person_id) as "teacherIds",
               array(select s.person_id from school.seat as s
                      where s.organization_id = c.organization_id and s.class_id = c.class_id
                        and s.role = 'student' and s.joined_at <= coalesce(c.archived_at, now())
                        and (s.left_at is null or s.left_at > coalesce(c.archived_at, now()))
                      order by s.person_id) as "studentIds",
               c.created_at as "createdAt", c.updated_at as "updatedAt"
        """

    /// Who teaches a class since when, and who was there for less than a day in the last thirty.
    private static let teachers: Statement = """
        (select json_agg(json_build_object(
                    'personId', s.person_id, 'givenName', p.given_name, 'familyName', p.family_name,
                    'joinedAt', school.rfc3339(s.joined_at), 'leftAt', school.rfc3339(s.left_at),
                    'isUnusual', school.is_unusual_seat(s))
                    order by s.joined_at, s.person_id)
           from school.seat as s
           join school.person as p
             on p.organization_id = s.organization_id and p.person_id = s.person_id
          where s.organization_id = c.organization_id and s.class_id = c.class_id
            and s.role = 'teacher' and s.joined_at <= coalesce(c.archived_at, now())
            and (s.left_at is null or s.left_at > coalesce(c.archived_at, now())
                 or s.left_at > now() - interval '30 days' and school.is_unusual_seat(s)))
        """

    static func classes(
        of organization: OrganizationID, _ filter: ClassFilter, after: UUID?, limit: Int
    ) -> Statement {
        let next: Statement? = after.map { "and c.class_id > \($0)" }
        return """
            \(fragment: columns)
             where c.organization_id = \(organization)
               \(fragment: conditions(filter, of: organization)) \(optional: next)
             order by c.class_id limit \(limit)
            """
    }

    private static func conditions(
        _ filter: ClassFilter, of organization: OrganizationID
    ) -> Statement {
        let place: Statement? = filter.location.map {
            "and c.location_id = \(fragment: $0.value(in: organization))"
        }
        let course: Statement? = filter.course.map {
            "and c.course_id = \(fragment: $0.value(in: organization))"
        }
        let term: Statement? = filter.term.map {
            "and c.term_id in (\(fragment: withParts($0, of: organization)))"
        }
        let person: Statement? = filter.person.map {
            "and \(fragment: isSeated($0, "'student', 'teacher'", of: organization))"
        }
        let teacher: Statement? = filter.teacher.map {
            "and \(fragment: isSeated($0, "'teacher'", of: organization))"
        }
        let student: Statement? = filter.student.map {
            "and \(fragment: isSeated($0, "'student'", of: organization))"
        }
        let status: Statement? = filter.status.map {
            "and (c.archived_at is null) = (\($0) = 'active')"
        }
        let named: Statement? = filter.name.map {
            "and c.class_id = any (school.find_named('class', \($0)))"
        }
        let source: Statement? = filter.sourceID.map { "and c.source_id = \($0)" }
        let updated: Statement? = filter.updatedSince.map { "and c.updated_at >= \($0)" }
        return """
            \(optional: place) \(optional: course) \(optional: term) \(optional: person)
            \(optional: teacher) \(optional: student) \(optional: status)
            \(optional: named) \(optional: source) \(optional: updated)
            """
    }

    private static func isSeated(
        _ person: Reference<PersonEntity>, _ roles: Statement, of organization: OrganizationID
    ) -> Statement {
        """
        c.class_id in (
            select s.class_id from school.seat as s
             where s.organization_id = \(organization)
               and s.person_id = \(fragment: person.value(in: organization))
               and s.role in (\(fragment: roles)) and s.joined_at <= now()
               and (s.left_at is null or s.left_at > now()))
        """
    }

    static func classAnswer(
        _ reference: Reference<ClassEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        select \(fragment: ownColumns), \(fragment: teachers) as "teachers", c.version
          from school.class as c
         where c.organization_id = \(organization) and \(fragment: reference.names("c"))
        """
    }

    /// Also what a change of its rosters waits for.
    static func lockClass(
        _ reference: Reference<ClassEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        select c.class_id as "id", c.version, c.archived_at, c.term_id from school.class as c
         where c.organization_id = \(organization) and \(fragment: reference.names("c"))
           for update
        """
    }

    static func add(
        _ new: NewClass, _ id: ClassID, at place: ClassPlace, to organization: OrganizationID
    ) -> Statement {
        """
        insert into school.class (organization_id, class_id, source_id, location_id, course_id, term_id,
                                  name, number, display_name, room)
        values (\(organization), \(id), \(new.sourceID), \(place.location), \(place.course),
                \(place.term), \(new.name), \(new.number), \(new.displayName), \(new.room))
        """
    }

    static func replace(
        _ id: ClassID, by new: NewClass, at place: ClassPlace, of organization: OrganizationID
    ) -> Statement {
        """
        update school.class
           set source_id = \(new.sourceID), location_id = \(place.location),
               course_id = \(place.course), term_id = \(place.term), name = \(new.name), number = \(new.number), display_name = \(new.displayName),
               room = \(new.room)
         where organization_id = \(organization) and class_id = \(id)
        """
    }
}

// MARK: Rights and removal

extension Statement {
    /// Whether an import brought a class: its `origin`.
    static func origin(
        of reference: Reference<ClassEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        select c.origin from school.class as c
         where c.organization_id = \(organization) and \(fragment: reference.names("c"))
        """
    }

    static func hanging(on id: ClassID) -> Statement {
        """
        select handouts as "handouts" from school.hanging_on_class(\(id))
        """
    }

    static func remove(_ id: ClassID) -> Statement {
        """
        select school.delete_class(\(id))
        """
    }
}

extension Statement {
    /// The ids of a term and of its parts, and of theirs.
    static func withParts(
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
