-- Functions of nights: which organizations have work tonight, and the steps in which it is done.

-- organizations_with_rules (internal): those whose rules let something go by the given moment, since when, and the date
-- there. Without those that are to be deleted or that another cell serves. Exported folders are removed by the command
-- that writes them.
create or replace function organizations_with_rules(p_at timestamptz)
    returns table (organization_id uuid, effective_at timestamptz, today date)
    language sql stable
begin atomic
    select o.organization_id, min(r.effective_at)::timestamptz, (moment() at time zone o.time_zone)::date
      from organization as o join retention_rule as r on r.organization_id = o.organization_id
     where r.kind <> 'exports' and r.effective_at <= p_at and retention_cutoff(r, p_at) is not null
       and not is_ending(o.organization_id) and not is_at_rest(o.organization_id)
     group by o.organization_id, o.time_zone;
end;

-- due_removals: the organizations whose night is not over, with its date. A night begins at midnight in the
-- organization's time zone. One that is far ahead is of a clock that was wrong, and counts for nothing.
create or replace function due_removals() returns table (organization_id uuid, night date)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select w.organization_id, w.today from organizations_with_rules((select removal_moment())) as w
     where not exists (select from retention_night as n
                        where n.organization_id = w.organization_id and n.finished_at is not null
                          and n.night between w.today and w.today + 1)
     order by w.organization_id;
end $$;

-- late_removals (internal): the organizations whose night is not over for more than a day.
create or replace function late_removals() returns setof uuid
    language sql stable
begin atomic
    select w.organization_id from organizations_with_rules((select removal_moment())) as w
     where w.effective_at < removal_moment() - interval '2 days'
       and not exists (select from retention_night as n
                        where n.organization_id = w.organization_id and n.night between w.today - 1 and w.today + 1)
     order by w.organization_id;
end;

-- take_by_rule (internal): one step of a rule; returns how many rows it removed.
create or replace function take_by_rule(r retention_rule, p_limit integer) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    cutoff constant timestamptz := retention_cutoff(r, removal_moment());
    taken  bigint;
begin
    taken := case r.kind when 'activities'  then remove_activities(r.organization_id, cutoff, p_limit)
                         when 'grades'      then remove_grades(r.organization_id, cutoff, p_limit)
                         when 'handouts'    then remove_handouts(r.organization_id, cutoff, greatest(p_limit / 100, 1))
                         when 'auditEvents' then cut_audit_trail(r.organization_id, cutoff, p_limit)
                                                  + remove_viewings(r.organization_id, cutoff, p_limit) end;
    if taken > 0 then
        update retention_rule set removed_before = greatest(removed_before, cutoff)
         where organization_id = r.organization_id and kind = r.kind;
    end if;
    return taken;
end $$;

-- remove_by_rules: one step of tonight's removal for an organization; true if more may be left. When nothing is left to
-- remove, the night is over, and an event says how much was removed. While there is a hold, activities, grades and
-- handouts are not counted: if all students but one were on hold, the number would be that student's alone. If several
-- servers try at the same time, one does it.
create or replace function remove_by_rules(p_organization_id uuid, p_limit integer default 1000) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    tonight date;
    rule    retention_rule;
    taken   bigint;
    sum     bigint := 0;
    total   jsonb;
begin
    if not pg_try_advisory_xact_lock(hashtextextended('retention ' || p_organization_id, 0)) then
        return false;
    end if;
    select d.night into tonight from due_removals() as d where d.organization_id = p_organization_id;
    if not found then
        return false;
    end if;
    insert into retention_night (organization_id, night) values (p_organization_id, tonight)
        on conflict on constraint retention_night_pkey
        do update set night = excluded.night, counts = '{}', finished_at = null
         where retention_night.finished_at is not null;
    select night, counts into strict tonight, total from retention_night where organization_id = p_organization_id;
    for rule in
        select * from retention_rule as r
         where r.organization_id = p_organization_id and r.kind <> 'exports'
           and retention_cutoff(r, removal_moment()) is not null and r.effective_at <= removal_moment()
         order by r.kind
    loop
        taken := take_by_rule(rule, p_limit);
        sum := sum + taken;
        if taken > 0 and (rule.kind = 'auditEvents' or not exists (
                select from retention_hold as k where k.organization_id = p_organization_id)) then
            total := total || jsonb_build_object(rule.kind, coalesce((total ->> rule.kind)::bigint, 0) + taken);
        end if;
    end loop;
    update retention_night set counts = total, finished_at = case when sum = 0 then moment() end
     where organization_id = p_organization_id;
    if sum = 0 and total <> '{}' then
        perform write_audit_event(p_organization_id, 'retention', 'server', null, null, null, 'organization',
                                  p_organization_id::text,
                                  jsonb_build_object('night', tonight, 'removed', total));
    end if;
    return sum > 0;
end $$;
grant execute on function due_removals(), remove_by_rules(uuid, integer) to school_server;
