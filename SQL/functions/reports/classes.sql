-- Functions of reports over handouts: a class, and one student.

-- changed_handouts: handouts of a class that the caller teaches whose reports may have changed since p_since, because
-- of the handout, its tasks or recipients, what students did, or the passing of time. A change of the class, its
-- students or the organization may show in all of them. The minute before p_since is included: what was written then
-- may have become visible later. Definer, because no standing sees deleted handouts or erased people; it returns ids
-- alone, and no drafts.
create or replace function changed_handouts(p_class_id uuid, p_since timestamptz)
    returns table (handout_id uuid, is_deleted boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
    since        constant timestamptz := p_since - interval '1 minute';
    is_whole     boolean;
begin
    if not p_class_id = any ((select my_taught_class_ids())::uuid[]) then
        return;
    end if;
    is_whole := exists (select from organization as o
                         where o.organization_id = organization and o.updated_at >= since)
        or exists (select from class as c
                    where c.organization_id = organization and c.class_id = p_class_id and c.updated_at >= since)
        or exists (select from seat as s
                     join person as p on p.organization_id = s.organization_id and p.person_id = s.person_id
                    where s.organization_id = organization and s.class_id = p_class_id and s.role = 'student'
                      and (p.updated_at >= since or s.updated_at >= since
                           or s.joined_at between since and moment() or s.left_at between since and moment()))
        or exists (select from deletion as x
                    where x.organization_id = organization and x.kind = 'person' and x.deleted_at >= since);
    return query
    select h.handout_id, h.deleted_at is not null
      from handout as h
     where h.organization_id = organization and h.class_id = p_class_id
       and h.environment = my_environment() and h.publish_at <= moment()
       and (h.updated_at >= since or h.publish_at >= since or h.due_at between since and moment()
            or is_whole and h.deleted_at is null
            or h.handout_id in (select l.handout_id from activity_assignment as l
                                 where l.organization_id = organization and l.class_id = p_class_id
                                   and l.updated_at >= since)
            or exists (select from task as t
                        where t.organization_id = organization and t.handout_id = h.handout_id
                          and (t.updated_at >= since or exists (
                                  select from assignment as g
                                   where g.organization_id = organization and g.task_id = t.task_id
                                     and g.updated_at >= since))));
end $$;
grant execute on function changed_handouts(uuid, timestamptz) to school_teacher;

-- day_begins: when a day begins in the organization's time zone.
create or replace function day_begins(p_day date) returns timestamptz
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return (select p_day::timestamp at time zone o.time_zone from organization as o
             where o.organization_id = my_organization());
end $$;
grant execute on function day_begins(date) to school_teacher, school_student;

-- class_report: every task of the handouts that a class was given, with the figures of the class: handouts published
-- from p_from to p_to, the newest first, with p_since only those that changed, and with p_bundle_id only the tasks in
-- that app. The students counted are those in the handout's report, without those for whom it was due before they
-- joined. Without handouts it is one row without a handout; a handout without tasks is a row without a task. No row:
-- the caller does not teach the class.
create or replace function class_report(p_class_id uuid, p_source_id text, p_from timestamptz,
                                        p_to timestamptz, p_since timestamptz, p_languages text[] default '{}',
                                        p_bundle_id text default null)
    returns table (class_id uuid, class_name text, generated_at timestamptz, removed_handout_ids uuid[],
                   handout_id uuid, handout_title text, publish_at timestamptz, due_at timestamptz,
                   locked_at timestamptz, completed_at timestamptz,
                   task_id uuid, task_title text, primary_kind text, mixed_primary_kinds boolean,
                   students integer, students_opened integer, students_done integer, students_late integer,
                   students_overdue integer, students_returned integer,
                   average_progress double precision, average_duration_seconds double precision,
                   average_score double precision, average_quantity double precision,
                   positive_share double precision, students_with_data integer,
                   is_withdrawn boolean, records boolean, unlicensed integer, students_off integer,
                   students_shown integer, students_at_limit integer)
    language plpgsql stable
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan
    set enable_mergejoin = off set jit = off as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
    taught      constant uuid := (
        select c.class_id from class as c
         where c.organization_id = organization and (c.class_id = p_class_id or c.source_id = p_source_id));
    changed     constant uuid[] := case when p_since is not null then array(
        select x.handout_id from changed_handouts(taught, p_since) as x) end;
    handout_ids constant uuid[] := array(
        select h.handout_id from handout as h
         where h.organization_id = organization and h.class_id = taught
           and h.environment = my_environment() and h.publish_at <= moment()
           and (p_from is null or h.publish_at >= p_from) and (p_to is null or h.publish_at < p_to)
           and (p_since is null or h.handout_id = any (changed))
           and (p_bundle_id is null or exists (
                   select from task as t
                    where t.organization_id = h.organization_id and t.handout_id = h.handout_id
                      and t.bundle_id = p_bundle_id)));
    task_ids    constant uuid[] := array(
        select t.task_id from task as t
         where t.organization_id = organization and t.handout_id = any (handout_ids));
begin
    return query
    with event as materialized (
        select t.handout_id, g.task_id, g.person_id, g.opened_at, g.done_at, g.returned_at
          from assignment as g
          join task as t on t.organization_id = g.organization_id and t.task_id = g.task_id
         where g.organization_id = organization and g.task_id = any (task_ids)
    ), shown as materialized (
        select s.handout_id, s.person_id, j.is_given
          from students_shown(handout_ids, task_ids) as s
          left join due_before_joining(handout_ids) as j
                 on j.handout_id = s.handout_id and j.person_id = s.person_id
    ), attendance as (
        select t.task_id, count(*)::integer as students,
               count(opened_at(g.opened_at, f.begun_at))::integer as opened,
               count(g.done_at)::integer as done, count(g.returned_at)::integer as returned,
               (count(*) filter (where h.due_at < coalesce(g.done_at, moment())
                                   and s.is_given is null))::integer as late,
               (count(*) filter (where h.due_at < moment() and g.done_at is null
                                   and s.is_given is null))::integer as overdue
          from task as t
          join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
          join shown as s on s.handout_id = t.handout_id and s.is_given is not false
          left join event as g on g.task_id = t.task_id and g.person_id = s.person_id
          left join assignment_figures as f on f.organization_id = organization and f.task_id = any (task_ids)
                                           and f.task_id = t.task_id and f.person_id = s.person_id
         where t.organization_id = organization and t.handout_id = any (handout_ids)
         group by t.task_id
    ), average as materialized (
        select * from averages_at(task_ids)
    ), unlicensed as (
        select u.task_id, u.student_count
          from unnest(handout_ids) as h (handout_id)
         cross join unlicensed_students(h.handout_id) as u
    ), off as (
        select count(*)::integer as shown,
               (count(*) filter (where p.is_progress_paused or not o.is_student_progress_enabled))::integer as students
          from (select distinct x.person_id from shown as x) as s
          join person as p on p.organization_id = organization and p.person_id = s.person_id
          join organization as o on o.organization_id = p.organization_id
    )
    select c.class_id, c.name, moment(),
           case when p_since is not null then array(
               select x.handout_id from changed_handouts(taught, p_since) as x
                where x.is_deleted order by x.handout_id) else '{}' end,
           h.handout_id, h.title, h.publish_at::timestamptz, h.due_at::timestamptz,
           h.locked_at::timestamptz, h.completed_at::timestamptz,
           t.task_id, task_title(t.title, t.titles, p_languages), v.primary_kind, coalesce(v.is_mixed, false),
           coalesce(n.students, 0), coalesce(n.opened, 0), coalesce(n.done, 0), coalesce(n.late, 0),
           coalesce(n.overdue, 0),
           coalesce(n.returned, 0),
           v.progress, v.duration_seconds, v.score, v.quantity, v.positive_share,
           coalesce(v.students_with_data, 0),
           coalesce(t.task_id = any ((select withdrawn_task_ids(handout_ids))::uuid[]), false),
           t.recorded_path is not null, coalesce(u.student_count, 0), o.students, o.shown,
           coalesce(v.students_at_limit, 0)
      from class as c
     cross join off as o
      left join (handout as h
                 left join task as t on t.organization_id = h.organization_id and t.handout_id = h.handout_id
                                    and (p_bundle_id is null or t.bundle_id = p_bundle_id))
             on h.organization_id = c.organization_id and h.handout_id = any (handout_ids)
      left join attendance as n on n.task_id = t.task_id
      left join average    as v on v.task_id = t.task_id
      left join unlicensed as u on u.task_id = t.task_id
     where c.organization_id = organization and c.class_id = taught
     order by h.publish_at desc, h.handout_id desc, t.position;
end $$;
grant execute on function class_report(uuid, text, timestamptz, timestamptz, timestamptz, text[], text)
    to school_teacher;

-- student_report: the handouts that one student was given in some classes, published from p_from to p_to, the newest
-- first, every task with the same cell as in the handout's report. Handouts that the student left are included as
-- long as there is something to show. Without handouts it is one row without a handout. No row: the caller does not
-- see the student, or is someone else and the student never sat in any of the classes. Planned each time, so that the
-- planner looks attempts up by the student.
create or replace function student_report(p_person_id uuid, p_class_ids uuid[], p_from timestamptz,
                                          p_to timestamptz, p_languages text[] default '{}')
    returns table (person_id uuid, given_name text, family_name text, name_order text, progress_off boolean,
                   generated_at timestamptz,
                   handout_id uuid, handout_title text, class_id uuid, class_name text,
                   publish_at timestamptz, due_at timestamptz, locked_at timestamptz, completed_at timestamptz,
                   task_id uuid, task_title text, opened_at timestamptz, done_at timestamptz,
                   attempts integer, progress double precision, duration_seconds double precision,
                   late boolean, before_joined boolean, returned json, primary_item json, is_withdrawn boolean,
                   records boolean)
    language plpgsql stable
    set search_path = school, pg_temp set plan_cache_mode = force_custom_plan
    set enable_mergejoin = off set jit = off as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
    candidate_ids constant uuid[] := array(
        select h.handout_id from handout as h
         where h.organization_id = organization and h.class_id = any (p_class_ids)
           and h.environment = my_environment() and h.publish_at <= moment()
           and (p_from is null or h.publish_at >= p_from) and (p_to is null or h.publish_at < p_to));
    worked_ids    constant uuid[] := array(
        select f.task_id from assignment_figures as f
         where f.organization_id = organization and f.person_id = p_person_id
           and f.class_id = any (p_class_ids) and f.handout_id = any (candidate_ids));
begin
    -- Checked before planning, which takes ten times as long as this check.
    if p_person_id is distinct from my_person() and not exists (
           select from seat
            where organization_id = organization and person_id = p_person_id
              and class_id = any (p_class_ids) and role = 'student') then
        return;
    end if;
    return query
    with cell as materialized (
        select * from cells_at(worked_ids, p_person_id)
    ), event as materialized (
        select t.handout_id, g.task_id, g.opened_at, g.done_at, return_document(g) as returned
          from task as t
          join assignment as g on g.organization_id = t.organization_id and g.task_id = t.task_id
                              and g.person_id = p_person_id
         where t.organization_id = organization and t.handout_id = any (candidate_ids)
    ), given as (
        select s.handout_id from handout_seats(candidate_ids) as s where s.person_id = p_person_id
        union select g.handout_id from event as g
        union select t.handout_id
          from cell as f
          join task as t on t.organization_id = organization and t.task_id = f.task_id
    ), joined as materialized (
        select j.* from due_before_joining(candidate_ids) as j where j.person_id = p_person_id
    ), shown as (
        select h.*, c.name as class_name
          from given as v
          join handout as h on h.organization_id = organization and h.handout_id = v.handout_id
          join class as c on c.organization_id = h.organization_id and c.class_id = h.class_id
    )
    select p.person_id, p.given_name, p.family_name, name_order_of(p),
           p.is_progress_paused or not o.is_student_progress_enabled, moment(),
           h.handout_id, h.title, h.class_id, h.class_name, h.publish_at::timestamptz,
           h.due_at::timestamptz, h.locked_at::timestamptz, h.completed_at::timestamptz,
           t.task_id, task_title(t.title, t.titles, p_languages), opened_at(g.opened_at, f.begun_at),
           g.done_at::timestamptz, coalesce(f.attempts, 0), f.progress, shown(f.duration_sum),
           coalesce(h.due_at < coalesce(g.done_at, moment()) and j.person_id is null, false),
           coalesce(not j.is_given, false), g.returned, f.primary_item,
           coalesce(t.task_id = any ((select withdrawn_task_ids(candidate_ids))::uuid[]), false),
           t.recorded_path is not null
      from person as p
      join organization as o on o.organization_id = p.organization_id
      left join (shown as h
                 left join task as t on t.organization_id = h.organization_id and t.handout_id = h.handout_id)
             on h.organization_id = p.organization_id
      left join event as g on g.task_id = t.task_id
      left join cell  as f on f.task_id = t.task_id
      left join joined as j on j.handout_id = h.handout_id
     where p.organization_id = organization and p.person_id = p_person_id
       and (p.person_id = my_person() or exists (
               select from seat as s
                where s.organization_id = p.organization_id and s.person_id = p.person_id
                  and s.class_id = any (p_class_ids) and s.role = 'student'))
     order by h.publish_at desc, h.handout_id desc, t.position;
end $$;
grant execute on function student_report(uuid, uuid[], timestamptz, timestamptz, text[])
    to school_teacher, school_student;
