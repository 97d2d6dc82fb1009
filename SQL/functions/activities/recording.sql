-- Functions of activities: the one implementation of the privacy rule.

-- assigned_tasks (internal): every task for one of these contexts that is or was assigned to the student, with the
-- times during which its assignment is open. An assignment opens with publication, but not before its task, choice of
-- recipients and seat exist, nor before it was known that the seat did. It closes when the handout is locked,
-- completed or deleted, when the student leaves the class or the recipients, or when the context is deleted. If the
-- lock is lifted, or the student is chosen again, a second row begins; a second seat in the same class adds more. The
-- context is the catalog's, or the native one of the person whom the task names. Changes made while the handout was
-- locked or its class archived, or after it was completed (closed_times), do not count, whenever the attempt began.
create or replace function assigned_tasks(p_organization_id uuid, p_person_id uuid, p_bundle_id text,
                                          p_environment text, p_paths jsonb)
    returns table (task_id uuid, handout_id uuid, class_id uuid, recorded_path text[],
                   opens_at timestamptz, closes_at timestamptz, closed_times tstzmultirange)
    language plpgsql stable security definer rows 20
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan
    set enable_nestloop = on set jit = off as $$
#variable_conflict use_column
begin
    return query
    select t.task_id, t.handout_id, t.class_id, t.recorded_path, lower(open.time), upper(open.time),
           locked.times + tstzmultirange(
               tstzrange(least(h.locked_at, h.completed_at, c.archived_at, 'infinity')::timestamptz, null))
      from (select distinct array(select jsonb_array_elements_text(p)) as path
              from jsonb_array_elements(p_paths) as p) as wanted
     cross join seat as s
      join class as c   on c.organization_id = s.organization_id and c.class_id = s.class_id
      join task as t    on t.organization_id = s.organization_id and t.class_id = s.class_id
                       and t.bundle_id = p_bundle_id and t.recorded_path = wanted.path
      join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
                       and h.environment = p_environment and h.publish_at is not null
      left join handout_recipient as r
             on r.organization_id = h.organization_id and r.handout_id = h.handout_id
            and r.person_id = s.person_id
     cross join lateral (
           select case when bool_or(n.deleted_at is null) then null
                       when count(*) = 0 and t.context_owner_id is not null then '-infinity'
                       else max(n.deleted_at) end as deleted_at
             from (select c.deleted_at from context as c
                    where t.context_owner_id is null and c.kind = 'catalog'
                      and c.organization_id = t.organization_id and c.bundle_id = t.bundle_id
                      and c.environment = p_environment and c.identifier_path = t.recorded_path
                   union all
                   select o.deleted_at from context as o
                    where o.person_id = t.context_owner_id and o.kind = 'native'
                      and o.organization_id = t.organization_id and o.bundle_id = t.bundle_id
                      and o.environment = p_environment and o.identifier_path = t.recorded_path) as n) as x
     cross join lateral (
           select greatest(h.publish_at, s.joined_at, s.recorded_at, t.created_at)::timestamptz as opens_at,
                  least(h.locked_at, h.completed_at, h.deleted_at, s.left_at, c.archived_at,
                        t.withdrawn_at, x.deleted_at, 'infinity')::timestamptz as closes_at) as whole
     cross join lateral (
           select case when (h.recipients = 'class' or r.person_id is not null) then
                       tstzmultirange(tstzrange(case when h.recipients = 'chosen' or r.created_at < h.for_class_since
                                                     then r.created_at else h.for_class_since end, null))
                       else '{}' end
                + coalesce((select range_agg(tstzrange(f.given_at, f.taken_at)) from former_recipient as f
                             where f.organization_id = h.organization_id and f.handout_id = h.handout_id
                               and f.person_id = s.person_id),
                           '{}') as times) as given
     cross join lateral (
           select coalesce((select range_agg(tstzrange(l.locked_at, l.unlocked_at)) from handout_lock as l
                             where l.organization_id = h.organization_id and l.handout_id = h.handout_id),
                           '{}') as times) as locked
     cross join lateral unnest(
           tstzmultirange(tstzrange(whole.opens_at, greatest(whole.opens_at, whole.closes_at))) * given.times
           - locked.times) as open (time)
     where s.organization_id = p_organization_id and s.person_id = p_person_id and s.role = 'student';
end $$;

-- store_activities (internal): takes what an app uploaded for a person, stores what was assigned, and does not report
-- which that was.
--
-- p_documents are uploads of one app, each the array of a request: {[sentAt], id, identifierPath, startedAt,
-- [stoppedAt], durationSeconds, [progressRanges], [primaryItem], [additionalItems], modifiedAt}, already validated;
-- sentAt is the upload's, the same in each. A score of a tool says isPartial, too (take_tool_score). p_arrived_at has
-- the arrival time of each upload. No two uploads report the same activity.
--
-- Times are the server's: if an upload states when it was sent, its times are shifted by the error of the device's
-- clock (clock_error), and none is later than the arrival. A duration is at most the time from startedAt to
-- modifiedAt.
--
-- Each part is judged by itself, so that it makes no difference in which order, how often, and in how many uploads
-- parts arrive. The time of a part is from startedAt to stoppedAt, or to its arrival where that is absent or later.
-- It counts for the assignments that were open during its time, and not closed when it was changed. If there are
-- none, or it ended more than 30 days ago, it is dropped, even if other parts of the activity are stored. What counts
-- is decided when the first part is stored: an assignment that opens later never sees the activity, whatever arrives
-- afterwards.
--
-- A part is kept for each task it counts for (activity_part), so that the figures of an attempt can be recomputed
-- (figures_of) when the student's next attempt at the task becomes known: what was changed later does not count. An
-- attempt ends the one before it even if its own parts all came too late to count. Links hold what counts of an
-- attempt; a link to an attempt of which nothing counts is not shown.
--
-- At most 1,000 attempts of a student are kept for a task, including hidden ones: those that came first.
--
-- Parts merge: ranges by union, duration and stoppedAt by maximum, startedAt by minimum, the set of items by the
-- greatest (modifiedAt, digest) of the parts that say something about items, links by union. If a part is sent again,
-- its earliest times are kept. Every part of the activities call says which items there are, if only that there are
-- none; one that was made from an xAPI statement without a result (neither primaryItem nor additionalItems) does not.
-- Parts of tools are partial: what they say of an item leaves the others alone (merged_items).
--
-- An activity is an attempt at one context. If an app uses one id for several contexts, the parts with the least path
-- make the activity. Those of the others are dropped, in whatever order they arrive, even if they are stored already.
-- If another app, or the same app in the other environment, has stored an id, this app's reports for it are dropped.
--
-- Parts of an upload are joined by hash (without the just-in-time compiler that the cost of that would trigger): the
-- planner expects one row from each step, and 500 rows in nested loops took twice as long. Tasks are still looked up
-- by nested loops, and stored activities one by one (`offset 0`): a planner without good statistics would read
-- everything the student ever did.
create or replace function store_activities(p_organization_id uuid, p_person_id uuid, p_bundle_id text,
                                            p_environment text, p_arrived_at timestamptz[], p_documents jsonb[])
    returns void
    language plpgsql security definer
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan
    set enable_nestloop = off set enable_seqscan = off set jit = off as $$
declare
    organization constant uuid := p_organization_id;
    student      constant uuid := p_person_id;
    -- The parts of new attempts, and the attempts of which something is stored already.
    new_parts    activity_part[];
    known_ids    uuid[];
    moved        uuid[];
    gone_ids     uuid[];
    gone_tasks   uuid[];
    gone_at      timestamptz[];
begin
    -- Locks the student's row. Uploads of one student follow each other, so that two parts of one activity cannot
    -- both be the first; and a pause waits for an upload and then deletes it.
    perform from person as p
      join organization as o on o.organization_id = p.organization_id
     where p.organization_id = organization and p.person_id = student
       and p.deactivated_at is null and not p.is_progress_paused and o.is_student_progress_enabled
       for no key update of p for share of o;
    if not found then
        return;
    end if;

    with sent as (
        select u.place * 1000000 + x.place as part, u.arrived_at, (x.a ->> 'id')::uuid as activity_id,
               array(select jsonb_array_elements_text(x.a -> 'identifierPath')) as identifier_path,
               m.started_at, m.stopped_at, m.modified_at,
               least(coalesce((x.a ->> 'durationSeconds')::double precision, 0),
                     greatest(0, extract(epoch from m.modified_at - m.started_at)::double precision))
                   as duration_seconds,
               coalesce((select range_agg(numrange((r ->> 0)::numeric, (r ->> 1)::numeric))
                           from jsonb_array_elements(nullif(x.a -> 'progressRanges', 'null')) as r),
                        '{}') as progress_ranges,
               -- The primary item, or null, and the others; empty if the part says nothing about items.
               case when x.a ?| '{primaryItem,additionalItems}' then jsonb_build_array(x.a -> 'primaryItem')
                   || coalesce(nullif(x.a -> 'additionalItems', 'null'), '[]') else '[]' end as items,
               sha256(convert_to((x.a - 'sentAt')::text, 'UTF8')) as digest,
               coalesce((x.a ->> 'isPartial')::boolean, false) as is_partial
          from (select u.*, clock_error((u.document -> 0 ->> 'sentAt')::timestamptz, u.arrived_at) as moved_by
                  from unnest(p_documents, p_arrived_at) with ordinality as u (document, arrived_at, place)
                offset 0) as u
         cross join lateral jsonb_array_elements(u.document) with ordinality as x (a, place)
         cross join lateral (
               select least(date_trunc('milliseconds', (x.a ->> 'startedAt')::timestamptz + u.moved_by), u.arrived_at)
                          as started_at,
                      case when x.a ->> 'stoppedAt' is not null then
                          least(date_trunc('milliseconds', (x.a ->> 'stoppedAt')::timestamptz + u.moved_by),
                                u.arrived_at)
                      end as stopped_at,
                      least(date_trunc('milliseconds', (x.a ->> 'modifiedAt')::timestamptz + u.moved_by), u.arrived_at)
                          as modified_at
               offset 0) as m
    ), known as (
        select a.*
          from (select distinct s.activity_id from sent as s) as s
         cross join lateral (
               select a.* from activity as a
                where a.organization_id = organization and a.person_id = student
                  and a.activity_id = s.activity_id offset 0) as a
    ), timed as (
        select s.*, s.started_at as begins_at,
               least(s.stopped_at, k.arrived_at, s.arrived_at) as ends_at
          from sent as s
          left join known as k using (activity_id)
         where coalesce(s.stopped_at, s.arrived_at) >= s.arrived_at - interval '30 days'
           and (k.activity_id is null
                or k.bundle_id = p_bundle_id and k.environment = p_environment
                   and k.identifier_path >= s.identifier_path)
    ), open_for as (
        select distinct m.part, m.activity_id, m.identifier_path, m.arrived_at, t.task_id
          from timed as m
          join assigned_tasks(organization, student, p_bundle_id, p_environment,
                              (select jsonb_agg(p.identifier_path)
                                 from (select distinct s.identifier_path from sent as s) as p)) as t
            on t.recorded_path = m.identifier_path
           and t.opens_at <= m.ends_at and t.closes_at > m.begins_at and t.closes_at > t.opens_at
           and not t.closed_times @> m.modified_at
    ), newcomer as (
        select f.activity_id, f.task_id, row_number() over (partition by f.task_id order by f.part) as nth
          from (select o.activity_id, o.task_id, min(o.part) as part from open_for as o
                 group by o.activity_id, o.task_id) as f
          left join known as k using (activity_id)
         where k.activity_id is null
            or not exists (select from activity_assignment as l
                            where l.organization_id = organization and l.person_id = student
                              and l.activity_id = f.activity_id and l.task_id = f.task_id)
    ), tally as (
        select n.task_id,
               coalesce((select f.attempts from assignment_figures as f
                          where f.organization_id = organization and f.task_id = n.task_id
                            and f.person_id = student), 0)
                   + (select count(*) from activity_assignment as l
                       where l.organization_id = organization and l.task_id = n.task_id
                         and l.person_id = student and not l.is_shown) as attempts
          from (select distinct n.task_id from newcomer as n) as n
    ), surplus as (
        select n.activity_id, n.task_id
          from newcomer as n
          join tally as t using (task_id)
         where n.nth + t.attempts > attempts_max()
    ), linked as (
        select o.* from open_for as o
         where not exists (select from surplus as s where s.activity_id = o.activity_id and s.task_id = o.task_id)
    ), least_path as (
        select l.activity_id, min(l.identifier_path) as identifier_path, min(l.arrived_at) as arrived_at
          from linked as l
         group by l.activity_id
    ), stored as (
        insert into activity as a (organization_id, person_id, activity_id, environment, bundle_id,
               identifier_path, arrived_at)
        select organization, student, p.activity_id, p_environment, p_bundle_id, p.identifier_path, p.arrived_at
          from least_path as p
        on conflict on constraint activity_pkey do update
           set identifier_path = excluded.identifier_path
         where a.identifier_path > excluded.identifier_path
    ), parts as (
        insert into activity_part as p (organization_id, person_id, activity_id, task_id, digest, started_at,
               stopped_at, modified_at, duration_seconds, progress_ranges, items, is_partial)
        select distinct on (l.activity_id, l.task_id, m.digest)
               organization, student, l.activity_id, l.task_id, m.digest, m.started_at, m.stopped_at,
               m.modified_at, m.duration_seconds, m.progress_ranges, m.items, m.is_partial
          from linked as l
          join least_path as w using (activity_id, identifier_path)
          join timed as m using (part)
        on conflict on constraint activity_part_pkey do update
           set started_at       = least(p.started_at, excluded.started_at),
               stopped_at       = least(p.stopped_at, excluded.stopped_at),
               modified_at      = least(p.modified_at, excluded.modified_at),
               duration_seconds = least(p.duration_seconds, excluded.duration_seconds)
         where p.merged_seconds = 0
           and (excluded.started_at < p.started_at or excluded.stopped_at < p.stopped_at
                or excluded.modified_at < p.modified_at or excluded.duration_seconds < p.duration_seconds)
        returning p
    )
    select array_agg(p.p) filter (where k.activity_id is null),
           array_agg(distinct k.activity_id) filter (where k.activity_id is not null),
           array_agg(distinct k.activity_id) filter (where k.identifier_path > w.identifier_path)
      into new_parts, known_ids, moved
      from parts as p
      join least_path as w on w.activity_id = (p.p).activity_id
      left join known as k on k.activity_id = (p.p).activity_id;
    if new_parts is null and known_ids is null then
        return;
    end if;

    if moved is not null then
        with gone as (
            delete from activity_assignment as l using activity as a, task as t
             where l.organization_id = organization and l.person_id = student and l.activity_id = any (moved)
               and a.organization_id = l.organization_id and a.person_id = l.person_id
               and a.activity_id = l.activity_id
               and t.organization_id = l.organization_id and t.task_id = l.task_id
               and t.recorded_path <> a.identifier_path
            returning l.activity_id, l.task_id, l.started_at
        ), parts as (
            delete from activity_part as p using gone as g
             where p.organization_id = organization and p.person_id = student and p.activity_id = any (moved)
               and p.activity_id = g.activity_id and p.task_id = g.task_id)
        select array_agg(g.activity_id), array_agg(g.task_id), array_agg(g.started_at)
          into gone_ids, gone_tasks, gone_at
          from gone as g;
    end if;

    perform count_attempts(organization, student, p_environment, new_parts, known_ids, gone_ids, gone_tasks, gone_at);
end $$;

-- delete_activities (internal): deletes those of one student, or all if null, and records that for exports.
create or replace function delete_activities(p_organization_id uuid, p_person_id uuid) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform forget_uploads(p_organization_id, p_person_id);
    with gone as (
        delete from activity
         where organization_id = p_organization_id
           and (p_person_id is null or person_id = p_person_id)
        returning person_id, activity_id, environment)
    insert into deletion (organization_id, deletion_id, kind, subject_id, person_id)
    select p_organization_id, new_id(), 'activity', activity_id, person_id from gone
     where environment = 'production';
end $$;

create or replace trigger touch before update on activity
    for each row execute function touch();
