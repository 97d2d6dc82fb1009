-- Functions of activities: what the attempts of a student at a task come to (assignment_figures).
--
-- Updated once per statement, by triggers: a statement that writes or deletes what an activity counts for need not
-- know. A first statement adds what was inserted and subtracts what was deleted, which locks the rows. A second looks
-- up the latest attempt, and by then sees what others have committed. Attempts that are not shown are not in any sum.
-- Each announces the reports that someone watches (functions/reports/live.sql), unless no attempt was or is shown.
--
-- Figures are looked up one by one, whatever the caller sets: store_activities turns nested loops off, and a join by
-- hash reads the figures of the whole organization for each upload that changes a stored attempt.

-- add_attempts: adds inserted attempts. The latest is the later of the newest inserted and the latest so far.
create or replace function add_attempts() returns trigger language plpgsql security definer
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan set jit = off as $$
begin
    insert into assignment_figures as f (organization_id, task_id, person_id, handout_id, class_id, attempts,
           progress_sum, progress_count, duration_sum, begun_at, latest_activity_id, started_at, progress, kind,
           share, quantity, positive, primary_item)
    select m.organization_id, m.task_id, m.person_id, m.handout_id, m.class_id, m.attempts, m.progress_sum,
           m.progress_count, m.duration_sum, m.begun_at, m.activity_id, m.started_at, m.progress, m.kind, m.share,
           m.quantity, m.positive, m.primary_item
      from (select m.*, count(*) over pair as attempts,
                   coalesce(sum(m.progress::numeric) over pair, 0) as progress_sum,
                   count(m.progress) over pair as progress_count,
                   sum(m.duration_seconds::numeric) over pair as duration_sum,
                   min(m.started_at) over pair as begun_at,
                   row_number() over (partition by m.organization_id, m.task_id, m.person_id
                                      order by m.started_at desc, m.activity_id desc) as nth_last
              from made as m
             where m.is_shown
            window pair as (partition by m.organization_id, m.task_id, m.person_id)) as m
     where m.nth_last = 1
     order by m.organization_id, m.task_id, m.person_id
    on conflict on constraint assignment_figures_pkey do update
       set attempts       = f.attempts + excluded.attempts,
           progress_sum   = f.progress_sum + excluded.progress_sum,
           progress_count = f.progress_count + excluded.progress_count,
           duration_sum   = f.duration_sum + excluded.duration_sum,
           begun_at       = least(f.begun_at, excluded.begun_at),
           (latest_activity_id, started_at, progress, kind, share, quantity, positive, primary_item) = (
               select n.* from (values
                   (f.latest_activity_id, f.started_at, f.progress, f.kind, f.share, f.quantity, f.positive,
                    f.primary_item),
                   (excluded.latest_activity_id, excluded.started_at, excluded.progress, excluded.kind,
                    excluded.share, excluded.quantity, excluded.positive, excluded.primary_item))
                   as n (activity_id, started_at, progress, kind, share, quantity, positive, primary_item)
                order by n.started_at desc, n.activity_id desc limit 1);
    perform pg_notify('school_report', w.handout_id::text)
       from (select distinct m.organization_id, m.handout_id from made as m where m.is_shown) as m
       join watched_report as w using (organization_id, handout_id)
      where w.watched_until > moment();
    return null;
end $$;

-- find_latest_attempts (internal): for these students at these tasks; a row without any attempt left is deleted.
create or replace function find_latest_attempts(p_organization_ids uuid[], p_task_ids uuid[], p_person_ids uuid[])
    returns void language plpgsql security definer
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
begin
    delete from assignment_figures as f
     using unnest(p_organization_ids, p_task_ids, p_person_ids) as g (organization_id, task_id, person_id)
     where f.organization_id = g.organization_id and f.task_id = g.task_id and f.person_id = g.person_id
       and f.attempts = 0;
    update assignment_figures as f
       set (latest_activity_id, started_at, progress, kind, share, quantity, positive, primary_item) = (
           select l.activity_id, l.started_at, l.progress, l.kind, l.share, l.quantity, l.positive, l.primary_item
             from activity_assignment as l
            where l.organization_id = f.organization_id and l.task_id = f.task_id
              and l.handout_id = f.handout_id and l.class_id = f.class_id and l.person_id = f.person_id
              and l.is_shown
            order by l.started_at desc, l.activity_id desc limit 1),
           begun_at = (
           select l.started_at from activity_assignment as l
            where l.organization_id = f.organization_id and l.task_id = f.task_id
              and l.handout_id = f.handout_id and l.class_id = f.class_id and l.person_id = f.person_id
              and l.is_shown
            order by l.started_at, l.activity_id limit 1)
      from unnest(p_organization_ids, p_task_ids, p_person_ids) as g (organization_id, task_id, person_id)
     where f.organization_id = g.organization_id and f.task_id = g.task_id and f.person_id = g.person_id;
end $$;

-- change_attempts: the figures of an attempt changed, or it became shown or hidden.
create or replace function change_attempts() returns trigger language plpgsql security definer
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan
    set enable_nestloop = on set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    set jit = off as $$
declare
    organizations uuid[];
    tasks         uuid[];
    students      uuid[];
begin
    -- An insert that updates an existing row fires both triggers, and mostly changes nothing.
    if not exists (select from made) then
        return null;
    end if;
    insert into assignment_figures (organization_id, task_id, person_id, handout_id, class_id, attempts, progress_sum,
           progress_count, duration_sum, latest_activity_id, started_at)
    select distinct on (m.organization_id, m.task_id, m.person_id)
           m.organization_id, m.task_id, m.person_id, m.handout_id, m.class_id, 0, 0, 0, 0, m.activity_id, m.started_at
      from made as m
     where m.is_shown and exists (
           select from gone as g
            where g.organization_id = m.organization_id and g.person_id = m.person_id
              and g.activity_id = m.activity_id and g.task_id = m.task_id and not g.is_shown)
     order by m.organization_id, m.task_id, m.person_id
    on conflict on constraint assignment_figures_pkey do nothing;
    with changed as (
        update assignment_figures as f
           set attempts       = f.attempts + c.attempts,
               progress_sum   = f.progress_sum + c.progress_sum,
               progress_count = f.progress_count + c.progress_count,
               duration_sum   = f.duration_sum + c.duration_sum
          from (select u.organization_id, u.task_id, u.person_id, sum(u.sign) as attempts,
                       coalesce(sum(u.sign * u.progress::numeric), 0) as progress_sum,
                       coalesce(sum(u.sign) filter (where u.progress is not null), 0) as progress_count,
                       sum(u.sign * u.duration_seconds::numeric) as duration_sum
                  from (select 1 as sign, organization_id, task_id, person_id, progress, duration_seconds from made
                         where is_shown
                        union all
                        select -1, organization_id, task_id, person_id, progress, duration_seconds from gone
                         where is_shown) as u
                 group by u.organization_id, u.task_id, u.person_id
                 order by u.organization_id, u.task_id, u.person_id) as c
         where f.organization_id = c.organization_id and f.task_id = c.task_id and f.person_id = c.person_id
        returning f.organization_id, f.task_id, f.person_id)
    select array_agg(organization_id), array_agg(task_id), array_agg(person_id)
      into organizations, tasks, students from changed;
    perform find_latest_attempts(organizations, tasks, students);
    perform pg_notify('school_report', w.handout_id::text)
       from (select m.organization_id, m.handout_id from made as m where m.is_shown
             union select g.organization_id, g.handout_id from gone as g where g.is_shown) as m
       join watched_report as w using (organization_id, handout_id)
      where w.watched_until > moment();
    return null;
end $$;

-- take_attempts_off: subtracts deleted attempts.
create or replace function take_attempts_off() returns trigger language plpgsql security definer
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan
    set enable_nestloop = on set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    set jit = off as $$
declare
    organizations uuid[];
    tasks         uuid[];
    students      uuid[];
begin
    with changed as (
        update assignment_figures as f
           set attempts       = f.attempts - c.attempts,
               progress_sum   = f.progress_sum - c.progress_sum,
               progress_count = f.progress_count - c.progress_count,
               duration_sum   = f.duration_sum - c.duration_sum
          from (select g.organization_id, g.task_id, g.person_id, count(*) as attempts,
                       coalesce(sum(g.progress::numeric), 0) as progress_sum, count(g.progress) as progress_count,
                       sum(g.duration_seconds::numeric) as duration_sum
                  from gone as g
                 where g.is_shown
                 group by g.organization_id, g.task_id, g.person_id
                 order by g.organization_id, g.task_id, g.person_id) as c
         where f.organization_id = c.organization_id and f.task_id = c.task_id and f.person_id = c.person_id
        returning f.organization_id, f.task_id, f.person_id)
    select array_agg(organization_id), array_agg(task_id), array_agg(person_id)
      into organizations, tasks, students from changed;
    perform find_latest_attempts(organizations, tasks, students);
    perform pg_notify('school_report', w.handout_id::text)
       from (select distinct g.organization_id, g.handout_id from gone as g where g.is_shown) as g
       join watched_report as w using (organization_id, handout_id)
      where w.watched_until > moment();
    return null;
end $$;

create or replace trigger add_attempts after insert on activity_assignment
    referencing new table as made for each statement execute function add_attempts();
create or replace trigger change_attempts after update on activity_assignment
    referencing old table as gone new table as made for each statement execute function change_attempts();
create or replace trigger take_attempts_off after delete on activity_assignment
    referencing old table as gone for each statement execute function take_attempts_off();
