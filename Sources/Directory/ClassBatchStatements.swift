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
