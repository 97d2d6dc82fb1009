-- Functions of activities: what attempts come to for the tasks they count for.

-- replace_items (internal): writes the items of each attempt at its task, taken from the part whose items are kept.
-- Old items of the attempts in p_replaced are deleted first. One by one, because a planner without good statistics
-- would read everything the student ever did.
create or replace function replace_items(p_organization_id uuid, p_person_id uuid, p_replaced uuid[],
                                         p_ids uuid[], p_tasks uuid[], p_items jsonb[]) returns void
    language plpgsql
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan set jit = off as $$
begin
    for i in 1 .. coalesce(cardinality(p_ids), 0) loop
        if p_ids[i] = any (p_replaced) then
            delete from activity_item
             where organization_id = p_organization_id and person_id = p_person_id
               and activity_id = p_ids[i] and task_id = p_tasks[i];
        end if;
    end loop;
    insert into activity_item (organization_id, person_id, activity_id, task_id, identifier, position,
                               is_primary, kind, title, score, max_score, quantity, value, value_type)
    select p_organization_id, p_person_id, w.activity_id, w.task_id, e.item ->> 'identifier', e.position,
           e.position = 1, e.item ->> 'kind', e.item ->> 'title',
           (e.item ->> 'score')::double precision, (e.item ->> 'maxScore')::double precision,
           (e.item ->> 'quantity')::double precision, (e.item ->> 'value')::boolean,
           e.item ->> 'valueType'
      from unnest(p_ids, p_tasks, p_items) as w (activity_id, task_id, items)
     cross join jsonb_array_elements(w.items) with ordinality as e (item, position)
     where e.item <> 'null';
end $$;

-- take_out_of_exports (internal): exports may hold what no longer counts. So receivers remove all rows of these
-- attempts, and get those that count again.
create or replace function take_out_of_exports(p_organization_id uuid, p_person_id uuid, p_environment text,
                                               p_ids uuid[]) returns void
    language plpgsql
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan set jit = off as $$
declare
    attempt uuid;
begin
    for attempt in select distinct unnest(p_ids) loop
        if p_environment = 'production' then
            insert into deletion (organization_id, deletion_id, kind, subject_id, person_id)
            values (p_organization_id, new_id(), 'activity', attempt, p_person_id);
        end if;
        update activity_assignment set updated_at = moment()
         where organization_id = p_organization_id and person_id = p_person_id and activity_id = attempt
           and is_shown;
    end loop;
end $$;

-- parts_max, parts_bytes_max: how many parts of an attempt are kept for a task, and how many bytes of ranges and
-- items, before some are merged.
create or replace function parts_max() returns integer language sql immutable parallel safe return 100;
create or replace function parts_bytes_max() returns integer language sql immutable parallel safe return 524288;

-- part_bytes (internal): the approximate size of a part: the columns that an app can make large.
create or replace function part_bytes(p activity_part) returns integer
    language sql immutable parallel safe
    return pg_column_size(p.progress_ranges) + pg_column_size(p.items);

-- merge_parts_within (internal): merges those parts of an attempt that were changed within the same p_seconds,
-- counted from 1970. The part with the last change, of those that say something about items, takes over what the others
-- report, and counts as they would if all of them counted. Ranges are rounded. Partial parts: see merged_items.
create or replace function merge_parts_within(p_organization_id uuid, p_person_id uuid, p_activity_id uuid,
                                              p_task_id uuid, p_seconds bigint) returns void
    language plpgsql
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan set jit = off as $$
begin
    with part as (
        select p.*, p as part, floor(extract(epoch from p.modified_at) / p_seconds) as span
          from activity_part as p
         where p.organization_id = p_organization_id and p.person_id = p_person_id
           and p.activity_id = p_activity_id and p.task_id = p_task_id
    ), span as (
        select p.span, min(p.started_at) as started_at, max(p.stopped_at) as stopped_at,
               max(p.modified_at) as modified_at, max(p.duration_seconds) as duration_seconds,
               range_agg(case when p.merged_seconds = 0 then rounded(p.progress_ranges)
                              else p.progress_ranges end) as progress_ranges,
               (array_agg(p.digest order by p.items = '[]', p.modified_at desc, p.digest desc))[1] as digest,
               (array_agg(p.part order by p.items = '[]', p.modified_at desc)
                    filter (where not p.is_partial))[1] as whole,
               array_agg(p.part) filter (where p.is_partial) as partial
          from part as p
         group by p.span
        having count(*) > 1 or min(p.merged_seconds) < p_seconds
    ), gone as (
        delete from activity_part as p
         using part as q
          join span as s using (span)
         where p.organization_id = p_organization_id and p.person_id = p_person_id
           and p.activity_id = p_activity_id and p.task_id = p_task_id
           and p.digest = q.digest and p.digest <> s.digest
    )
    update activity_part as p
       set started_at = s.started_at, stopped_at = s.stopped_at, modified_at = s.modified_at,
           duration_seconds = s.duration_seconds, progress_ranges = s.progress_ranges, merged_seconds = p_seconds,
           items = case when s.partial is null then p.items else merged_items(s.whole, s.partial) end,
           is_partial = s.partial is not null and (s.whole).digest is null
      from span as s
     where p.organization_id = p_organization_id and p.person_id = p_person_id
       and p.activity_id = p_activity_id and p.task_id = p_task_id and p.digest = s.digest;
end $$;

-- merge_parts (internal): keeps the parts of these attempts within parts_max and parts_bytes_max, and returns the
-- attempts that are or were beyond. Parts changed within the same second are merged, then within twice as long, and
-- so on, until they are few enough. The order in which parts arrived makes no difference to that, unless a few are
-- still too large.
create or replace function merge_parts(p_organization_id uuid, p_person_id uuid, p_new_parts activity_part[],
                                       p_known_ids uuid[]) returns uuid[]
    language plpgsql
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off
    set jit = off as $$
declare
    crowd   record;
    crowded uuid[] := '{}';
    is_fine boolean;
begin
    if p_known_ids is null and cardinality(p_new_parts) <= parts_max()
            and pg_column_size(p_new_parts) <= parts_bytes_max() then
        return crowded;
    end if;
    for crowd in
        select p.activity_id, p.task_id, max(p.merged_seconds) as seconds
          from (select distinct n.activity_id from unnest(p_new_parts) as n
                union select unnest(p_known_ids)) as i
         cross join lateral (
               select p.* from activity_part as p
                where p.organization_id = p_organization_id and p.person_id = p_person_id
                  and p.activity_id = i.activity_id offset 0) as p
         group by p.activity_id, p.task_id
        having count(*) > parts_max() or max(p.merged_seconds) > 0
            or count(*) > 1 and sum(part_bytes(p)) > parts_bytes_max()
    loop
        loop
            crowd.seconds := greatest(crowd.seconds, 1);
            perform merge_parts_within(p_organization_id, p_person_id, crowd.activity_id, crowd.task_id, crowd.seconds);
            select count(*) <= parts_max() and sum(part_bytes(p)) <= parts_bytes_max() or count(*) = 1
              into is_fine
              from activity_part as p
             where p.organization_id = p_organization_id and p.person_id = p_person_id
               and p.activity_id = crowd.activity_id and p.task_id = crowd.task_id;
            -- Ten thousand years: more than the range of valid times.
            exit when is_fine or crowd.seconds > 3e11;
            crowd.seconds := crowd.seconds * 2;
        end loop;
        crowded := crowded || crowd.activity_id;
    end loop;
    return crowded;
end $$;

-- count_attempts (internal): writes what attempts come to: those that got parts, each at its task, and those that
-- began before them, which they may end. p_new_parts are all parts of attempts that were not stored before; the parts
-- of stored attempts (p_known_ids) are read. p_gone_… names what no longer counts for a task, with the moment at
-- which it had begun there. Its statements are planned like those of store_activities.
--
-- Of the attempts stored for a task only the last is read, unless it began after one of these. By an index: a planner
-- without good statistics would read and sort everything the student ever did.
create or replace function count_attempts(p_organization_id uuid, p_person_id uuid, p_environment text,
                                          p_new_parts activity_part[], p_known_ids uuid[],
                                          p_gone_ids uuid[], p_gone_tasks uuid[], p_gone_at timestamptz[])
    returns void
    language plpgsql
    set search_path = school, pg_temp set enable_seqscan = off set enable_sort = off as $$
declare
    organization constant uuid := p_organization_id;
    student      constant uuid := p_person_id;
    crowded      constant uuid[] := merge_parts(p_organization_id, p_person_id, p_new_parts, p_known_ids);
    sent_ids     constant uuid[] := array(select n.activity_id from unnest(p_new_parts) as n) || p_known_ids;
    won          uuid[];
    won_tasks    uuid[];
    won_items    jsonb[];
    replaced     uuid[];
    hidden       uuid[];
begin
    with part as (
        select n as part, n.activity_id, n.task_id, n.started_at
          from unnest(p_new_parts) as n
         where n.activity_id <> all (crowded)
        union all
        select p.part, k.activity_id, p.task_id, p.started_at
          from (select unnest(p_known_ids) as activity_id union select unnest(crowded)) as k
         cross join lateral (
               select p as part, p.task_id, p.started_at from activity_part as p
                where p.organization_id = organization and p.person_id = student
                  and p.activity_id = k.activity_id offset 0) as p
    ), was as (
        select k.activity_id, l.*
          from unnest(p_known_ids) as k (activity_id)
         cross join lateral (
               select l.task_id, l.started_at, l.part_digest, l.is_shown from activity_assignment as l
                where l.organization_id = organization and l.person_id = student
                  and l.activity_id = k.activity_id offset 0) as l
    ), place as (
        select t.task_id, k.handout_id, k.class_id
          from (select p.task_id from part as p union select unnest(p_gone_tasks)) as t
         cross join lateral (
               select k.handout_id, k.class_id from task as k
                where k.organization_id = organization and k.task_id = t.task_id offset 0) as k
    ), sent as (
        select p.activity_id, k.*, min(p.started_at) as started_at, array_agg(p.part) as parts
          from part as p
          join place as k using (task_id)
         group by p.activity_id, k.task_id, k.handout_id, k.class_id
    ), point as (
        select s.task_id, s.handout_id, s.class_id, s.started_at, s.activity_id from sent as s
        union all
        select s.task_id, s.handout_id, s.class_id, w.started_at, s.activity_id
          from sent as s
          join was as w using (activity_id, task_id)
         where w.started_at <> s.started_at
        union all
        select k.*, g.started_at, g.activity_id
          from unnest(p_gone_ids, p_gone_tasks, p_gone_at) as g (activity_id, task_id, started_at)
          join place as k using (task_id)
    ), edge as (
        select f.*, e.started_at as last_at,
               coalesce(e.started_at >= f.started_at, false) as is_late
          from (select distinct on (p.task_id) p.* from point as p
                 order by p.task_id, p.started_at, p.activity_id) as f
          left join lateral (
               select l.started_at from activity_assignment as l
                where l.organization_id = organization and l.task_id = f.task_id and l.handout_id = f.handout_id
                  and l.class_id = f.class_id and l.person_id = student and l.activity_id <> all (sent_ids)
                order by l.started_at desc limit 1) as e on true
    ), before as (
        select distinct b.activity_id, p.task_id, p.handout_id, p.class_id, b.started_at, b.part_digest, b.is_shown
          from edge as g
          join point as p on p.task_id = g.task_id
                         and (g.is_late or p.started_at = g.started_at and p.activity_id = g.activity_id)
         cross join lateral (
               select l.activity_id, l.started_at, l.modified_at, l.is_cut, l.part_digest, l.is_shown
                 from activity_assignment as l
                where l.organization_id = organization and l.task_id = p.task_id and l.handout_id = p.handout_id
                  and l.class_id = p.class_id and l.person_id = student and l.activity_id <> all (sent_ids)
                  and l.started_at < p.started_at
                order by l.started_at desc fetch first row with ties) as b
         where b.is_cut or b.modified_at >= p.started_at + interval '30 seconds'
    ), pair as (
        select s.activity_id, s.task_id, s.handout_id, s.class_id, s.started_at, s.parts, w.part_digest as was_digest,
               w.is_shown as was_shown
          from sent as s
          left join was as w using (activity_id, task_id)
        union all
        select b.activity_id, b.task_id, b.handout_id, b.class_id, b.started_at,
               array(select p from activity_part as p
                      where p.organization_id = organization and p.person_id = student
                        and p.activity_id = b.activity_id and p.task_id = b.task_id),
               b.part_digest, b.is_shown
          from before as b
    ), placed as (
        select p.*, min(p.started_at) over (partition by p.task_id order by p.started_at
                                       range between interval '1 millisecond' following and unbounded following)
                   as next_sent,
               case when g.last_at >= p.started_at then (
                   select l.started_at from activity_assignment as l
                    where l.organization_id = organization and l.task_id = p.task_id
                      and l.handout_id = p.handout_id and l.class_id = p.class_id and l.person_id = student
                      and l.activity_id <> all (sent_ids)
                      and l.started_at > p.started_at
                    order by l.started_at limit 1) end as next_stored
          from pair as p
          join edge as g using (task_id)
    ), figure as (
        select p.activity_id, p.task_id, p.handout_id, p.class_id, p.was_digest, p.was_shown, f.*, i.item
          from placed as p
         cross join lateral figures_of(p.parts, least(p.next_sent, p.next_stored)) as f
         cross join lateral (select f.items -> 0 as item offset 0) as i
    ), counted as (
        insert into activity_assignment as l (organization_id, person_id, activity_id, task_id, handout_id, class_id,
               updated_at, started_at, stopped_at, modified_at, duration_seconds, progress, kind, share, quantity,
               positive, primary_item, part_digest, is_cut, is_shown)
        select organization, student, f.activity_id, f.task_id, f.handout_id, f.class_id, moment(), f.started_at,
               f.stopped_at, f.modified_at, f.duration_seconds, f.progress, f.item ->> 'kind',
               share_of((f.item ->> 'score')::double precision, (f.item ->> 'maxScore')::double precision),
               (f.item ->> 'quantity')::double precision, (f.item ->> 'value')::boolean,
               primary_document(f.item), f.part_digest, f.is_cut, f.is_shown
          from figure as f
        on conflict on constraint activity_assignment_pkey do update
           -- Reports find what is new by the links.
           set updated_at = excluded.updated_at, started_at = excluded.started_at,
               stopped_at = excluded.stopped_at, modified_at = excluded.modified_at,
               duration_seconds = excluded.duration_seconds, progress = excluded.progress,
               kind = excluded.kind, share = excluded.share, quantity = excluded.quantity,
               positive = excluded.positive, primary_item = excluded.primary_item,
               part_digest = excluded.part_digest, is_cut = excluded.is_cut, is_shown = excluded.is_shown
    )
    select array_agg(f.activity_id) filter (where f.part_digest is distinct from f.was_digest),
           array_agg(f.task_id)     filter (where f.part_digest is distinct from f.was_digest),
           array_agg(f.items)       filter (where f.part_digest is distinct from f.was_digest),
           array_agg(f.activity_id) filter (where f.part_digest is distinct from f.was_digest
                                              and f.was_digest is not null),
           array_agg(f.activity_id) filter (where f.was_shown and not f.is_shown)
      into won, won_tasks, won_items, replaced, hidden
      from figure as f;

    perform replace_items(organization, student, replaced, won, won_tasks, won_items);
    if hidden is not null or p_gone_ids is not null then
        perform take_out_of_exports(organization, student, p_environment, hidden || p_gone_ids);
    end if;
end $$;
