-- Functions of reports over one handout: all students, one of them, and item by item.

set local role school_owner;
set local search_path = school, pg_temp;

-- handout_report: every task with every student, tasks in their order, students by name: those who are given
-- it, and those who left with something to show. A handout without tasks gives a row without a task, tasks
-- without students rows without a student; no row: the caller sees no such handout. Averages as in
-- Schoolwork: progress over all attempts; items over each student's latest attempt, score as a share of its
-- maximum, none where kinds are mixed; duration over the students' sums; students without data do not
-- count. Not by merge joins: they order cells by task alone and compare every student of a task with every other.
-- Nor by reading whole tables, which a plan that is kept would go on doing when they have grown. Rows are ordered by
-- one number: of wide rows every further column is looked up anew in each comparison.
create or replace function handout_report(p_handout_id uuid)
    returns table (handout_id uuid, handout_title text, due_at timestamptz, generated_at timestamptz,
                   is_withdrawn boolean, task_id uuid, task_title text, records boolean,
                   primary_kind text, mixed_primary_kinds boolean,
                   average_progress double precision, average_duration_seconds double precision,
                   average_score double precision, average_quantity double precision,
                   positive_share double precision, students_with_data integer,
                   person_id uuid, given_name text, family_name text,
                   opened_at timestamptz, done_at timestamptz, attempts integer,
                   progress double precision, duration_seconds double precision, late boolean,
                   returned json, primary_item json, progress_off boolean)
    language plpgsql stable
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan
    set enable_mergejoin = off set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
    task_ids constant uuid[] := array(
        select t.task_id from task as t
         where t.organization_id = organization and t.handout_id = p_handout_id);
begin
    return query
    with cell as materialized (
        select * from cells_at(task_ids, null)
    ), event as materialized (
        select g.task_id, g.person_id, g.opened_at, g.done_at, return_document(g) as returned
          from assignment as g
         where g.organization_id = organization and g.task_id = any (task_ids)
    ), shown as (
        select s.person_id from handout_seats(array[p_handout_id]) as s
        union select g.person_id from event as g
        union select f.person_id from cell as f
    ), student as (
        select p.person_id, p.given_name, p.family_name,
               p.is_progress_paused or not o.is_student_progress_enabled as progress_off,
               row_number() over (order by p.family_name, p.given_name, p.person_id) as nth
          from shown as s
          join person as p on p.organization_id = organization and p.person_id = s.person_id
          join organization as o on o.organization_id = p.organization_id
    ), average as (
        select f.task_id, sum(f.progress_sum) / nullif(sum(f.progress_count), 0) as progress,
               avg(f.duration_seconds) as duration_seconds,
               count(*)::integer as students_with_data, count(distinct f.kind) > 1 as is_mixed,
               case when count(distinct f.kind) = 1 then min(f.kind) end as kind,
               avg(f.share) as score, avg(f.quantity) as quantity,
               avg(f.positive)::double precision as positive_share
          from cell as f
         group by f.task_id
    )
    select h.handout_id, h.title, h.due_at::timestamptz, moment(),
           coalesce(t.task_id = any ((select withdrawn_task_ids(array[p_handout_id]))::uuid[]), false),
           t.task_id, t.title, t.recorded_path is not null,
           v.kind, coalesce(v.is_mixed, false),
           v.progress, v.duration_seconds,
           case when v.kind = 'score' then v.score end,
           case when v.kind = 'quantity' then v.quantity end,
           case when v.kind = 'binary' then v.positive_share end,
           coalesce(v.students_with_data, 0),
           s.person_id, s.given_name, s.family_name,
           g.opened_at::timestamptz, g.done_at::timestamptz, coalesce(f.attempts, 0),
           f.progress, f.duration_seconds,
           coalesce(h.due_at < coalesce(g.done_at, now()), false),
           g.returned, f.primary_item, s.progress_off
      from handout as h
      left join task as t on t.organization_id = h.organization_id and t.handout_id = h.handout_id
      left join student as s on t.task_id is not null
      left join event   as g on g.task_id = t.task_id and g.person_id = s.person_id
      left join cell    as f on f.task_id = t.task_id and f.person_id = s.person_id
      left join average as v on v.task_id = t.task_id
     where h.organization_id = organization and h.handout_id = p_handout_id
     order by (t.position::bigint << 32) + coalesce(s.nth, 0);
end $$;
grant execute on function handout_report(uuid) to school_teacher;

-- student_attempts: one student of a handout, every task with every attempt, the oldest first. A task
-- without attempts gives a row without one; no row: the caller sees no such handout, or the student is
-- none of those whom its report shows.
create or replace function student_attempts(p_handout_id uuid, p_person_id uuid, p_source_id text)
    returns table (handout_id uuid, handout_title text, due_at timestamptz, generated_at timestamptz,
                   person_id uuid, given_name text, family_name text, progress_off boolean,
                   task_id uuid, task_title text, opened_at timestamptz, done_at timestamptz,
                   late boolean, returned json,
                   activity_id uuid, started_at timestamptz, stopped_at timestamptz,
                   duration_seconds double precision, progress double precision, is_final boolean,
                   primary_item json, additional_items json)
    language plpgsql stable
    set search_path = school, pg_temp set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
    student  constant uuid := coalesce(p_person_id, (
        select p.person_id from person as p
         where p.organization_id = organization and p.source_id = p_source_id));
    task_ids constant uuid[] := array(
        select t.task_id from task as t
         where t.organization_id = organization and t.handout_id = p_handout_id);
begin
    -- Before it is planned, which takes ten times as long as to see that there is nothing.
    if student is null or not exists (
           select from handout
            where organization_id = organization and handout_id = p_handout_id) then
        return;
    end if;
    return query
    with attempt as materialized (
        select * from attempts_at(task_ids, student)
    ), event as materialized (
        select g.task_id, g.opened_at, g.done_at, return_document(g) as returned
          from assignment as g
         where g.organization_id = organization and g.task_id = any (task_ids)
           and g.person_id = student
    )
    select h.handout_id, h.title, h.due_at::timestamptz, moment(),
           p.person_id, p.given_name, p.family_name,
           p.is_progress_paused or not o.is_student_progress_enabled,
           t.task_id, t.title, g.opened_at::timestamptz, g.done_at::timestamptz,
           coalesce(h.due_at < coalesce(g.done_at, now()), false), g.returned,
           a.activity_id, a.started_at, a.stopped_at, a.duration_seconds, a.progress, a.nth_last > 1,
           a.primary_item,
           (select coalesce(json_agg(item_document(i) order by i.position), '[]')
              from activity_item as i
             where i.organization_id = organization and i.person_id = a.person_id
               and i.activity_id = a.activity_id and not i.is_primary)
      from handout as h
      join person as p       on p.organization_id = h.organization_id and p.person_id = student
      join organization as o on o.organization_id = p.organization_id
      left join task as t on t.organization_id = h.organization_id and t.handout_id = h.handout_id
      left join event as g   on g.task_id = t.task_id
      left join attempt as a on a.task_id = t.task_id
     where h.organization_id = organization and h.handout_id = p_handout_id
       and (exists (select from event) or exists (select from attempt) or exists (
               select from handout_seats(array[p_handout_id]) as s where s.person_id = student))
     order by t.position, a.started_at, a.activity_id;
end $$;
grant execute on function student_attempts(uuid, uuid, text) to school_teacher;

-- handout_items: class and item: every item of the students' latest attempts at a task with every student who has
-- one, items as the app lists them, students by name. A student whose attempt lacks the item has a row without
-- it. A task without items gives a row without one; no row: the caller sees no such task.
--
-- Missed is what is less than all of it: a binary item that is not positive, a score below its maximum. How much
-- the class missed of an item is the average of what each who has it lacks of all of it, so that a half is half
-- missed; quantities have no all, and items that differ in kind have nothing in common. Where several were
-- missed equally, the first is missed most.
create or replace function handout_items(p_handout_id uuid, p_task_id uuid)
    returns table (handout_id uuid, handout_title text, due_at timestamptz, generated_at timestamptz,
                   task_id uuid, task_title text, students_with_data integer, missed_most text,
                   identifier text, item_title text, item_kind text, mixed_kinds boolean, is_primary boolean,
                   students_with_item integer, students_missed integer, missed_share double precision,
                   average_score double precision, average_quantity double precision,
                   positive_share double precision,
                   person_id uuid, given_name text, family_name text, missed boolean, item json,
                   is_withdrawn boolean, records boolean)
    language plpgsql stable
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan
    set enable_mergejoin = off set jit = off as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
begin
    return query
    with latest as materialized (
        select a.person_id, a.activity_id, a.started_at, p.given_name, p.family_name
          from attempts_at(array[p_task_id], null) as a
          join person as p on p.organization_id = organization and p.person_id = a.person_id
         where a.nth_last = 1
    ), figure as materialized (
        select i.identifier, i.position, i.title, i.kind, i.is_primary, s.started_at, s.person_id,
               share_of(i.score, i.max_score) as share, bounded(i.quantity) as quantity, i.value::integer::double precision as positive,
               1 - coalesce(share_of(i.score, i.max_score), i.value::integer) as lack, item_document(i) as document
          from latest as s
          join activity_item as i
            on i.organization_id = organization and i.person_id = s.person_id
           and i.activity_id = s.activity_id
    ), summary as (
        select f.identifier, min(f.position) as position,
               (array_agg(f.title order by f.started_at desc, f.person_id))[1] as title,
               case when count(distinct f.kind) = 1 then min(f.kind) end as kind,
               bool_or(f.is_primary) as is_primary, count(*)::integer as students,
               (count(*) filter (where f.lack > 0))::integer as missed, avg(f.lack) as missed_share,
               avg(f.share) as score, avg(f.quantity) as quantity, avg(f.positive) as positive_share
          from figure as f
         group by f.identifier
    ), item as materialized (
        select v.*, v.kind in ('score', 'binary') and v.missed > 0 as can_be_missed from summary as v)
    select h.handout_id, h.title, h.due_at::timestamptz, moment(), t.task_id, t.title,
           (select count(*)::integer from latest),
           (select v.identifier from item as v where v.can_be_missed
             order by v.missed_share desc, v.position, v.identifier limit 1),
           v.identifier, v.title, v.kind, v.kind is null, v.is_primary, v.students,
           case when v.kind is not null then v.missed end,
           case when v.kind in ('score', 'binary') then v.missed_share end,
           case when v.kind = 'score' then v.score end,
           case when v.kind = 'quantity' then v.quantity end,
           case when v.kind = 'binary' then v.positive_share end,
           s.person_id, s.given_name, s.family_name, coalesce(f.lack > 0, false), f.document,
           coalesce(t.task_id = any (withdrawn_task_ids(array[p_handout_id])), false),
           t.recorded_path is not null
      from handout as h
      join task as t on t.organization_id = h.organization_id and t.handout_id = h.handout_id
                    and t.task_id = p_task_id
      left join (item as v cross join latest as s) on true
      left join figure as f on f.identifier = v.identifier and f.person_id = s.person_id
     where h.organization_id = organization and h.handout_id = p_handout_id
     order by v.position, v.identifier, s.family_name, s.given_name, s.person_id;
end $$;
grant execute on function handout_items(uuid, uuid) to school_teacher;
