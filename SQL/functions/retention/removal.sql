-- Functions of removal: what the rules of retention no longer keep is removed in small steps.

-- old_activities (internal): older activities that no hold keeps.
create or replace function old_activities(p_organization_id uuid, p_before timestamptz)
    returns table (person_id uuid, activity_id uuid)
    language sql stable
begin atomic
    select a.person_id, a.activity_id from activity as a
     where a.organization_id = p_organization_id and a.arrived_at < p_before
       and a.person_id not in (select h from held_people(p_organization_id) as h);
end;

-- old_handouts (internal): handouts of classes whose term was closed before the given moment and that no hold keeps.
create or replace function old_handouts(p_organization_id uuid, p_before timestamptz) returns setof uuid
    language sql stable
begin atomic
    select h.handout_id from handout as h
      join class as c on c.organization_id = h.organization_id and c.class_id = h.class_id and c.archived_at < p_before
      join term as t on t.organization_id = c.organization_id and t.term_id = c.term_id and t.closed_at < p_before
     where h.organization_id = p_organization_id
       and h.class_id not in (select k from held_classes(p_organization_id) as k);
end;

-- held_events_begin (internal): when the first event about a held person or class arrived; null if there is none.
create or replace function held_events_begin(p_organization_id uuid) returns timestamptz
    language sql stable
begin atomic
    select min(e.arrived_at)::timestamptz
      from retention_hold as k
      join audit_event as e
        on e.organization_id = k.organization_id
       and (e.person_id = k.person_id or e.subject_id = coalesce(k.person_id, k.class_id)::text
            or e.kind = 'rosterChange'
               and (e.details -> 'joined' ? k.person_id::text or e.details -> 'left' ? k.person_id::text))
     where k.organization_id = p_organization_id;
end;

-- old_seals (internal): the seals at the beginning of an audit trail whose events are all older, and before every
-- event about a held person or class, with the number of their events. Neither the seal that the last cut kept nor the
-- newest seal is among them: the chain continues from it.
create or replace function old_seals(p_organization_id uuid, p_before timestamptz)
    returns table (number bigint, events integer)
    language sql stable
begin atomic
    select s.number, cardinality(s.event_ids)
      from audit_seal as s
     where s.organization_id = p_organization_id
       and s.number > coalesce((select c.number from audit_cut as c where c.organization_id = p_organization_id), 0)
       and s.number < (select max(l.number) from audit_seal as l where l.organization_id = p_organization_id)
       and s.number < coalesce((
           select min(n.number) from audit_seal as n
            where n.organization_id = p_organization_id
              and n.last_arrived_at >= least(p_before, held_events_begin(p_organization_id))), s.number + 1)
     order by s.number;
end;

-- old_viewings (internal): viewings of earlier days that no hold keeps, oldest first.
create or replace function old_viewings(p_organization_id uuid, p_before timestamptz) returns setof uuid
    language sql stable
begin atomic
    select v.viewing_id from viewing as v join organization as o on o.organization_id = v.organization_id
     where v.organization_id = p_organization_id and v.viewed_on < (p_before at time zone o.time_zone)::date
       and not exists (select from retention_hold as k
                        where k.organization_id = v.organization_id
                          and (k.class_id = v.class_id or k.person_id in (v.student_id, v.reader_id)
                               or v.student_id is null and exists (
                                   select from seat as s
                                    where s.organization_id = v.organization_id and s.class_id = v.class_id
                                      and s.person_id = k.person_id)))
     order by v.viewed_on;
end;

-- remove_activities (internal): removes at most p_limit of them and records that for exports; returns how many. Like
-- old_activities, but stops at the limit: joined with it, every step would read all that are old.
create or replace function remove_activities(p_organization_id uuid, p_before timestamptz, p_limit integer)
    returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    removed bigint;
begin
    with old as (
        select a.ctid as place from activity as a
         where a.organization_id = p_organization_id and a.arrived_at < p_before
           and a.person_id not in (select h from held_people(p_organization_id) as h)
         limit p_limit for update of a skip locked),
    gone as (
        delete from activity where organization_id = p_organization_id and ctid = any (array(select place from old))
        returning person_id, activity_id, environment),
    noted as (
        insert into deletion (organization_id, deletion_id, kind, subject_id, person_id)
        select p_organization_id, new_id(), 'activity', activity_id, person_id from gone
         where environment = 'production')
    select count(*) into removed from gone;
    return removed;
end $$;

-- remove_handouts (internal): removes at most p_limit handouts with everything in them, and activities that counted
-- for nothing else; returns how many handouts.
create or replace function remove_handouts(p_organization_id uuid, p_before timestamptz, p_limit integer)
    returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    doomed uuid[] := array(select h from old_handouts(p_organization_id, p_before) as h order by h limit p_limit);
    tasks  uuid[];
    place  text;
begin
    if doomed = '{}' then
        return 0;
    end if;
    perform from handout where organization_id = p_organization_id and handout_id = any (doomed)
      order by handout_id for update;
    tasks := array(select task_id from task where organization_id = p_organization_id and handout_id = any (doomed));
    -- Receivers of exports remove a handout with all that belongs to it. They never had one that was not exported.
    delete from deletion as d using handout as h
     where d.organization_id = p_organization_id and d.kind = 'handout' and h.organization_id = p_organization_id
       and h.handout_id = d.subject_id and h.handout_id = any (doomed);
    insert into deletion (organization_id, deletion_id, kind, subject_id)
    select organization_id, new_id(), 'handout', handout_id from handout
     where organization_id = p_organization_id and handout_id = any (doomed) and environment = 'production'
       and publish_at <= coalesce(deleted_at, now());
    update handout set deleted_at = moment()
     where organization_id = p_organization_id and handout_id = any (doomed) and deleted_at is null;
    -- Parts are found by their links, as no index leads from a task to them.
    delete from activity_part as p using activity_assignment as l
     where l.organization_id = p_organization_id and l.task_id = any (tasks)
       and p.organization_id = l.organization_id and p.person_id = l.person_id and p.activity_id = l.activity_id
       and p.task_id = l.task_id;
    with gone as (
        delete from activity as a
         where a.organization_id = p_organization_id
           and (a.person_id, a.activity_id) in (
               select l.person_id, l.activity_id from activity_assignment as l
                where l.organization_id = p_organization_id and l.task_id = any (tasks))
           and not exists (
               select from activity_assignment as l
                where l.organization_id = a.organization_id and l.person_id = a.person_id
                  and l.activity_id = a.activity_id and l.task_id <> all (tasks))
        returning a.person_id, a.activity_id, a.environment)
    insert into deletion (organization_id, deletion_id, kind, subject_id, person_id)
    select p_organization_id, new_id(), 'activity', activity_id, person_id from gone where environment = 'production';
    foreach place in array '{activity_assignment,assignment_figures,assignment}'::text[] loop
        execute format('delete from %I where organization_id = $1 and task_id = any ($2)', place)
          using p_organization_id, tasks;
    end loop;
    foreach place in array '{handout_recipient,former_recipient,handout_lock,watched_report,task,handout}'::text[] loop
        execute format('delete from %I where organization_id = $1 and handout_id = any ($2)', place)
          using p_organization_id, doomed;
    end loop;
    return cardinality(doomed);
end $$;

-- cut_audit_trail (internal): removes the oldest events, whole seals at a time, until p_limit are gone; returns how
-- many. The last of these seals stays, and an event records its number and digest: the chain can be verified from there
-- on, and that seal or a later one that was noted elsewhere is still found.
create or replace function cut_audit_trail(p_organization_id uuid, p_before timestamptz, p_limit integer)
    returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    old     record;
    seal    audit_seal;
    removed bigint := 0;
begin
    if not pg_try_advisory_xact_lock(hashtextextended('seal ' || p_organization_id, 0)) then
        return 0;
    end if;
    for old in select * from old_seals(p_organization_id, p_before) loop
        exit when removed >= p_limit;
        select * into strict seal from audit_seal
         where organization_id = p_organization_id and number = old.number;
        delete from audit_event
         where organization_id = p_organization_id and arrived_at <= seal.last_arrived_at
           and event_id = any (seal.event_ids);
        removed := removed + old.events;
    end loop;
    if removed > 0 then
        delete from audit_seal where organization_id = p_organization_id and number < seal.number;
        insert into audit_cut (organization_id, number, digest) values (p_organization_id, seal.number, seal.digest)
            on conflict on constraint audit_cut_pkey
            do update set number = excluded.number, digest = excluded.digest, cut_at = excluded.cut_at;
        perform write_audit_event(p_organization_id, 'retention', 'server', null, null, null, 'organization',
            p_organization_id::text, jsonb_build_object('auditEvents', removed, 'sealNumber', seal.number,
                                                        'sealDigest', encode(seal.digest, 'hex')));
    end if;
    return removed;
end $$;

-- remove_viewings (internal): removes at most p_limit old viewings; returns how many.
create or replace function remove_viewings(p_organization_id uuid, p_before timestamptz, p_limit integer)
    returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    removed bigint;
begin
    delete from viewing where organization_id = p_organization_id and viewing_id = any (array(
        select o from old_viewings(p_organization_id, p_before) as o limit p_limit));
    get diagnostics removed = row_count;
    return removed;
end $$;

-- take_by_rule (internal): one step of a rule; returns how many rows it removed.
create or replace function take_by_rule(r retention_rule, p_limit integer) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    cutoff constant timestamptz := retention_cutoff(r, now());
    taken  bigint;
begin
    taken := case r.kind when 'activities'  then remove_activities(r.organization_id, cutoff, p_limit)
                         when 'handouts'    then remove_handouts(r.organization_id, cutoff, greatest(p_limit / 100, 1))
                         when 'auditEvents' then cut_audit_trail(r.organization_id, cutoff, p_limit)
                                                  + remove_viewings(r.organization_id, cutoff, p_limit) end;
    if taken > 0 then
        update retention_rule set removed_before = greatest(removed_before, cutoff)
         where organization_id = r.organization_id and kind = r.kind;
    end if;
    return taken;
end $$;

-- remove_by_rules: one step of tonight's removal for one organization; true if more may be left. A night begins at
-- midnight in the organization's time zone. When nothing is left to remove, the night is over, and an event says how
-- much was removed. Servers that run it at the same time work on different organizations.
-- Exported folders are removed by the command that writes them.
create or replace function remove_by_rules(p_limit integer default 1000) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    tenant record;
    rule   retention_rule;
    taken  bigint;
    sum    bigint := 0;
    total  jsonb;
begin
    for tenant in
        select o.organization_id, (now() at time zone o.time_zone)::date as night from organization as o
         where exists (select from retention_rule as r
                        where r.organization_id = o.organization_id and r.kind <> 'exports'
                          and retention_cutoff(r, now()) is not null and r.effective_at <= now())
           and not exists (select from retention_night as n
                            where n.organization_id = o.organization_id and n.finished_at is not null
                              and n.night >= (now() at time zone o.time_zone)::date)
           and not is_ending(o.organization_id) and not is_at_rest(o.organization_id)
         order by o.organization_id
    loop
        continue when not pg_try_advisory_xact_lock(hashtextextended('retention ' || tenant.organization_id, 0));
        insert into retention_night (organization_id, night) values (tenant.organization_id, tenant.night)
            on conflict on constraint retention_night_pkey
            do update set night = excluded.night, counts = '{}', finished_at = null
             where retention_night.finished_at is not null;
        select counts into strict total from retention_night where organization_id = tenant.organization_id;
        for rule in
            select * from retention_rule as r
             where r.organization_id = tenant.organization_id and r.kind <> 'exports'
               and retention_cutoff(r, now()) is not null and r.effective_at <= now() order by r.kind
        loop
            taken := take_by_rule(rule, p_limit);
            sum := sum + taken;
            if taken > 0 then
                total := total || jsonb_build_object(rule.kind, coalesce((total ->> rule.kind)::bigint, 0) + taken);
            end if;
        end loop;
        update retention_night set counts = total, finished_at = case when sum = 0 then moment() end
         where organization_id = tenant.organization_id;
        if sum = 0 and total <> '{}' then
            perform write_audit_event(tenant.organization_id, 'retention', 'server', null, null, null, 'organization',
                                      tenant.organization_id::text,
                                      jsonb_build_object('night', tenant.night, 'removed', total));
        end if;
        return true;
    end loop;
    return false;
end $$;
grant execute on function remove_by_rules(integer) to school_server;
