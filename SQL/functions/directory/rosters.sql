-- Functions of rosters: the size limit of a class, and that backdating a seat reveals nothing.

-- check_class_size: no class gets more students or teachers than the organization allows. Seats that begin later
-- count. A roster that was larger before the limit was lowered stays, but no one can join it. Runs once per
-- statement. The classes are locked, so that two transactions that take the last free seat count one after the other.
-- The server checks first, with a readable message; this is what enforces the limit, for imports too, as the
-- constraint class_has_room, whose detail names class, limit and count.
create or replace function check_class_size() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    -- Not the transaction's time: an import ends seats at its own end, which is later.
    present constant timestamptz := latest_moment();
    growing jsonb;
    crowded record;
begin
    if tg_op = 'INSERT' then
        select jsonb_agg(g) into growing from (
            select organization_id, class_id, role from changed
             where left_at is null or left_at > present
             group by organization_id, class_id, role) as g;
    else
        select jsonb_agg(g) into growing from (
            select organization_id, class_id, role
              from (select organization_id, class_id, role, left_at, 1 as seat from changed
                    union all
                    select organization_id, class_id, role, left_at, -1 from former) as s
             where left_at is null or left_at > present
             group by organization_id, class_id, role having sum(seat) > 0) as g;
    end if;
    if growing is null then
        return null;
    end if;
    perform from class as c
      where (c.organization_id, c.class_id) in (
            select g.organization_id, g.class_id
              from jsonb_to_recordset(growing) as g (organization_id uuid, class_id uuid))
      order by c.organization_id, c.class_id for no key update;
    -- Someone with two stays counts once; that is checked only where there are too many seats.
    select r.class_id, r.role, p.people, r.most into crowded
      from (select s.organization_id, s.class_id, s.role, l.most
              from jsonb_to_recordset(growing) as g (organization_id uuid, class_id uuid, role text)
              join seat as s on s.organization_id = g.organization_id and s.class_id = g.class_id
                            and s.role = g.role and is_open_seat(s, present)
              join organization as o on o.organization_id = g.organization_id
             cross join lateral (select class_size_limit(o, g.role) as most) as l
             group by s.organization_id, s.class_id, s.role, l.most
            having count(*) > l.most) as r
     cross join lateral (
           select count(distinct s.person_id) as people from seat as s
            where s.organization_id = r.organization_id and s.class_id = r.class_id and s.role = r.role
              and is_open_seat(s, present)) as p
     where p.people > r.most
     order by r.class_id, r.role limit 1;
    if found then
        raise exception 'the class has no room'
            using errcode = '23514', schema = 'school', table = 'seat', constraint = 'class_has_room',
                  detail = format('class %s, %s: %s of at most %s', crowded.class_id, crowded.role,
                                  crowded.people, crowded.most);
    end if;
    return null;
end $$;

-- keep_joining: a seat whose beginning is moved earlier, or that is extended after it ended, counts for recording
-- only from when that became known. Activities that could not be recorded at the time are not revealed afterwards
-- (assigned_tasks).
create or replace function keep_joining() returns trigger language plpgsql
    set search_path = school, pg_temp as $$
begin
    new.recorded_at := case
        when old.left_at <= moment() and (new.left_at is null or new.left_at > old.left_at) then moment()
        else least(greatest(old.joined_at, old.recorded_at), greatest(new.joined_at, moment())) end;
    return new;
end $$;

-- day_zone: the time zone in which the days of a class begin: its location's, else the organization's. Definer, so
-- that teachers, too, can read the roster of a day.
create or replace function day_zone(p_class_id uuid) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select coalesce(l.time_zone, o.time_zone)
              from class as c
              join location as l on l.organization_id = c.organization_id and l.location_id = c.location_id
              join organization as o on o.organization_id = c.organization_id
             where c.organization_id = my_organization() and c.class_id = p_class_id);
end $$;
grant execute on function day_zone(uuid) to school_directory_reader, school_teacher;

create or replace trigger check_class_size_of_new_seats after insert on seat
    referencing new table as changed for each statement execute function check_class_size();
create or replace trigger check_class_size_of_changed_seats after update on seat
    referencing new table as changed old table as former
    for each statement execute function check_class_size();
create or replace trigger keep_joining before update on seat
    for each row when (new.joined_at < old.joined_at or old.left_at is not null and new.left_at is distinct from old.left_at)
    execute function keep_joining();
