-- Functions of reports over one app: the apps in which a class works, and what each student did in one of them.
--
-- What the class comes to in an app, task by task, is class_report() with the app's bundle id.

-- app_title: what the catalog calls an app, in the locale that suits these languages best; else what the school calls
-- it, or its bundle id. It can be inlined.
create or replace function app_title(p_bundle_id text, p_languages text[]) returns text
    language sql stable
begin atomic
        select coalesce((
               select c.title from school.context as c
                where c.organization_id = (select school.my_organization())
                  and c.environment = (select school.my_environment()) and c.bundle_id = p_bundle_id
                  and c.identifier_path = '{}' and c.kind = 'catalog' and c.deleted_at is null
                order by locale_distance(c.locale, c.presentable_locales, p_languages), c.locale limit 1),
               app_name(p_bundle_id), p_bundle_id);
end;

-- app_handouts: published handouts of a class that the caller teaches with a task in an app (null: in any), and with a
-- period only those published in it.
create or replace function app_handouts(p_class_id uuid, p_bundle_id text, p_from timestamptz, p_to timestamptz)
    returns uuid[]
    language sql stable
begin atomic
        select array(
               select h.handout_id from school.handout as h
                where h.organization_id = (select school.my_organization()) and h.class_id = p_class_id
                  and h.environment = (select school.my_environment()) and h.publish_at <= moment()
                  and (p_from is null or h.publish_at >= p_from) and (p_to is null or h.publish_at < p_to)
                  and exists (select from school.task as t
                               where t.organization_id = h.organization_id and t.handout_id = h.handout_id
                                 and t.bundle_id is not null
                                 and (p_bundle_id is null or t.bundle_id = p_bundle_id)));
end;

-- class_of: a class by its id or its source id, as far as the caller sees it.
create or replace function class_of(p_class_id uuid, p_source_id text) returns uuid
    language sql stable
begin atomic
        select c.class_id from school.class as c
         where c.organization_id = (select school.my_organization())
           and (c.class_id = p_class_id or c.source_id = p_source_id);
end;
grant execute on function app_title(text, text[]), app_handouts(uuid, text, timestamptz, timestamptz),
    class_of(uuid, text) to school_teacher;

-- class_apps: the apps in which a class has tasks, by name: in handouts published from p_from to p_to, how many tasks,
-- and what all students did at them. Without such tasks it is one row without an app. No row: the caller does not teach
-- the class.
create or replace function class_apps(p_class_id uuid, p_source_id text, p_from timestamptz, p_to timestamptz,
                                      p_languages text[] default '{}')
    returns table (class_id uuid, class_name text, generated_at timestamptz,
                   bundle_id text, app_name text, handouts integer, tasks integer,
                   attempts integer, duration_seconds double precision, students_with_data integer,
                   students_off integer, students_shown integer)
    language plpgsql stable
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan
    set enable_mergejoin = off set jit = off as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
    taught       constant uuid := class_of(p_class_id, p_source_id);
    handout_ids  constant uuid[] := app_handouts(taught, null, p_from, p_to);
    task_ids     constant uuid[] := array(
        select t.task_id from task as t
         where t.organization_id = organization and t.handout_id = any (handout_ids));
begin
    return query
    with given as (
        select t.bundle_id, count(distinct t.handout_id)::integer as handouts, count(*)::integer as tasks
          from task as t
         where t.organization_id = organization and t.task_id = any (task_ids) and t.bundle_id is not null
         group by t.bundle_id
    ), work as (
        select t.bundle_id, sum(f.attempts)::integer as attempts, sum(f.duration_sum) as seconds,
               count(distinct f.person_id)::integer as students
          from cells_at(task_ids, null) as f
          join task as t on t.organization_id = organization and t.task_id = f.task_id
         group by t.bundle_id
    ), off as (
        select count(*)::integer as shown,
               (count(*) filter (where p.is_progress_paused or not o.is_student_progress_enabled))::integer as students
          from (select distinct x.person_id from students_shown(handout_ids, task_ids) as x) as s
          join person as p       on p.organization_id = organization and p.person_id = s.person_id
          join organization as o on o.organization_id = p.organization_id
    )
    select c.class_id, c.name, moment(), v.bundle_id, n.name, v.handouts, v.tasks,
           coalesce(w.attempts, 0), coalesce(shown(w.seconds), 0), coalesce(w.students, 0), o.students, o.shown
      from class as c
     cross join off as o
      left join given as v on true
      left join work as w on w.bundle_id = v.bundle_id
      left join lateral (select app_title(v.bundle_id, p_languages) as name) as n on v.bundle_id is not null
     where c.organization_id = organization and c.class_id = taught
     order by lower(n.name), v.bundle_id;
end $$;
grant execute on function class_apps(uuid, text, timestamptz, timestamptz, text[]) to school_teacher;

-- app_students: what each student came to over all tasks of a class in an app, by name: those whom the reports of
-- these handouts show. A student's progress is over all attempts, score and share of positive items are over the latest
-- attempts at the tasks that have one, duration and attempts are sums. A period without such tasks gives one row
-- without a student. No row: the caller does not teach the class, or never gave it a task in that app.
create or replace function app_students(p_class_id uuid, p_source_id text, p_bundle_id text, p_from timestamptz,
                                        p_to timestamptz, p_languages text[] default '{}')
    returns table (class_id uuid, class_name text, bundle_id text, app_name text, generated_at timestamptz,
                   person_id uuid, given_name text, family_name text, name_order text, progress_off boolean,
                   tasks integer, tasks_opened integer, tasks_done integer, tasks_late integer,
                   tasks_overdue integer, tasks_with_data integer, attempts integer, progress double precision,
                   duration_seconds double precision, score double precision, positive_share double precision)
    language plpgsql stable
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan
    set enable_mergejoin = off set jit = off as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
    taught       constant uuid := class_of(p_class_id, p_source_id);
    handout_ids  constant uuid[] := app_handouts(taught, p_bundle_id, p_from, p_to);
    task_ids     constant uuid[] := array(
        select t.task_id from task as t
         where t.organization_id = organization and t.handout_id = any (handout_ids));
begin
    return query
    with cell as materialized (
        select * from cells_at(task_ids, null)
    ), work as (
        select s.person_id, (count(*) filter (where j.is_given is not false))::integer as tasks,
               (count(opened_at(g.opened_at, f.begun_at)) filter (where j.is_given is not false))::integer as opened,
               (count(g.done_at) filter (where j.is_given is not false))::integer as done,
               (count(*) filter (where h.due_at < coalesce(g.done_at, moment())
                                   and j.person_id is null))::integer as late,
               (count(*) filter (where h.due_at < moment() and g.done_at is null
                                   and j.person_id is null))::integer as overdue,
               count(f.task_id)::integer as with_data, coalesce(sum(f.attempts), 0)::integer as attempts,
               sum(f.progress_sum) / nullif(sum(f.progress_count), 0) as progress,
               sum(f.duration_sum) as seconds, avg(f.share::numeric) as score, avg(f.positive) as positive_share
          from task as t
          join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
          join students_shown(handout_ids, task_ids) as s on s.handout_id = t.handout_id
          left join due_before_joining(handout_ids) as j
                 on j.handout_id = s.handout_id and j.person_id = s.person_id
          left join assignment as g on g.organization_id = t.organization_id and g.task_id = t.task_id
                                   and g.person_id = s.person_id
          left join cell as f on f.task_id = t.task_id and f.person_id = s.person_id
         where t.organization_id = organization and t.handout_id = any (handout_ids)
           and t.bundle_id = p_bundle_id
         group by s.person_id
    )
    select c.class_id, c.name, p_bundle_id, app_title(p_bundle_id, p_languages), moment(),
           p.person_id, p.given_name, p.family_name, name_order_of(p),
           p.is_progress_paused or not o.is_student_progress_enabled,
           w.tasks, w.opened, w.done, w.late, w.overdue, w.with_data, w.attempts, shown(w.progress), shown(w.seconds),
           shown(w.score), shown(w.positive_share)
      from class as c
      join organization as o on o.organization_id = c.organization_id
      left join (work as w
                 join person as p on p.organization_id = organization and p.person_id = w.person_id) on true
     where c.organization_id = organization and c.class_id = taught
       and app_handouts(taught, p_bundle_id, null, null) <> '{}'
     order by p.family_name collate "und-x-icu", p.given_name collate "und-x-icu", p.person_id;
end $$;
grant execute on function app_students(uuid, text, text, timestamptz, timestamptz, text[]) to school_teacher;
