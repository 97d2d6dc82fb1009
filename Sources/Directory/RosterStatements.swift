import Postgres
import School
import Values

extension Statement {
    static func classVersion(
        _ reference: Reference<ClassEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        select c.version from school.class as c
         where c.organization_id = \(organization) and \(fragment: named(reference))
        """
    }

    /// Whoever has the role in the class now; in an archived class, when it was archived.
    static func roster(
        of reference: Reference<ClassEntity>, _ role: SeatRole, of organization: OrganizationID,
        after: RosterPosition?, limit: Int
    ) -> Statement {
        let next: Statement? = after.map {
            """
            and (p.family_name, p.given_name, p.person_id)
                > (\($0.familyName), \($0.givenName), \($0.id))
            """
        }
        return """
            \(fragment: personColumns)
             where p.organization_id = \(organization)
               and p.person_id in (
                   select s.person_id from school.seat as s
                     join school.class as c
                       on c.organization_id = s.organization_id and c.class_id = s.class_id
                    where s.organization_id = \(organization) and \(fragment: named(reference))
                      and s.role = \(role.rawValue)
                      and s.joined_at <= coalesce(c.archived_at, now())
                      and (s.left_at is null or s.left_at > coalesce(c.archived_at, now())))
               \(optional: next)
             order by p.family_name, p.given_name, p.person_id limit \(limit)
            """
    }

    /// The roster by ids alone, with the version of the class.
    static func personIDs(
        in id: ClassID, _ role: SeatRole, of organization: OrganizationID
    ) -> Statement {
        """
        select array(select s.person_id from school.seat as s
                      where s.organization_id = c.organization_id and s.class_id = c.class_id
                        and s.role = \(role.rawValue) and s.joined_at <= now()
                        and (s.left_at is null or s.left_at > now())
                      order by s.person_id) as "personIds",
               c.version
          from school.class as c
         where c.organization_id = \(organization) and c.class_id = \(id)
        """
    }

    /// Seats people who have no such seat now; gives those it seated.
    static func seat(
        _ people: [PersonID], in id: ClassID, _ role: SeatRole, of organization: OrganizationID
    ) -> Statement {
        """
        insert into school.seat (organization_id, class_id, person_id, role)
        select \(organization), \(id), w.person_id, \(role.rawValue)
          from unnest(\(people)) as w (person_id)
         where not exists (
               select from school.seat as s
                where s.organization_id = \(organization) and s.class_id = \(id)
                  and s.person_id = w.person_id and s.role = \(role.rawValue)
                  and (s.left_at is null or s.left_at > now()))
        returning person_id
        """
    }

    /// Ends the seats of everybody else, at once or, of seats that begin later, before they begin.
    static func endSeats(
        in id: ClassID, _ role: SeatRole, but kept: [PersonID], of organization: OrganizationID
    ) -> Statement {
        """
        update school.seat set left_at = greatest(school.moment(), joined_at)
         where organization_id = \(organization) and class_id = \(id) and role = \(role.rawValue)
           and (left_at is null or left_at > greatest(school.moment(), joined_at))
           and person_id <> all (\(kept))
        returning person_id
        """
    }

    static func endSeat(
        of person: PersonID, in id: ClassID, _ role: SeatRole, of organization: OrganizationID
    ) -> Statement {
        """
        update school.seat set left_at = greatest(school.moment(), joined_at)
         where organization_id = \(organization) and class_id = \(id) and person_id = \(person)
           and role = \(role.rawValue)
           and (left_at is null or left_at > greatest(school.moment(), joined_at))
        returning person_id
        """
    }

    static func seat(
        of person: PersonID, in id: ClassID, _ role: SeatRole, of organization: OrganizationID
    ) -> Statement {
        """
        select s.class_id as "classId", s.person_id as "personId", s.role,
               s.joined_at as "joinedAt", c.version
          from school.seat as s
          join school.class as c
            on c.organization_id = s.organization_id and c.class_id = s.class_id
         where s.organization_id = \(organization) and s.class_id = \(id)
           and s.person_id = \(person) and s.role = \(role.rawValue)
           and (s.left_at is null or s.left_at > now())
        """
    }

    /// The id of a person.
    static func id(
        of reference: Reference<PersonEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select p.person_id as "id" from school.person as p
         where p.organization_id = \(organization) and \(fragment: named(reference))
        """
    }
}
