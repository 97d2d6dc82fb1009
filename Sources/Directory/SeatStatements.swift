import Postgres
import School
import Values

extension Statement {
    /// Which classes seats are changed in, locked in one order: whoever else changes them waits, and two
    /// batches never wait in a circle.
    static func lockClasses(_ ids: [ClassID], of organization: OrganizationID) -> Statement {
        """
        select class_id from school.class
         where organization_id = \(organization) and class_id = any (\(ids))
         order by class_id for no key update
        """
    }

    /// Takes, moves and ends seats, the whole history of each person in each class considered.
    ///
    /// Days begin in the time zone of the class. A row is about the stay that has these very days; else about
    /// the one that is not over, where the days overlap it or `joined_on` is null; else it is a new stay.
    /// Null `joined_on` leaves the beginning as it is, or is now; null `left_on` is no end.
    ///
    /// - Parameter rows: `{position, class_id, person_id, role, [joined_on], [left_on]}`, no two of them about
    ///   the same person and role in one class.
    /// - Returns: `position`, `id` (null), `joined_at`, and `outcome`: `created`, `updated`, `unchanged`;
    ///   `archived` (the class), `imported` (the class, and a manager asks), `leaves_first`, `begun` (the
    ///   seat, so it cannot begin later), `overlaps` (another stay), `full`.
    static func putSeats(_ rows: JSONDocument, of organization: OrganizationID) -> Statement {
        """
        with \(fragment: sentSeats(rows, of: organization)), \(fragment: wantedSeats(of: organization)),
        \(fragment: decidedSeats(of: organization)), changed as (
            update school.seat as t set joined_at = d.joins_at, left_at = d.leaves_at
              from decided as d
             where d.outcome = 'updated' and t.organization_id = \(organization)
               and t.class_id = d.class_id and t.person_id = d.person_id and t.role = d.role
               and t.joined_at = d.was_joined_at
        ), made as (
            insert into school.seat (organization_id, class_id, person_id, role, joined_at, left_at,
                                     recorded_at)
            select \(organization), d.class_id, d.person_id, d.role, d.joins_at, d.leaves_at,
                   case when d.joins_at < school.moment() then school.moment() end
              from decided as d where d.outcome = 'created'
        ), audited as (
            select count(school.audit('rosterChange', 'class', r.class_id::text, r.details)) as events
              from (select d.class_id, jsonb_build_object('role', d.role,
                           'joined', coalesce(jsonb_agg(d.person_id) filter (where d.outcome = 'created'), '[]'),
                           'left', coalesce(jsonb_agg(d.person_id) filter (
                                            where d.outcome = 'updated' and d.leaves_at is not null), '[]'),
                           'moved', coalesce(jsonb_agg(d.person_id) filter (
                                             where d.outcome = 'updated' and d.leaves_at is null), '[]')) as details
                      from decided as d where d.outcome in ('created', 'updated')
                     group by d.class_id, d.role) as r
        )
        select d.position, null::uuid as id, d.joins_at::timestamptz(3) as joined_at, d.outcome
          from decided as d cross join audited
        """
    }

    /// `sent`: the rows with the moments of their days; `stay`: every stay of these people, with its days.
    private static func sentSeats(
        _ rows: JSONDocument, of organization: OrganizationID
    ) -> Statement {
        """
        sent as materialized (
            select s.*, c.archived_at,
                   school.my_standing() = 'manager' and c.origin = 'import' as is_imported, z.zone,
                   s.joined_on::timestamp at time zone z.zone as joined_at,
                   s.left_on::timestamp at time zone z.zone as left_at
              from jsonb_to_recordset(\(rows))
                   as s (position integer, class_id uuid, person_id uuid, role text, joined_on date,
                         left_on date)
              join school.class as c
                on c.organization_id = \(organization) and c.class_id = s.class_id
             cross join lateral (select school.day_zone(s.class_id) as zone) as z
        ), stay as materialized (
            select s.position, t.joined_at, t.left_at,
                   t.left_at is null or t.left_at > school.moment() as is_open,
                   \(fragment: joinedOn("s.zone")) as joined_on, \(fragment: leftOn("s.zone")) as left_on
              from sent as s
              join school.seat as t
                on t.organization_id = \(organization) and t.class_id = s.class_id
               and t.person_id = s.person_id and t.role = s.role
             where t.left_at is null or t.left_at > t.joined_at)
        """
    }

    /// `wanted`: which stay each row is about (`was_…`, null: a new one), and how it is to be.
    private static func wantedSeats(of organization: OrganizationID) -> Statement {
        """
        wanted as materialized (
            select s.position, s.class_id, s.person_id, s.role, s.archived_at, s.is_imported,
                   k.joined_at as was_joined_at, k.left_at as was_left_at,
                   case when s.joined_on is null or s.joined_on = k.joined_on
                        then coalesce(k.joined_at, school.moment()) else s.joined_at end as joins_at,
                   case when s.left_on = k.left_on then k.left_at else s.left_at end as leaves_at
              from sent as s
              left join lateral (
                   select * from stay as t
                    where t.position = s.position
                      and (t.joined_on = s.joined_on and t.left_on is not distinct from s.left_on
                           or t.is_open and (s.joined_on is null
                                or s.joined_at < coalesce(t.left_at, 'infinity')
                                   and coalesce(s.left_at, 'infinity') > t.joined_at))
                    order by t.joined_on = s.joined_on and t.left_on is not distinct from s.left_on desc nulls last,
                             t.joined_at
                    limit 1) as k on true)
        """
    }

    /// `decided`: what becomes of each row.
    private static func decidedSeats(of organization: OrganizationID) -> Statement {
        """
        judged as materialized (
            select w.*, case
                when w.archived_at is not null then 'archived'
                when w.is_imported then 'imported'
                when w.leaves_at <= w.joins_at then 'leaves_first'
                when w.was_joined_at <= school.moment() and w.joins_at > school.moment() then 'begun'
                when exists (select from stay as t
                              where t.position = w.position and t.joined_at is distinct from w.was_joined_at
                                and t.joined_at < coalesce(w.leaves_at, 'infinity')
                                and coalesce(t.left_at, 'infinity') > w.joins_at) then 'overlaps'
                when w.was_joined_at is null then 'created'
                when (w.was_joined_at, w.was_left_at) is distinct from (w.joins_at, w.leaves_at) then 'updated'
                else 'unchanged' end as outcome
              from wanted as w
        ), room as (
            select r.class_id, r.role, case r.role when 'student' then o.class_students_max
                                                   else o.class_teachers_max end
                   - (select count(distinct t.person_id) from school.seat as t
                       where t.organization_id = \(organization) and t.class_id = r.class_id
                         and t.role = r.role and (t.left_at is null or t.left_at > school.moment())) as seats
              from (select distinct j.class_id, j.role from judged as j where j.outcome = 'created') as r
              join school.organization as o on o.organization_id = \(organization)
        ), decided as materialized (
            select j.position, j.class_id, j.person_id, j.role, j.was_joined_at, j.joins_at, j.leaves_at,
                   case when j.outcome <> 'created' then j.outcome
                             when j.leaves_at <= school.moment() then 'created'
                             when row_number() over (
                                  partition by j.class_id, j.role, j.outcome = 'created'
                                                   and coalesce(j.leaves_at > school.moment(), true)
                                  order by j.position) > m.seats then 'full'
                             else 'created' end as outcome
              from judged as j
              left join room as m on m.class_id = j.class_id and m.role = j.role)
        """
    }

    /// The day of `t.joined_at` in a time zone.
    private static func joinedOn(_ zone: Statement) -> Statement {
        "(t.joined_at at time zone \(fragment: zone))::date"
    }

    /// The first day on which somebody is no longer there: of midnight that day, of any later time the next.
    private static func leftOn(_ zone: Statement) -> Statement {
        """
        ((t.left_at at time zone \(fragment: zone)) + interval '1 day' - interval '1 microsecond')::date
        """
    }

    // MARK: Reading

    private static let seatColumns: Statement = """
        select t.class_id as "classId", t.person_id as "personId", t.role, t.joined_at as "joinedAt",
               t.left_at as "leftAt", \(fragment: joinedOn("z.zone")) as "joinedOn",
               \(fragment: leftOn("z.zone")) as "leftOn", c.version
          from school.seat as t
          join school.class as c
            on c.organization_id = t.organization_id and c.class_id = t.class_id
         cross join lateral (select school.day_zone(c.class_id) as zone) as z
        """

    /// The stay that began at a moment.
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

    /// Every stay in a class, over, present or to come, the earliest first; without those that ended before
    /// they began.
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
