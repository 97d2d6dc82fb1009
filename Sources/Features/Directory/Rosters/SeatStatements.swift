import Postgres
import School
import Values

extension Statement {
    /// Locks the classes whose seats change, in a fixed order. Others who change them wait, and two batches never
    /// deadlock.
    static func lockClasses(_ ids: [ClassID], of organization: OrganizationID) -> Statement {
        """
        select class_id from school.class
         where organization_id = \(organization) and class_id = any (\(ids))
         order by class_id for no key update
        """
    }

    /// Creates, moves and ends seats. `put_seats` in `SQL/functions/directory/seats.sql` defines which stay a row is
    /// about.
    ///
    /// - Parameter rows: `{position, class_id, person_id, role, [joined_on], [left_on]}`, no two of them about the
    ///   same person and role in one class.
    /// - Returns: `position`, `id` (null), `joined_at`, `outcome`, and `most` if the outcome is `full`.
    static func putSeats(_ rows: JSONDocument) -> Statement {
        """
        select place as position, null::uuid as id, joined_at::timestamptz(3) as joined_at, outcome, most
          from school.put_seats(\(rows))
        """
    }

    // MARK: Reading

    private static let seatColumns: Statement = """
        select t.class_id, t.person_id, t.role, t.joined_at,
               t.left_at, school.joined_on(t, z.zone) as "joinedOn",
               school.left_on(t, z.zone) as "leftOn", c.version
          from school.seat as t
          join school.class as c
            on c.organization_id = t.organization_id and c.class_id = t.class_id
         cross join lateral (select school.day_zone(c.class_id) as zone) as z
        """

    /// The stay that began at this time.
    static func seat(
        of person: PersonID, in id: ClassID, _ role: SeatRole, joinedAt: Timestamp,
        of organization: OrganizationID
    ) -> Statement {
        """
        \(fragment: seatColumns)
         where t.organization_id = \(organization) and t.class_id = \(id)
           and t.person_id = \(person) and t.role = \(role.rawValue) and t.joined_at = \(joinedAt)
        """
    }

    /// Every stay in a class, past, present or future, the earliest first, except those that ended before they began.
    static func seats(
        in id: ClassID, _ filter: SeatFilter, of organization: OrganizationID,
        after: SeatPosition?, limit: Int
    ) -> Statement {
        let role: Statement? = filter.role.map { "and t.role = \($0)" }
        let person: Statement? = filter.person.map {
            "and t.person_id = \(fragment: $0.value(in: organization))"
        }
        let day: Statement? = filter.day.map {
            """
            and t.joined_at < ((\($0) + 1)::timestamp at time zone z.zone)
            and (t.left_at is null or t.left_at > (\($0)::timestamp at time zone z.zone))
            """
        }
        let next: Statement? = after.map {
            "and (t.joined_at, t.person_id, t.role) > (\($0.joinedAt), \($0.person), \($0.role))"
        }
        return """
            \(fragment: seatColumns)
             where t.organization_id = \(organization) and t.class_id = \(id)
               and (t.left_at is null or t.left_at > t.joined_at)
               \(optional: role) \(optional: person) \(optional: day) \(optional: next)
             order by t.joined_at, t.person_id, t.role limit \(limit)
            """
    }
}
