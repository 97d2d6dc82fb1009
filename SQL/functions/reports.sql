-- Functions of reports: figures as a teacher sees them, each over one handout.
--
-- They run with the rights of the caller: row-level security decides which activities there are, through
-- the assignments that these counted for.

set local role school_owner;
set local search_path = school, pg_temp;

-- withdrawn_task_ids: tasks of a handout whose context was published once and is deleted. Definer, because
-- nobody else reads deleted contexts; says so only of handouts of classes that the caller teaches.
create or replace function withdrawn_task_ids(p_handout_id uuid) returns uuid[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return array(
        select t.task_id
          from task as t
          join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
          join context as n on n.organization_id = t.organization_id and n.bundle_id = t.bundle_id
                           and n.environment = h.environment and n.identifier_path = t.recorded_path
         where t.organization_id = my_organization() and t.handout_id = p_handout_id
           and t.class_id = any (my_taught_class_ids())
         group by t.task_id
        having bool_and(n.deleted_at is not null));
end $$;
grant execute on function withdrawn_task_ids(uuid) to school_teacher;

-- handout_students: whom a report of the handout shows: who sits in the class (of an archived class: sat
-- when it was archived) and is given it, and who left it with something to show.
create or replace function handout_students(p_handout_id uuid)
    returns table (person_id uuid, given_name text, family_name text, progress_off boolean)
    language plpgsql stable
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
    return query
    with shown as (
        select s.person_id
          from handout as h
          join class as c on c.organization_id = h.organization_id and c.class_id = h.class_id
          join seat as s  on s.organization_id = h.organization_id and s.class_id = h.class_id
                         and s.role = 'student' and s.joined_at <= coalesce(c.archived_at, now())
                         and (s.left_at is null or s.left_at > coalesce(c.archived_at, now()))
         where h.organization_id = my_organization() and h.handout_id = p_handout_id
           and (h.recipients = 'class' or exists (
                   select from handout_recipient as r
                    where r.organization_id = h.organization_id and r.handout_id = h.handout_id
                      and r.person_id = s.person_id))
        union
        select g.person_id
          from task as t
          join assignment as g on g.organization_id = t.organization_id and g.task_id = t.task_id
         where t.organization_id = my_organization() and t.handout_id = p_handout_id
        union
        select l.person_id
          from task as t
          join activity_assignment as l
            on l.organization_id = t.organization_id and l.task_id = t.task_id
           and l.handout_id = t.handout_id and l.class_id = t.class_id
         where t.organization_id = my_organization() and t.handout_id = p_handout_id)
    select p.person_id, p.given_name, p.family_name,
           p.is_progress_paused or not o.is_student_progress_enabled
      from shown
      join person as p on p.organization_id = my_organization() and p.person_id = shown.person_id
      join organization as o on o.organization_id = p.organization_id;
end $$;
grant execute on function handout_students(uuid) to school_teacher;

-- item_document: an activity item as documents show it.
create or replace function item_document(i activity_item) returns json
    language sql stable parallel safe
    return case when i.identifier is not null then json_strip_nulls(json_build_object(
        'kind', i.kind, 'identifier', i.identifier, 'title', i.title, 'score', i.score,
        'maxScore', i.max_score, 'quantity', i.quantity, 'value', i.value,
        'valueType', i.value_type)) end;
grant execute on function item_document(activity_item) to school_teacher;

-- handout_report: every task with every student, tasks in their order, students by name. A handout
-- without tasks gives a row without a task, tasks without students rows without a student; no row: the
-- caller sees no such handout. Averages as in Schoolwork: progress over all attempts; items over each
-- student's latest attempt, score as a share of its maximum, none where kinds are mixed; duration over
-- the students' sums; students without data do not count. Not by merge joins: they order cells by task
-- alone and compare every student of a task with every other.
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
                   primary_item json, progress_off boolean)
    language plpgsql stable
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan
    set enable_mergejoin = off set jit = off as $$
#variable_conflict use_column
begin
    return query
    with attempt as materialized (
        select l.task_id, l.person_id, a.activity_id, a.progress, a.duration_seconds,
               row_number() over (partition by l.task_id, l.person_id
                                  order by a.started_at desc, a.activity_id desc) as nth_last
          from task as t
          join activity_assignment as l
            on l.organization_id = t.organization_id and l.task_id = t.task_id
           and l.handout_id = t.handout_id and l.class_id = t.class_id
          join activity as a
            on a.organization_id = l.organization_id and a.person_id = l.person_id
           and a.activity_id = l.activity_id
         where t.organization_id = my_organization() and t.handout_id = p_handout_id
    ), figure as (
        select a.task_id, a.person_id, count(*)::integer as attempts,
               sum(a.duration_seconds) as duration_seconds,
               max(a.progress) filter (where a.nth_last = 1) as progress,
               (array_agg(a.activity_id) filter (where a.nth_last = 1))[1] as latest_id
          from attempt as a
         group by a.task_id, a.person_id
    ), cell as materialized (
        select f.*, i.kind, i.score / i.max_score as share, i.quantity, i.value::integer as positive,
               item_document(i) as document
          from figure as f
          left join activity_item as i
            on i.organization_id = my_organization() and i.person_id = f.person_id
           and i.activity_id = f.latest_id and i.is_primary
    ), average as (
        select f.task_id, avg(f.duration_seconds) as duration_seconds,
               count(*)::integer as students_with_data, count(distinct f.kind) > 1 as is_mixed,
               case when count(distinct f.kind) = 1 then min(f.kind) end as kind,
               avg(f.share) as score, avg(f.quantity) as quantity,
               avg(f.positive)::double precision as positive_share
          from cell as f
         group by f.task_id
    ), progress_average as (
        select a.task_id, avg(a.progress) as progress from attempt as a group by a.task_id
    )
    select h.handout_id, h.title, h.due_at::timestamptz, moment(),
           coalesce(t.task_id = any ((select withdrawn_task_ids(p_handout_id))::uuid[]), false),
           t.task_id, t.title, t.recorded_path is not null,
           v.kind, coalesce(v.is_mixed, false),
           r.progress, v.duration_seconds,
           case when v.kind = 'score' then v.score end,
           case when v.kind = 'quantity' then v.quantity end,
           case when v.kind = 'binary' then v.positive_share end,
           coalesce(v.students_with_data, 0),
           s.person_id, s.given_name, s.family_name,
           g.opened_at::timestamptz, g.done_at::timestamptz, coalesce(f.attempts, 0),
           f.progress, f.duration_seconds,
           coalesce(h.due_at < coalesce(g.done_at, now()), false),
           f.document, s.progress_off
      from handout as h
      left join task as t on t.organization_id = h.organization_id and t.handout_id = h.handout_id
      left join handout_students(p_handout_id) as s on t.task_id is not null
      left join assignment as g
             on g.organization_id = t.organization_id and g.task_id = t.task_id
            and g.person_id = s.person_id
      left join cell             as f on f.task_id = t.task_id and f.person_id = s.person_id
      left join average          as v on v.task_id = t.task_id
      left join progress_average as r on r.task_id = t.task_id
     where h.organization_id = my_organization() and h.handout_id = p_handout_id
     order by t.position, s.family_name, s.given_name, s.person_id;
end $$;
grant execute on function handout_report(uuid) to school_teacher;

-- student_attempts: one student of a handout, every task with every attempt, the oldest first. A task
-- without attempts gives a row without one; no row: the caller sees no such handout, or the student is
-- none of those whom its report shows. An attempt is final when a newer one counts for the same task.
create or replace function student_attempts(p_handout_id uuid, p_person_id uuid, p_source_id text)
    returns table (handout_id uuid, handout_title text, due_at timestamptz, generated_at timestamptz,
                   person_id uuid, given_name text, family_name text, progress_off boolean,
                   task_id uuid, task_title text, opened_at timestamptz, done_at timestamptz,
                   late boolean,
                   activity_id uuid, started_at timestamptz, stopped_at timestamptz,
                   duration_seconds double precision, progress double precision, is_final boolean,
                   primary_item json, additional_items json)
    language plpgsql stable
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
    return query
    with shown as (
        select s.*
          from handout_students(p_handout_id) as s
         where s.person_id = coalesce(p_person_id, (
                   select p.person_id from person as p
                    where p.organization_id = my_organization() and p.source_id = p_source_id))
    ), attempt as (
        select l.task_id, a.*,
               row_number() over (partition by l.task_id
                                  order by a.started_at desc, a.activity_id desc) > 1 as is_final
          from shown as s
          join task as t on t.organization_id = my_organization() and t.handout_id = p_handout_id
          join activity_assignment as l
            on l.organization_id = t.organization_id and l.task_id = t.task_id
           and l.handout_id = t.handout_id and l.class_id = t.class_id and l.person_id = s.person_id
          join activity as a
            on a.organization_id = l.organization_id and a.person_id = l.person_id
           and a.activity_id = l.activity_id
    )
    select h.handout_id, h.title, h.due_at::timestamptz, moment(),
           s.person_id, s.given_name, s.family_name, s.progress_off,
           t.task_id, t.title, g.opened_at::timestamptz, g.done_at::timestamptz,
           coalesce(h.due_at < coalesce(g.done_at, now()), false),
           a.activity_id, a.started_at::timestamptz, a.stopped_at::timestamptz, a.duration_seconds,
           a.progress, a.is_final,
           (select item_document(i) from activity_item as i
             where i.organization_id = my_organization() and i.person_id = a.person_id
               and i.activity_id = a.activity_id and i.is_primary),
           (select coalesce(json_agg(item_document(i) order by i.position), '[]')
              from activity_item as i
             where i.organization_id = my_organization() and i.person_id = a.person_id
               and i.activity_id = a.activity_id and not i.is_primary)
      from handout as h
     cross join shown as s
      left join task as t on t.organization_id = h.organization_id and t.handout_id = h.handout_id
      left join assignment as g
             on g.organization_id = t.organization_id and g.task_id = t.task_id
            and g.person_id = s.person_id
      left join attempt as a on a.task_id = t.task_id
     where h.organization_id = my_organization() and h.handout_id = p_handout_id
     order by t.position, a.started_at, a.activity_id;
end $$;
grant execute on function student_attempts(uuid, uuid, text) to school_teacher;
