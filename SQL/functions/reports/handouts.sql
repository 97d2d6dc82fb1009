-- Functions of reports over one handout: all students, one of them, and item by item.

-- handout_report: every task with every student, tasks in their order, students by name: those who are given it, and
-- those who left with something to show. A handout without tasks gives a row without a task, tasks without students
-- rows without a student. No row: the caller sees no such handout. Not by merge joins: they order cells by task alone
-- and compare every student of a task with every other. Nor by reading whole tables: a cached plan would keep doing
-- that after they have grown. Rows are sorted by one number: with wide rows every further column is fetched again in
-- each comparison.
create or replace function handout_report(p_handout_id uuid, p_languages text[] default '{}')
    returns table (handout_id uuid, handout_title text, due_at timestamptz, generated_at timestamptz,
                   is_withdrawn boolean, task_id uuid, task_title text, records boolean,
                   primary_kind text, mixed_primary_kinds boolean,
                   average_progress double precision, average_duration_seconds double precision,
                   average_score double precision, average_quantity double precision,
                   positive_share double precision, students_with_data integer,
                   person_id uuid, given_name text, family_name text, name_order text,
                   opened_at timestamptz, done_at timestamptz, attempts integer,
                   progress double precision, duration_seconds double precision, late boolean,
                   before_joined boolean, returned json, primary_item json, progress_off boolean, students_at_limit integer)
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
        select p.person_id, p.given_name, p.family_name, name_order_of(p) as name_order,
               p.is_progress_paused or not o.is_student_progress_enabled as progress_off,
               row_number() over (order by p.family_name collate "und-x-icu", p.given_name collate "und-x-icu",
                                           p.person_id) as nth
          from shown as s
          join person as p on p.organization_id = organization and p.person_id = s.person_id
          join organization as o on o.organization_id = p.organization_id
    ), average as materialized (
        select * from averages_at(task_ids)
    ), joined as materialized (
        select * from due_before_joining(array[p_handout_id])
    )
    select h.handout_id, h.title, h.due_at::timestamptz, moment(),
           coalesce(t.task_id = any ((select withdrawn_task_ids(array[p_handout_id]))::uuid[]), false),
           t.task_id, task_title(t.title, t.titles, p_languages), t.recorded_path is not null,
           v.primary_kind, coalesce(v.is_mixed, false),
           v.progress, v.duration_seconds, v.score, v.quantity, v.positive_share,
           coalesce(v.students_with_data, 0),
           s.person_id, s.given_name, s.family_name, s.name_order,
           opened_at(g.opened_at, f.begun_at), g.done_at::timestamptz, coalesce(f.attempts, 0),
           f.progress, shown(f.duration_sum),
           coalesce(h.due_at < coalesce(g.done_at, moment()) and j.person_id is null, false),
           coalesce(not j.is_given, false), g.returned, f.primary_item, s.progress_off, coalesce(v.students_at_limit, 0)
      from handout as h
      left join task as t on t.organization_id = h.organization_id and t.handout_id = h.handout_id
      left join student as s on t.task_id is not null
      left join event   as g on g.task_id = t.task_id and g.person_id = s.person_id
      left join cell    as f on f.task_id = t.task_id and f.person_id = s.person_id
      left join average as v on v.task_id = t.task_id
      left join joined as j on j.person_id = s.person_id
     where h.organization_id = organization and h.handout_id = p_handout_id
     order by (t.position::bigint << 32) + coalesce(s.nth, 0);
end $$;
grant execute on function handout_report(uuid, text[]) to school_teacher;

-- student_attempts: one student of a handout, every task with every attempt, the oldest first: at most p_limit rows,
-- after the last one of the previous page, and fewer when their items reach half a megabyte. A task without attempts
-- gives a row without one; when nothing is left, there is one row without a task. No row: the caller sees no such
-- handout, or its report does not show the student. The last row says whether there is more. Items are fetched one by
-- one with a cached plan: planning that takes longer than running it.
create or replace function student_attempts(p_handout_id uuid, p_person_id uuid, p_source_id text, p_limit integer,
                                            p_position integer, p_started_at timestamptz, p_activity_id uuid,
                                            p_languages text[] default '{}')
    returns table (handout_id uuid, handout_title text, due_at timestamptz, generated_at timestamptz,
                   person_id uuid, given_name text, family_name text, name_order text, progress_off boolean,
                   task_id uuid, task_title text, opened_at timestamptz, done_at timestamptz,
                   late boolean, before_joined boolean, returned json,
                   activity_id uuid, started_at timestamptz, stopped_at timestamptz,
                   duration_seconds double precision, progress double precision, is_final boolean,
                   primary_item json, additional_items json,
                   task_position integer, attempts integer, has_more boolean)
    language plpgsql stable
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan
    set enable_mergejoin = off set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
    student  constant uuid := coalesce(p_person_id, (
        select p.person_id from person as p
         where p.organization_id = organization and p.source_id = p_source_id));
    joined   record;
    bytes    integer := 0;
begin
    if student is null or not exists (
           select from handout
            where organization_id = organization and handout_id = p_handout_id) then
        return;
    end if;
    if not exists (select from handout_seats(array[p_handout_id]) as s where s.person_id = student)
       and not exists (select from task as t
                         join assignment as g on g.organization_id = t.organization_id and g.task_id = t.task_id
                        where t.organization_id = organization and t.handout_id = p_handout_id
                          and g.person_id = student)
       and not exists (select from assignment_figures as f
                        where f.organization_id = organization and f.handout_id = p_handout_id
                          and f.person_id = student) then
        return;
    end if;
    select j.is_given into joined from due_before_joining(array[p_handout_id]) as j where j.person_id = student;
    for handout_id, handout_title, due_at, generated_at, person_id, given_name, family_name, name_order,
        progress_off, task_id, task_title, opened_at, done_at, late, before_joined, returned, activity_id,
        started_at, stopped_at, duration_seconds,
        progress, is_final, primary_item, task_position, attempts, has_more in
        select h.handout_id, h.title, h.due_at, moment(),
               p.person_id, p.given_name, p.family_name, name_order_of(p),
               p.is_progress_paused or not o.is_student_progress_enabled,
               a.task_id, a.title, a.opened_at, a.done_at,
               coalesce(h.due_at < coalesce(a.done_at, moment()) and joined.is_given is null, false),
               coalesce(not joined.is_given, false), a.returned,
               a.activity_id, a.started_at, a.stopped_at, a.duration_seconds, a.progress, a.is_final,
               a.primary_item, a.position, a.attempts, coalesce(a.has_more, false)
          from handout as h
          join person as p       on p.organization_id = h.organization_id and p.person_id = student
          join organization as o on o.organization_id = p.organization_id
          left join lateral (
                select a.*, lead(a.task_id) over (order by a.position, a.started_at, a.activity_id) is not null
                                as has_more
                  from (select t.task_id, task_title(t.title, t.titles, p_languages) as title, t.position,
                               opened_at(g.opened_at, f.begun_at) as opened_at, g.done_at,
                               return_document(g) as returned, l.activity_id, l.started_at, l.stopped_at,
                               case when l.duration_seconds is not null then least(
                                   l.duration_seconds, case when t.kind = 'timedApp' then t.minutes * 60 end)
                               end as duration_seconds,
                               l.progress, l.activity_id <> f.latest_activity_id as is_final,
                               l.primary_item, coalesce(f.attempts, 0) as attempts
                          from task as t
                          left join assignment as g
                                 on g.organization_id = t.organization_id and g.task_id = t.task_id
                                and g.person_id = student
                          left join assignment_figures as f
                                 on f.organization_id = t.organization_id and f.task_id = t.task_id
                                and f.person_id = student
                          left join lateral (
                                select l.* from activity_assignment as l
                                 where l.organization_id = t.organization_id and l.task_id = t.task_id
                                   and l.handout_id = t.handout_id and l.class_id = t.class_id
                                   and l.person_id = student
                                   and (p_position is null or t.position > p_position
                                        or (l.started_at, l.activity_id) > (p_started_at, p_activity_id))
                                 order by l.started_at, l.activity_id
                                 limit p_limit + 1) as l on true
                         where t.organization_id = organization and t.handout_id = p_handout_id
                           and (p_position is null or t.position > p_position
                                or t.position = p_position and l.activity_id is not null)
                         order by t.position, l.started_at, l.activity_id
                         limit p_limit + 1) as a
                 order by a.position, a.started_at, a.activity_id
                 limit p_limit) as a on true
         where h.organization_id = organization and h.handout_id = p_handout_id
         order by a.position, a.started_at, a.activity_id loop
        additional_items := (
            select coalesce(json_agg(item_document(i) order by i.position), '[]')
              from activity_item as i
             where i.organization_id = organization and i.person_id = student
               and i.activity_id = student_attempts.activity_id and i.task_id = student_attempts.task_id
               and not i.is_primary);
        return next;
        bytes := bytes + octet_length(additional_items::text);
        exit when bytes >= 524288;
    end loop;
end $$;
grant execute on function student_attempts(uuid, uuid, text, integer, integer, timestamptz, uuid, text[])
    to school_teacher, school_student;

-- handout_items: class and item: every item of the students' latest attempts at a task with every student who has
-- one, items as the app lists them, students by name: at most p_limit items, after the last one of the previous page,
-- and fewer when they reach 5,000 cells. A student whose attempt lacks the item has a row without it. A task without
-- items, or without further ones, gives a row without one. No row: the caller sees no such task.
--
-- An item counts as missed if it is binary and says so (not if it is a question answered with no), or if its score is
-- under half of its maximum. How much the class missed an item is the share of its students who missed it. Quantities
-- cannot be missed, nor can a primary item that stands beside others: that is the result. Items of different kinds are
-- not compared. If several were missed equally, the one with the lowest average was missed most, then the first.
create or replace function handout_items(p_handout_id uuid, p_task_id uuid, p_limit integer, p_position integer,
                                         p_identifier text, p_languages text[] default '{}')
    returns table (handout_id uuid, handout_title text, due_at timestamptz, generated_at timestamptz,
                   task_id uuid, task_title text, students_with_data integer, missed_most text,
                   identifier text, item_title text, item_kind text, mixed_kinds boolean, is_primary boolean,
                   students_with_item integer, students_missed integer, missed_share double precision,
                   average_score double precision, average_quantity double precision,
                   positive_share double precision,
                   person_id uuid, given_name text, family_name text, name_order text, missed boolean, item json,
                   is_withdrawn boolean, records boolean, students_at_limit integer,
                   item_position integer, has_more boolean)
    language plpgsql stable
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan
    set enable_mergejoin = off set jit = off as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
begin
    return query
    with latest as materialized (
        select a.person_id, a.latest_activity_id as activity_id, a.started_at, a.attempts, p.given_name, p.family_name,
               name_order_of(p) as name_order
          from cells_at(array[p_task_id], null) as a
          join person as p on p.organization_id = organization and p.person_id = a.person_id
    ), figure as materialized (
        select i.identifier, i.position, i.title, i.kind, i.is_primary, s.started_at, s.person_id,
               share_of(i.score, i.max_score) as share, i.quantity, i.value::integer as positive,
               q.is_question and (i.kind = 'score' or i.kind = 'binary' and i.value_type <> 'yesNo') as can_be_missed,
               q.is_question and (i.kind = 'score' and share_of(i.score, i.max_score) < 0.5
                   or i.kind = 'binary' and i.value_type <> 'yesNo' and not i.value) as missed,
               item_document(i) as document
          from latest as s
          join activity_item as i
            on i.organization_id = organization and i.person_id = s.person_id
           and i.activity_id = s.activity_id and i.task_id = p_task_id
         cross join lateral (
               select not i.is_primary or not exists (
                          select from activity_item as o
                           where o.organization_id = organization and o.person_id = s.person_id
                             and o.activity_id = s.activity_id and o.task_id = p_task_id
                             and not o.is_primary) as is_question) as q
    ), summary as (
        select f.identifier, min(f.position) as position,
               (array_agg(f.title order by f.started_at desc, f.person_id))[1] as title,
               case when count(distinct f.kind) = 1 then min(f.kind) end as kind,
               bool_or(f.is_primary) as is_primary, count(*)::integer as students,
               (count(*) filter (where f.missed))::integer as missed,
               avg(f.missed::integer) filter (where f.can_be_missed) as missed_share,
               avg(f.share::numeric) as score, avg(f.quantity::numeric) as quantity, avg(f.positive) as positive_share
          from figure as f
         group by f.identifier
    ), item as materialized (
        select v.* from (
            select v.*, lead(v.position) over place is not null as has_more, row_number() over place as nth
              from summary as v
             where p_position is null or (v.position, v.identifier) > (p_position, p_identifier)
            window place as (order by v.position, v.identifier)) as v
         where v.nth <= greatest(1, least(p_limit, 5000 / greatest(1, (select count(*) from latest))))
    )
    select h.handout_id, h.title, h.due_at::timestamptz, moment(), t.task_id,
           task_title(t.title, t.titles, p_languages),
           (select count(*)::integer from latest),
           (select v.identifier from summary as v where v.kind is not null and v.missed > 0
             order by v.missed_share desc, coalesce(v.score, v.positive_share), v.position, v.identifier limit 1),
           v.identifier, v.title, v.kind, v.kind is null, v.is_primary, v.students,
           case when v.kind is not null then v.missed end,
           case when v.kind is not null then shown(v.missed_share) end,
           case when v.kind = 'score' then shown(v.score) end,
           case when v.kind = 'quantity' then shown(v.quantity) end,
           case when v.kind = 'binary' then shown(v.positive_share) end,
           s.person_id, s.given_name, s.family_name, s.name_order, coalesce(f.missed, false), f.document,
           coalesce(t.task_id = any (withdrawn_task_ids(array[p_handout_id])), false),
           t.recorded_path is not null,
           (select count(*)::integer from latest as l where l.attempts >= attempts_max()),
           v.position, coalesce(v.has_more, false)
      from handout as h
      join task as t on t.organization_id = h.organization_id and t.handout_id = h.handout_id
                    and t.task_id = p_task_id
      left join (item as v cross join latest as s) on true
      left join figure as f on f.identifier = v.identifier and f.person_id = s.person_id
     where h.organization_id = organization and h.handout_id = p_handout_id
     order by v.position, v.identifier, s.family_name collate "und-x-icu", s.given_name collate "und-x-icu",
              s.person_id;
end $$;
grant execute on function handout_items(uuid, uuid, integer, integer, text, text[]) to school_teacher;
