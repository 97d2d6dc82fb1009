import Postgres
import School
import Values

extension Statement {
    static func classVersion(
        _ reference: Reference<ClassEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        select c.class_id as "id", c.version from school.class as c
         where c.organization_id = \(organization) and \(fragment: reference.names("c"))
        """
    }

    /// Whoever has the role in the class now; in an archived class, when it was archived.
    ///
    /// - Parameter day: who had it at any time of that day instead, in the time zone of the class.
    static func roster(
        of reference: Reference<ClassEntity>, _ role: SeatRole, on day: Day?,
        of organization: OrganizationID, after: RosterPosition?, limit: Int
    ) -> Statement {
        let next: Statement? = after.map {
            """
            and (person.family_name, person.given_name, person.person_id)
                > (\($0.familyName), \($0.givenName), \($0.id))
            """
        }
        return """
            \(fragment: Directory.people.selection)
             where person.organization_id = \(organization)
               and person.person_id in (
                   select s.person_id
                     from school.class as c
                    cross join lateral (\(fragment: span(of: day))) as w
                     join school.seat as s
                       on s.organization_id = c.organization_id and s.class_id = c.class_id
                    where c.organization_id = \(organization) and \(fragment: reference.names("c"))
                      and s.role = \(role.rawValue)
                      and s.joined_at <= least(w.until, c.archived_at)
                      and (s.left_at is null
                           or s.left_at > greatest(s.joined_at, least(w.since, c.archived_at))))
               \(optional: next)
             order by person.family_name, person.given_name, person.person_id limit \(limit)
            """
    }

    /// The time of a day in the time zone of class `c`: its first and its last millisecond; now, without one.
    private static func span(of day: Day?) -> Statement {
        guard let day else { return "select now() as since, now() as until" }
        return """
            select \(day)::timestamp at time zone z.zone as since,
                   ((\(day) + 1)::timestamp at time zone z.zone) - interval '1 millisecond' as until
              from (select school.day_zone(c.class_id) as zone offset 0) as z
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

    /// Who of these people has such a seat, also one that begins later.
    static func seated(
        _ people: [PersonID], in id: ClassID, _ role: SeatRole, of organization: OrganizationID
    ) -> Statement {
        """
        select distinct s.person_id from school.seat as s
         where s.organization_id = \(organization) and s.class_id = \(id)
           and s.role = \(role.rawValue) and s.person_id = any (\(people))
           and (s.left_at is null or s.left_at > now())
        """
    }

    /// Lets seats that would begin later begin now; a roster that is sent is the roster of now.
    static func beginSeats(
        of people: [PersonID], in id: ClassID, _ role: SeatRole, of organization: OrganizationID
    ) -> Statement {
        """
        update school.seat set joined_at = school.moment()
         where organization_id = \(organization) and class_id = \(id) and role = \(role.rawValue)
           and person_id = any (\(people)) and joined_at > school.moment()
           and (left_at is null or left_at > joined_at)
        returning person_id
        """
    }

    /// Seats people who have no such seat.
    static func seat(
        _ people: [PersonID], in id: ClassID, _ role: SeatRole, of organization: OrganizationID
    ) -> Statement {
        """
        insert into school.seat (organization_id, class_id, person_id, role)
        select \(organization), \(id), w.person_id, \(role.rawValue)
          from unnest(\(people)) as w (person_id)
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

    /// The id of a person.
    static func id(
        of reference: Reference<PersonEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select p.person_id as "id" from school.person as p
         where p.organization_id = \(organization) and \(fragment: reference.names("p"))
        """
    }
}
