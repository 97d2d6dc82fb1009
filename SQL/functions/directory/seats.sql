-- Functions of seats: when someone sits in a class or teaches it, and adding, moving and ending seats.
--
-- They run with the rights of the caller: the policies of seat decide who may.

-- is_seated: whether a seat is taken at a moment.
create or replace function is_seated(p_seat seat, p_at timestamptz default moment()) returns boolean
    language sql immutable parallel safe
    return p_seat.joined_at <= p_at and (p_seat.left_at is null or p_seat.left_at > p_at);

-- is_open_seat: whether a seat is not over at a moment: taken then, or from a later day on.
create or replace function is_open_seat(p_seat seat, p_at timestamptz default moment()) returns boolean
    language sql immutable parallel safe
    return p_seat.left_at is null or p_seat.left_at > p_at;

-- joined_on: the first day of a seat in a time zone.
create or replace function joined_on(p_seat seat, p_zone text) returns date
    language sql immutable parallel safe
    return (p_seat.joined_at at time zone p_zone)::date;

-- left_on: the first day on which someone is no longer there: the same day for an end at midnight, otherwise the
-- next.
create or replace function left_on(p_seat seat, p_zone text) returns date
    language sql immutable parallel safe
    return ((p_seat.left_at at time zone p_zone) + interval '1 day' - interval '1 microsecond')::date;

-- class_size_limit: how many students or teachers a class of an organization may hold.
create or replace function class_size_limit(p_organization organization, p_role text) returns integer
    language sql immutable parallel safe
    return case p_role when 'student' then p_organization.class_students_max
                       else p_organization.class_teachers_max end;

grant execute on function is_seated(seat, timestamptz), is_open_seat(seat, timestamptz) to school_standing;
grant execute on function joined_on(seat, text), left_on(seat, text) to school_directory_reader, school_teacher;

-- put_seats: adds, moves and ends seats, considering the whole history of each person in each class.
--
-- p_rows: [{position, class_id, person_id, role, joined_on, left_on}], no two for the same person and role in one
-- class. Days begin in the time zone of the class. A row refers to the stay with exactly these days; else to the one
-- that is not over, if the days overlap it or joined_on is null; else it is a new stay. Null joined_on keeps the
-- beginning, or means now; null left_on means no end.
--
-- Outcomes: created, updated, unchanged; archived (the class), imported (the class, and the caller is a manager),
-- leaves_first, begun (the seat, so that its beginning cannot move to later), overlaps (another stay), full (the
-- class has its maximum of people).
create or replace function put_seats(p_rows jsonb)
    returns table (place integer, joined_at timestamptz, outcome text, most integer)
    language plpgsql
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    own constant uuid := my_organization();
begin
    return query
    -- The rows with their days as times.
    with sent as materialized (
        select s.*, c.archived_at, my_standing() = 'manager' and c.origin = 'import' as is_imported, z.zone,
               s.joined_on::timestamp at time zone z.zone as joined_at,
               s.left_on::timestamp at time zone z.zone as left_at
          from jsonb_to_recordset(p_rows)
               as s (position integer, class_id uuid, person_id uuid, role text, joined_on date, left_on date)
          join class as c on c.organization_id = own and c.class_id = s.class_id
         cross join lateral (select day_zone(s.class_id) as zone) as z
    -- Every stay of these people, with its days.
    ), stay as materialized (
        select s.position, t.joined_at, t.left_at, is_open_seat(t, moment()) as is_open,
               joined_on(t, s.zone) as joined_on, left_on(t, s.zone) as left_on
          from sent as s
          join seat as t on t.organization_id = own and t.class_id = s.class_id
                        and t.person_id = s.person_id and t.role = s.role
         where is_open_seat(t, t.joined_at)
    -- The stay each row refers to (was_…, null: a new one), and its new state.
    ), wanted as materialized (
        select s.position, s.class_id, s.person_id, s.role, s.archived_at, s.is_imported,
               k.joined_at as was_joined_at, k.left_at as was_left_at,
               case when s.joined_on is null or s.joined_on = k.joined_on
                    then coalesce(k.joined_at, moment()) else s.joined_at end as joins_at,
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
                limit 1) as k on true
    ), judged as materialized (
        select w.*, case
            when w.archived_at is not null then 'archived'
            when w.is_imported then 'imported'
            when w.leaves_at <= w.joins_at then 'leaves_first'
            when w.was_joined_at <= moment() and w.joins_at > moment() then 'begun'
            when exists (select from stay as t
                          where t.position = w.position and t.joined_at is distinct from w.was_joined_at
                            and t.joined_at < coalesce(w.leaves_at, 'infinity')
                            and coalesce(t.left_at, 'infinity') > w.joins_at) then 'overlaps'
            when w.was_joined_at is null then 'created'
            when (w.was_joined_at, w.was_left_at) is distinct from (w.joins_at, w.leaves_at) then 'updated'
            else 'unchanged' end as outcome
          from wanted as w
    -- How many people may still join the classes concerned.
    ), room as (
        select r.class_id, r.role, class_size_limit(o, r.role) as most, class_size_limit(o, r.role)
               - (select count(distinct t.person_id) from seat as t
                   where t.organization_id = own and t.class_id = r.class_id and t.role = r.role
                     and is_open_seat(t, moment())) as seats
          from (select distinct j.class_id, j.role from judged as j where j.outcome = 'created') as r
          join organization as o on o.organization_id = own
    ), decided as materialized (
        select j.position, j.class_id, j.person_id, j.role, j.was_joined_at, j.joins_at, j.leaves_at, m.most,
               case when j.outcome <> 'created' then j.outcome
                    when j.leaves_at <= moment() then 'created'
                    when row_number() over (
                         partition by j.class_id, j.role,
                                      j.outcome = 'created' and coalesce(j.leaves_at > moment(), true)
                         order by j.position) > m.seats then 'full'
                    else 'created' end as outcome
          from judged as j
          left join room as m on m.class_id = j.class_id and m.role = j.role
    ), changed as (
        update seat as t set joined_at = d.joins_at, left_at = d.leaves_at
          from decided as d
         where d.outcome = 'updated' and t.organization_id = own and t.class_id = d.class_id
           and t.person_id = d.person_id and t.role = d.role and t.joined_at = d.was_joined_at
    ), made as (
        insert into seat (organization_id, class_id, person_id, role, joined_at, left_at, recorded_at)
        select own, d.class_id, d.person_id, d.role, d.joins_at, d.leaves_at,
               case when d.joins_at < moment() then moment() end
          from decided as d where d.outcome = 'created'
        on conflict on constraint seat_pkey do update set left_at = excluded.left_at
    ), audited as (
        select count(audit('rosterChange', 'class', r.class_id::text, r.details)) as events
          from (select d.class_id, jsonb_build_object('role', d.role,
                       'joined', coalesce(jsonb_agg(d.person_id) filter (where d.outcome = 'created'), '[]'),
                       'left', coalesce(jsonb_agg(d.person_id) filter (
                                        where d.outcome = 'updated' and d.leaves_at is not null), '[]'),
                       'moved', coalesce(jsonb_agg(d.person_id) filter (
                                         where d.outcome = 'updated' and d.leaves_at is null), '[]')) as details
                  from decided as d where d.outcome in ('created', 'updated')
                 group by d.class_id, d.role) as r
    )
    select d.position, d.joins_at, d.outcome, d.most from decided as d cross join audited;
end $$;

-- crowded_rosters: the rosters that would exceed the limit of a class with someone who is not in it yet. A roster
-- that was larger before the limit was lowered stays, but no one can join it.
--
-- p_rosters: [{class_id, role, person_ids}]; a class that does not exist yet may be named by a source_id instead.
create or replace function crowded_rosters(p_rosters jsonb)
    returns table (place integer, role text, most integer, wanted integer)
    language plpgsql stable
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    own constant uuid := my_organization();
begin
    return query
    select s.place, s.role, class_size_limit(o, s.role), cardinality(s.person_ids)
      from jsonb_to_recordset(p_rosters)
           as s (place integer, class_id uuid, source_id text, role text, person_ids uuid[])
      join organization as o on o.organization_id = own
     where cardinality(s.person_ids) > class_size_limit(o, s.role)
       and exists (
           select from unnest(s.person_ids) as w (person_id)
            where not exists (
                  select from class as c
                    join seat as t on t.organization_id = own and t.class_id = c.class_id
                   where c.organization_id = own and (c.class_id = s.class_id or c.source_id = s.source_id)
                     and t.person_id = w.person_id and t.role = s.role and is_open_seat(t)));
end $$;

-- audit_roster: writes the event of a changed roster.
create or replace function audit_roster(p_class_id uuid, p_role text, p_joined uuid[], p_left uuid[]) returns void
    language sql
begin atomic
    select audit('rosterChange', 'class', p_class_id::text, jsonb_build_object(
        'role', p_role, 'joined', to_jsonb(coalesce(p_joined, '{}')), 'left', to_jsonb(coalesce(p_left, '{}'))));
end;

-- end_seats: ends seats at once or, if they begin later, before they begin: [{class_id, role, person_ids}]. Returns
-- them.
create or replace function end_seats(p_organization_id uuid, p_rosters jsonb) returns setof seat
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    return query
    update seat as t set left_at = greatest(moment(), t.joined_at)
      from jsonb_to_recordset(p_rosters) as s (class_id uuid, role text, person_ids uuid[])
     where t.organization_id = p_organization_id and t.class_id = s.class_id and t.role = s.role
       and t.person_id = any (s.person_ids) and is_open_seat(t, greatest(moment(), t.joined_at))
    returning t.*;
end $$;

-- begin_seats: seats people from now on, or from joined_at on: [{class_id, role, person_ids, joined_at}]. Seats that
-- would begin later begin now; who has a seat that is not over at p_over_at keeps it. Returns the seats that began.
create or replace function begin_seats(
    p_organization_id uuid, p_rosters jsonb, p_over_at timestamptz default moment()) returns setof seat
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    return query
    update seat as t set joined_at = moment()
      from jsonb_to_recordset(p_rosters) as s (class_id uuid, role text, person_ids uuid[])
     where t.organization_id = p_organization_id and t.class_id = s.class_id and t.role = s.role
       and t.person_id = any (s.person_ids) and t.joined_at > moment() and is_open_seat(t, t.joined_at)
    returning t.*;
    return query
    insert into seat as t (organization_id, class_id, person_id, role, joined_at)
    select p_organization_id, s.class_id, w.person_id, s.role, coalesce(s.joined_at, moment())
      from jsonb_to_recordset(p_rosters) as s (class_id uuid, role text, person_ids uuid[], joined_at timestamptz)
     cross join unnest(s.person_ids) as w (person_id)
     where not exists (
           select from seat as h
            where h.organization_id = p_organization_id and h.class_id = s.class_id and h.person_id = w.person_id
              and h.role = s.role and is_open_seat(h, p_over_at))
    -- Who left in the moment of coming has come again.
    on conflict on constraint seat_pkey do update set left_at = null
    returning t.*;
end $$;

-- replace_rosters: from now on exactly the people of each roster have seats. Seats of others end at once or, if they
-- begin later, never begin. Seats of the roster that would begin later begin now.
--
-- p_rosters: [{class_id, role, person_ids}]. Returns the classes in which someone left or joined.
create or replace function replace_rosters(p_rosters jsonb) returns setof uuid
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    own   constant uuid := my_organization();
    ended constant seat[] := array(select e from end_seats(own, (
        select coalesce(jsonb_agg(jsonb_build_object(
                   'class_id', s.class_id, 'role', s.role, 'person_ids', array(
                       select t.person_id from seat as t
                        where t.organization_id = own and t.class_id = s.class_id and t.role = s.role
                          and is_open_seat(t, greatest(moment(), t.joined_at))
                          and t.person_id <> all (s.person_ids)))), '[]')
          from jsonb_to_recordset(p_rosters) as s (class_id uuid, role text, person_ids uuid[]))) as e);
    begun constant seat[] := array(select b from begin_seats(own, p_rosters) as b);
begin
    perform audit_roster(
                c.class_id, c.role, array_agg(c.person_id order by c.person_id) filter (where c.has_joined),
                array_agg(c.person_id order by c.person_id) filter (where not c.has_joined))
       from (select e.class_id, e.role, e.person_id, false as has_joined from unnest(ended) as e
             union all
             select n.class_id, n.role, n.person_id, true from unnest(begun) as n) as c
      group by c.class_id, c.role
      order by c.class_id, c.role;
    return query select distinct c.class_id from unnest(ended || begun) as c;
end $$;

-- end_seat: ends the seat of one person in a class, at once or, if it begins later, before it begins. False if there
-- is none.
create or replace function end_seat(p_class_id uuid, p_role text, p_person_id uuid) returns boolean
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    perform from end_seats(my_organization(), jsonb_build_array(jsonb_build_object(
        'class_id', p_class_id, 'role', p_role, 'person_ids', jsonb_build_array(p_person_id))));
    if not found then
        return false;
    end if;
    perform audit_roster(p_class_id, p_role, '{}', array[p_person_id]);
    return true;
end $$;

grant execute on function begin_seats(uuid, jsonb, timestamptz), end_seats(uuid, jsonb)
    to school_directory_manager, school_manager, school_directory_writer;
grant execute on function class_size_limit(organization, text), put_seats(jsonb), crowded_rosters(jsonb),
    replace_rosters(jsonb), audit_roster(uuid, text, uuid[], uuid[]), end_seat(uuid, text, uuid)
    to school_directory_manager, school_manager;
