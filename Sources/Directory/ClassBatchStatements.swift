import JSONBytes
import Postgres
import School

extension Statement {
    /// What the classes with these source ids are now.
    static func classes(named sources: [String], of organization: OrganizationID) -> Statement {
        """
        select source_id, term_id, origin, archived_at from school.class
         where organization_id = \(organization) and source_id = any (\(sources))
        """
    }

    /// Who sits in the classes with these source ids or teaches them, now or from a later day on.
    static func seats(
        inClassesNamed sources: [String], of organization: OrganizationID
    ) -> Statement {
        """
        select c.source_id, s.role, s.person_id
          from school.class as c
          join school.seat as s on s.organization_id = c.organization_id and s.class_id = c.class_id
         where c.organization_id = \(organization) and c.source_id = any (\(sources))
           and (s.left_at is null or s.left_at > now())
        """
    }

    /// Creates and replaces classes by their source ids, locked in one order.
    static func putClasses(_ rows: JSONDocument, of organization: OrganizationID) -> Statement {
        """
        with sent as (
            select * from jsonb_to_recordset(\(rows))
                as s (position integer, id uuid, source_id text, location_id uuid, course_id uuid,
                      term_id uuid, name text, number text, display_name text, room text)
        ), known as materialized (
            select s.position, c.class_id,
                   (c.location_id, c.course_id, c.term_id, c.name, c.number, c.display_name, c.room)
                   is distinct from
                   (s.location_id, s.course_id, s.term_id, s.name, s.number, s.display_name, s.room)
                   as differs
              from sent as s
              join school.class as c
                on c.organization_id = \(organization) and c.source_id = s.source_id
             order by c.class_id for no key update of c
        ), changed as (
            update school.class as c
               set location_id = s.location_id, course_id = s.course_id, term_id = s.term_id,
                   name = s.name, number = s.number, display_name = s.display_name, room = s.room
              from sent as s join known as k using (position)
             where c.organization_id = \(organization) and c.class_id = k.class_id and k.differs
        ), made as (
            insert into school.class (organization_id, class_id, source_id, location_id, course_id,
                                      term_id, name, number, display_name, room)
            select \(organization), s.id, s.source_id, s.location_id, s.course_id, s.term_id, s.name,
                   s.number, s.display_name, s.room
              from sent as s
             where s.position not in (select k.position from known as k)
             order by s.source_id
            on conflict on constraint class_source_id_is_unique do nothing
            returning class_id
        )
        select k.position, k.class_id as id, case when k.differs then 'updated' else 'unchanged' end as outcome
          from known as k
        union all
        select s.position, m.class_id, 'created' from made as m join sent as s on s.id = m.class_id
        """
    }

    /// Ends the seats of everybody else in rosters that are replaced.
    ///
    /// - Parameter rosters: `{class_id, role, person_ids}`.
    static func endSeats(
        butOf rosters: JSONDocument, of organization: OrganizationID
    ) -> Statement {
        """
        update school.seat as t set left_at = greatest(school.moment(), t.joined_at)
          from jsonb_to_recordset(\(rosters)) as s (class_id uuid, role text, person_ids uuid[])
         where t.organization_id = \(organization) and t.class_id = s.class_id and t.role = s.role
           and (t.left_at is null or t.left_at > greatest(school.moment(), t.joined_at))
           and t.person_id <> all (s.person_ids)
        returning t.class_id, t.role, t.person_id
        """
    }

    /// Lets seats that would begin later begin now.
    static func beginSeats(
        of rosters: JSONDocument, of organization: OrganizationID
    ) -> Statement {
        """
        update school.seat as t set joined_at = school.moment()
          from jsonb_to_recordset(\(rosters)) as s (class_id uuid, role text, person_ids uuid[])
         where t.organization_id = \(organization) and t.class_id = s.class_id and t.role = s.role
           and t.person_id = any (s.person_ids) and t.joined_at > school.moment()
           and (t.left_at is null or t.left_at > t.joined_at)
        returning t.class_id, t.role, t.person_id
        """
    }

    /// Seats whoever has no such seat.
    static func seat(_ rosters: JSONDocument, of organization: OrganizationID) -> Statement {
        """
        insert into school.seat (organization_id, class_id, person_id, role)
        select \(organization), s.class_id, w.person_id, s.role
          from jsonb_to_recordset(\(rosters)) as s (class_id uuid, role text, person_ids uuid[])
         cross join unnest(s.person_ids) as w (person_id)
         where not exists (
               select from school.seat as t
                where t.organization_id = \(organization) and t.class_id = s.class_id
                  and t.person_id = w.person_id and t.role = s.role
                  and (t.left_at is null or t.left_at > now()))
        returning class_id, role, person_id
        """
    }

    /// How many students and teachers a class may hold.
    static func classSizes(of organization: OrganizationID) -> Statement {
        """
        select class_students_max as students, class_teachers_max as teachers
          from school.organization where organization_id = \(organization)
        """
    }
}
