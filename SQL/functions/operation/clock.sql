-- Functions of the clock: whether what is due may be removed, although nothing but a clock says that it is due.
--
-- A clock that is wrong for a minute makes everything old. So removal does not go by moment(), but by removal_moment():
-- what the clock said when servers had run for a day less than now. What is removed was due at a look then, and is due
-- now. How long servers ran is measured by their own clocks, which never jump.
--
-- The clock jumped if it went on by more than two days more than servers measured, or back by more than five minutes.
-- Then the looks before count no more, and nothing is removed until servers have run for a day without another jump, or
-- the operator accepts the clock. After a jump of more than a hundred days only the operator ends it: no summer is that
-- long. A clock that goes back to where it was is compared with the time before its first jump, so that a wrong minute
-- is over after a day.

-- clock_jump (internal): how far the clock is from what was expected, if that is a jump; else null.
create or replace function clock_jump(p_looked_at timestamptz, p_at timestamptz, p_measured_milliseconds bigint)
    returns interval language sql immutable
    return case when p_at < p_looked_at - interval '5 minutes'
                  or p_at > p_looked_at + p_measured_milliseconds * interval '1 millisecond' + interval '2 days'
                then p_at - p_looked_at end;

-- clock_waits (internal): whether only the operator ends a jump.
create or replace function clock_waits(p_from timestamptz, p_to timestamptz) returns boolean
    language sql immutable
    return p_to > p_from + interval '100 days';

-- removal_moment: what expired before this may be removed; -infinity if nothing may. Never later than the clock, and
-- unlike that never wrong for less than a day.
create or replace function removal_moment() returns timestamptz
    language sql stable security definer
    set search_path = school, pg_temp
begin atomic
    select coalesce(max(l.looked_at), '-infinity')::timestamptz
      from clock as c join clock_look as l on l.running_milliseconds <= c.running_milliseconds - 86400000
     where c.jumped_from is null;
end;

-- clock_state: what is known of the clock; no row before the first look. A jump that no look has noticed yet counts.
-- remaining_milliseconds: how long servers have to run until something may be removed, unless needs_acceptance.
-- removes_before: what was due before that may be removed; null if nothing may.
create or replace function clock_state()
    returns table (present timestamptz, looked_at timestamptz, jumped_from timestamptz, jumped_to timestamptz,
                   needs_acceptance boolean, remaining_milliseconds bigint, removes_before timestamptz)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    known    clock;
    is_fresh boolean;
begin
    select * into known from clock;
    if not found then
        return;
    end if;
    is_fresh := clock_jump(known.looked_at, moment(), 0) is not null;
    if is_fresh then
        known.jumped_from := coalesce(known.jumped_from, known.looked_at);
        known.jumped_to := moment();
    end if;
    return query
    select moment(), known.looked_at::timestamptz, known.jumped_from::timestamptz, known.jumped_to::timestamptz,
           coalesce(clock_waits(known.jumped_from, known.jumped_to), false),
           case when is_fresh then 86400000
                else greatest(0, 86400000 - known.running_milliseconds
                                 + coalesce(known.jumped_milliseconds, (select min(l.running_milliseconds)
                                                                          from clock_look as l))) end,
           case when not is_fresh then nullif(removal_moment(), '-infinity') end;
end $$;

-- look_at_clock: notes what the clock says, and whether it jumped. A server gives the time that it has measured since its
-- own last look; a command gives none. Of several servers that look, each adds what has passed since the last look of
-- any, as far as it has measured that itself. Says whether this look noticed the jump.
create or replace function look_at_clock(p_measured_milliseconds bigint default 0) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    present  constant timestamptz := moment();
    measured constant bigint := greatest(coalesce(p_measured_milliseconds, 0), 0);
    known    clock;
begin
    -- Where an earlier version ran, the last seal is the last look.
    insert into clock (looked_at)
    select coalesce((select max(s.sealed_at) from audit_seal as s), present)
     where not exists (select from clock)
        on conflict on constraint clock_pkey do nothing;
    select * into strict known from clock for update;
    if clock_jump(known.looked_at, present, measured) is not null then
        update clock
           set looked_at = present, jumped_from = coalesce(known.jumped_from, known.looked_at), jumped_to = present,
               jumped_milliseconds = known.running_milliseconds;
        delete from clock_look;
        insert into clock_look (running_milliseconds, looked_at) values (known.running_milliseconds, present);
        return true;
    end if;
    known.running_milliseconds := known.running_milliseconds + least(measured, greatest(
        0, (extract(epoch from present - known.looked_at) * 1000)::bigint));
    if known.running_milliseconds >= known.jumped_milliseconds + 86400000
        and not clock_waits(known.jumped_from, known.jumped_to) then
        known.jumped_from := null;
        known.jumped_to := null;
        known.jumped_milliseconds := null;
    end if;
    update clock
       set looked_at = greatest(known.looked_at, present), running_milliseconds = known.running_milliseconds,
           jumped_from = known.jumped_from, jumped_to = known.jumped_to,
           jumped_milliseconds = known.jumped_milliseconds;
    insert into clock_look (running_milliseconds, looked_at)
    select known.running_milliseconds, present
     where not exists (select from clock_look as l
                        where l.running_milliseconds > known.running_milliseconds - 600000);
    -- The newest that is a day old, and all after it.
    delete from clock_look where running_milliseconds < (
        select max(l.running_milliseconds) from clock_look as l
         where l.running_milliseconds <= known.running_milliseconds - 86400000);
    return false;
end $$;

-- accept_clock: the operator says that the clock is right after a jump, which ends it; false if it did not jump. What is
-- due by now may be removed at once.
create or replace function accept_clock() returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    known clock;
begin
    perform look_at_clock();
    select * into strict known from clock for update;
    if known.jumped_from is null then
        return false;
    end if;
    update clock set jumped_from = null, jumped_to = null, jumped_milliseconds = null;
    delete from clock_look;
    insert into clock_look (running_milliseconds, looked_at)
    values (known.running_milliseconds - 86400000, moment()), (known.running_milliseconds, moment());
    perform write_audit_event(o.organization_id, 'organizationChange', 'server', null, null, null, 'organization',
                              o.organization_id::text,
                              jsonb_build_object('change', 'clockAccepted', 'from', rfc3339(known.jumped_from),
                                                 'to', rfc3339(known.jumped_to)))
       from organization as o where not is_at_rest(o.organization_id);
    return true;
end $$;

-- due_by_clock: the organizations that go, or whose rules remove something, if the clock is right.
create or replace function due_by_clock()
    returns table (organization_id uuid, name text, is_whole boolean, due_at timestamptz)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select o.organization_id, o.name, true, d.due_at from due_deletions(moment()) as d
      join organization as o on o.organization_id = d.organization_id
    union all
    select o.organization_id, o.name, false, r.effective_at from organizations_with_rules(moment()) as r
      join organization as o on o.organization_id = r.organization_id
     order by 3 desc, 2, 1;
end $$;
grant execute on function clock_state() to school_exporter_login;
grant execute on function clock_state(), look_at_clock(bigint), accept_clock(), due_by_clock() to school_server;
