-- Functions of removal: a step of each kind, in which what is old goes.

-- remove_activities (internal): removes at most p_limit that are older and that no hold keeps, and records that for
-- exports; returns how many. It stops at the limit, so that no step reads all that are old.
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
       and publish_at <= coalesce(deleted_at, moment());
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

-- remove_grades (internal): removes at most p_limit old grades; returns how many. As when the system that wrote one
-- removes it, only its ids stay, for 90 days (forget_tombstones), so that systems that ask what changed learn of it.
create or replace function remove_grades(p_organization_id uuid, p_before timestamptz, p_limit integer)
    returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    removed bigint;
begin
    with old as (
        select g.ctid as place from grade as g
         where g.organization_id = p_organization_id and g.deleted_at is null
           and g.grade_id in (select o from old_grades(p_organization_id, p_before) as o limit p_limit)
           for update of g skip locked)
    update grade
       set deleted_at = moment(), status = 'not submitted', score = null, text_score = null, comment = null,
           is_in_progress = null, is_incomplete = null, is_late = null, is_missing = null, more = null
     where organization_id = p_organization_id and deleted_at is null and ctid = any (array(select place from old));
    get diagnostics removed = row_count;
    return removed;
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
