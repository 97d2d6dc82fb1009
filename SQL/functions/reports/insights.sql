-- Functions of insights: how the work of a week compares with each student's own earlier weeks.
--
-- A week begins on Monday in the organization's time zone. A handout belongs to the week in which it is due; without a
-- due time it belongs to the week in which it was published, and counts as due when that ends. Only what is due by now
-- counts. So a week is judged by what was done until its end, or until now, and what is done later does not change it.

-- due_handouts: published handouts of classes that the caller teaches, due by now in the week that begins on a Monday
-- (week 0) or in the four weeks before it (1 to 4), with the moment until which that week is counted.
create or replace function due_handouts(p_class_ids uuid[], p_monday date)
    returns table (handout_id uuid, class_id uuid, week integer, due timestamptz, counted_until timestamptz)
    language plpgsql stable
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
    zone         constant text := (
        select o.time_zone from organization as o where o.organization_id = organization);
begin
    return query
    select h.handout_id, h.class_id, w.week, d.due, least(w.ends, moment())
      from handout as h
     cross join lateral (
           select coalesce(h.due_at, (date_trunc('week', h.publish_at at time zone zone) + interval '7 days')
                                     at time zone zone) as due) as d
      join (select n as week, (p_monday - 7 * n)::timestamp at time zone zone as begins,
                   (p_monday - 7 * n + 7)::timestamp at time zone zone as ends
              from generate_series(0, 4) as n) as w on d.due > w.begins and d.due <= w.ends
     where h.organization_id = organization and h.class_id = any (p_class_ids)
       and h.environment = my_environment() and h.publish_at <= moment() and d.due <= moment();
end $$;

-- weekly_work: what each student did of the work that was due in a week and the four before, for students who sit in
-- the class now (for an archived class, sat when it was archived), did so when the work was due, and had it by then.
-- Students with progress off are left out. Done: until counted_until. Late: done after the due time, or not done.
-- Early: done at least a day before the due time. Begun: opened, done or attempted. Recorded: tasks in apps, to which
-- the duration belongs: that of attempts begun by then, of a timed task at most its minutes. No row: nothing was due.
create or replace function weekly_work(p_class_ids uuid[], p_monday date)
    returns table (class_id uuid, person_id uuid, week integer, tasks bigint, done bigint, late bigint, early bigint,
                   begun bigint, recorded bigint, duration_sum numeric)
    language plpgsql stable
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan
    set enable_mergejoin = off set jit = off as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
    handout_ids  constant uuid[] := array(select d.handout_id from due_handouts(p_class_ids, p_monday) as d);
begin
    return query
    with given as materialized (
        select h.handout_id, h.class_id, h.due_at, d.week, d.due, d.counted_until, h.recipients, h.for_class_since,
               least(d.due, coalesce(c.archived_at, d.due)) as seated_at
          from due_handouts(p_class_ids, p_monday) as d
          join handout as h on h.organization_id = organization and h.handout_id = d.handout_id
          join class as c   on c.organization_id = organization and c.class_id = h.class_id
    ), student as materialized (
        select v.handout_id, s.person_id
          from handout_seats(handout_ids) as s
          join given as v        on v.handout_id = s.handout_id
          join person as p       on p.organization_id = organization and p.person_id = s.person_id
          join organization as o on o.organization_id = p.organization_id
         where o.is_student_progress_enabled and not p.is_progress_paused
           and exists (select from seat as x
                        where x.organization_id = organization and x.class_id = v.class_id
                          and x.person_id = s.person_id and x.role = 'student' and is_seated(x, v.seated_at))
           and case v.recipients
                   when 'class' then v.for_class_since is null or v.for_class_since <= v.due
                   else exists (select from handout_recipient as r
                                 where r.organization_id = organization and r.handout_id = v.handout_id
                                   and r.person_id = s.person_id and r.created_at <= v.due) end
    ), attempt as materialized (
        select l.task_id, l.person_id, sum(l.duration_seconds::numeric) as seconds
          from given as v
          join activity_assignment as l on l.organization_id = organization and l.class_id = v.class_id
                                       and l.handout_id = v.handout_id and l.started_at <= v.counted_until
         where l.task_id in (select t.task_id from task as t
                              where t.organization_id = organization and t.handout_id = any (handout_ids))
         group by l.task_id, l.person_id
    ), cell as (
        select v.class_id, s.person_id, v.week, v.due_at, v.counted_until,
               t.recorded_path is not null as is_recorded, a.seconds is not null as is_attempted,
               case when a.seconds is not null
                    then least(a.seconds, case when t.kind = 'timedApp' then t.minutes * 60 end) end as seconds,
               case when g.done_at <= v.counted_until then g.done_at end as done_at,
               g.opened_at <= v.counted_until as is_opened
          from given as v
          join student as s on s.handout_id = v.handout_id
          join task as t    on t.organization_id = organization and t.handout_id = v.handout_id
          left join assignment as g on g.organization_id = organization and g.task_id = t.task_id
                                   and g.person_id = s.person_id
          left join attempt as a on a.task_id = t.task_id and a.person_id = s.person_id
    )
    select x.class_id, x.person_id, x.week, count(*), count(x.done_at),
           count(*) filter (where x.due_at < coalesce(x.done_at, 'infinity')),
           count(*) filter (where x.done_at <= x.due_at - interval '1 day'),
           count(*) filter (where x.is_opened or x.is_attempted or x.done_at is not null),
           count(*) filter (where x.is_recorded), coalesce(sum(x.seconds), 0)
      from cell as x
     group by x.class_id, x.person_id, x.week;
end $$;

-- differs: whether so many of some tasks are more than so many of others: their share is greater by a third at least, and
-- by one task at least of the first.
create or replace function differs(p_count bigint, p_tasks bigint, p_other_count bigint, p_other_tasks bigint)
    returns boolean
    language sql immutable parallel safe
    return (p_count * p_other_tasks - p_other_count * p_tasks) * 3 >= p_tasks * p_other_tasks
       and p_count * p_other_tasks - p_other_count * p_tasks >= p_other_tasks;

-- weekly_insights: of whom there is something to say, with the figures of the week and of the four before. Only of
-- students for whom work was due in this week and in at least two of the four before, which are their own usual.
--
-- nothingDone: no task of the week was opened, done or attempted.
-- fellBehind:  lessDone (the usual share of done tasks is greater, see differs()); else moreLate (the share of late
--              ones is greater than usual); lessTime (not everything is done, and the time per recorded task is at most half
--              of the usual and ten minutes less in all).
-- spedUp:      otherwise moreDone (the share of done tasks is greater than usual), moreEarly (that of early ones is).
create or replace function weekly_insights(p_class_ids uuid[], p_monday date)
    returns table (class_id uuid, person_id uuid, finding text, facts text[],
                   tasks integer, done integer, late integer, early integer, recorded integer, duration_seconds
                   double precision, weeks_before integer, tasks_before integer, done_before integer,
                   late_before integer, early_before integer, recorded_before integer, duration_before
                   double precision)
    language plpgsql stable
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    with student as (
        select w.class_id, w.person_id, count(*) filter (where w.week > 0) as weeks,
               sum(w.tasks) filter (where w.week = 0)::bigint as tasks,
               sum(w.done) filter (where w.week = 0)::bigint as done,
               sum(w.late) filter (where w.week = 0)::bigint as late,
               sum(w.early) filter (where w.week = 0)::bigint as early,
               sum(w.begun) filter (where w.week = 0)::bigint as begun,
               sum(w.recorded) filter (where w.week = 0)::bigint as recorded,
               sum(w.duration_sum) filter (where w.week = 0) as seconds,
               sum(w.tasks) filter (where w.week > 0)::bigint as tasks_before,
               sum(w.done) filter (where w.week > 0)::bigint as done_before,
               sum(w.late) filter (where w.week > 0)::bigint as late_before,
               sum(w.early) filter (where w.week > 0)::bigint as early_before,
               sum(w.recorded) filter (where w.week > 0)::bigint as recorded_before,
               sum(w.duration_sum) filter (where w.week > 0) as seconds_before
          from weekly_work(p_class_ids, p_monday) as w
         group by w.class_id, w.person_id
        having count(*) filter (where w.week = 0) = 1 and count(*) filter (where w.week > 0) >= 2
    ), judged as (
        select s.*, f.is_less_done, not f.is_less_done and f.is_more_late as is_more_late,
               s.done < s.tasks and s.recorded > 0 and s.recorded_before > 0
                   and s.seconds * s.recorded_before * 2 <= s.seconds_before * s.recorded
                   and s.seconds_before * s.recorded - s.seconds * s.recorded_before >= 600 * s.recorded_before
                   as is_less_time,
               f.is_more_done, f.is_more_early
          from student as s
         cross join lateral (
               select differs(s.tasks - s.done, s.tasks, s.tasks_before - s.done_before, s.tasks_before)
                          as is_less_done,
                      differs(s.late, s.tasks, s.late_before, s.tasks_before) as is_more_late,
                      differs(s.done, s.tasks, s.done_before, s.tasks_before) as is_more_done,
                      differs(s.early, s.tasks, s.early_before, s.tasks_before) as is_more_early) as f
    ), found as (
        select j.*,
               case when j.begun = 0 then 'nothingDone'
                    when j.is_less_done or j.is_more_late or j.is_less_time then 'fellBehind'
                    when j.is_more_done or j.is_more_early then 'spedUp' end as finding
          from judged as j
    )
    select f.class_id, f.person_id, f.finding,
           case f.finding
               when 'fellBehind' then array_remove(array[
                   case when f.is_less_done then 'lessDone' end, case when f.is_more_late then 'moreLate' end,
                   case when f.is_less_time then 'lessTime' end], null)
               when 'spedUp' then array_remove(array[
                   case when f.is_more_done then 'moreDone' end, case when f.is_more_early then 'moreEarly' end], null)
               else array['nothingDone'] end,
           f.tasks::integer, f.done::integer, f.late::integer, f.early::integer, f.recorded::integer,
           shown(f.seconds), f.weeks::integer, f.tasks_before::integer, f.done_before::integer,
           f.late_before::integer, f.early_before::integer, f.recorded_before::integer, shown(f.seconds_before)
      from found as f
     where f.finding is not null;
end $$;
grant execute on function due_handouts(uuid[], date), weekly_work(uuid[], date), weekly_insights(uuid[], date),
    differs(bigint, bigint, bigint, bigint) to school_teacher;

-- class_insights: the insights of a class for the week of a day (null: of today), grouped by what there is to say, by
-- name. Without insights it is one row without a student. No row: the caller does not teach the class.
create or replace function class_insights(p_class_id uuid, p_source_id text, p_day date)
    returns table (class_id uuid, class_name text, week_from date, week_to date, counted_until timestamptz,
                   is_over boolean, generated_at timestamptz, handouts json, weeks_before integer,
                   person_id uuid, given_name text, family_name text, name_order text, finding text, facts text[],
                   tasks integer, done integer, late integer, early integer, recorded integer, duration_seconds
                   double precision, weeks_of_student integer, tasks_before integer, done_before integer,
                   late_before integer, early_before integer, recorded_before integer, duration_before
                   double precision, students_off integer, students_shown integer)
    language plpgsql stable
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
    taught       constant uuid := class_of(p_class_id, p_source_id);
    monday       constant date := (
        select date_trunc('week', coalesce(p_day, (moment() at time zone o.time_zone)::date)::timestamp)::date
          from organization as o where o.organization_id = organization);
begin
    return query
    with due as materialized (
        select * from due_handouts(array[taught], monday)
    ), off as (
        select count(*)::integer as shown,
               (count(*) filter (where p.is_progress_paused or not o.is_student_progress_enabled))::integer as students
          from class as c
          join seat as s         on s.organization_id = c.organization_id and s.class_id = c.class_id
                                and s.role = 'student' and is_seated(s, coalesce(c.archived_at, moment()))
          join person as p       on p.organization_id = s.organization_id and p.person_id = s.person_id
          join organization as o on o.organization_id = s.organization_id
         where c.organization_id = organization and c.class_id = taught
    )
    select c.class_id, c.name, monday, monday + 6, least(day_begins(monday + 7), moment()),
           day_begins(monday + 7) <= moment(), moment(),
           (select coalesce(json_agg(json_build_object('id', h.handout_id, 'title', h.title,
                                                       'dueAt', rfc3339(h.due_at))
                                     order by d.due, h.handout_id), '[]')
              from due as d
              join handout as h on h.organization_id = organization and h.handout_id = d.handout_id
             where d.week = 0),
           (select count(distinct d.week)::integer from due as d where d.week > 0),
           p.person_id, p.given_name, p.family_name, name_order_of(p), i.finding, i.facts, i.tasks, i.done, i.late,
           i.early, i.recorded, i.duration_seconds, i.weeks_before, i.tasks_before, i.done_before, i.late_before,
           i.early_before, i.recorded_before, i.duration_before, o.students, o.shown
      from class as c
     cross join off as o
      left join (weekly_insights(array[taught], monday) as i
                 join person as p on p.organization_id = organization and p.person_id = i.person_id) on true
     where c.organization_id = organization and c.class_id = taught
     order by array_position(array['nothingDone', 'fellBehind', 'spedUp'], i.finding),
              p.family_name collate "und-x-icu", p.given_name collate "und-x-icu", p.person_id;
end $$;
grant execute on function class_insights(uuid, text, date) to school_teacher;

-- teaching_insights: the open classes that the caller teaches of which this week has something to say, by name, and
-- of how many students.
create or replace function teaching_insights()
    returns table (week_from date, week_to date, generated_at timestamptz, classes json)
    language plpgsql stable
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
    monday       constant date := (
        select date_trunc('week', moment() at time zone o.time_zone)::date from organization as o
         where o.organization_id = organization);
begin
    return query
    select monday, monday + 6, moment(),
           (select coalesce(json_agg(json_build_object(
                       'id', c.class_id, 'name', c.name, 'nothingDone', n.nothing_done,
                       'fellBehind', n.fell_behind, 'spedUp', n.sped_up) order by c.name, c.class_id), '[]')
              from (select i.class_id, count(*) filter (where i.finding = 'nothingDone') as nothing_done,
                           count(*) filter (where i.finding = 'fellBehind') as fell_behind,
                           count(*) filter (where i.finding = 'spedUp') as sped_up
                      from weekly_insights(array(
                               select c.class_id from class as c
                                where c.organization_id = organization and c.archived_at is null), monday) as i
                     group by i.class_id) as n
              join class as c on c.organization_id = organization and c.class_id = n.class_id);
end $$;
grant execute on function teaching_insights() to school_teacher;
