-- Functions of news: what happened lately in the classes of a teacher.

-- note_schedule: remembers whether a handout is to be posted later; once it is, nothing else says so.
create or replace function note_schedule() returns trigger language plpgsql
    set search_path = school, pg_temp as $$
begin
    new.was_scheduled := coalesce(new.publish_at > moment(), false);
    return new;
end $$;
create or replace trigger note_schedule before insert on handout
    for each row execute function note_schedule();
create or replace trigger note_schedule_again before update on handout
    for each row when (new.publish_at is distinct from old.publish_at) execute function note_schedule();

-- news_since: from when on something is news: later than a moment that was seen, and not older than 30 days.
create or replace function news_since(p_seen_at timestamptz) returns timestamptz
    language sql stable parallel safe
    return greatest(p_seen_at, moment() - interval '30 days');

-- teaching_news: what happened later than a moment, at most 30 days ago, in the open classes that the caller teaches
-- now. What several students did to one handout, or in one class, on one day of the organization is one item, whose
-- moment is that of the latest. person_ids are the latest three, where the item names them.
--
--   finished         students who sit in the class and are given the handout marked the last of its tasks done
--   allFinished      everybody who has it now is done with all of it; stands for the last of the former
--   doneAgain        students did again what was returned to be tried again
--   posted           a colleague's handout was published, or one whose author was erased
--   scheduledPosted  a handout, the reader's own included, was published at the time it was scheduled for
--   joined, left     students joined the class and still sit in it, or left it and do not
--   announcement     a colleague's announcement
--
-- Runs with the rights of the caller: no handout, mark, seat or announcement counts that the caller cannot read now.
-- Progress is not looked at. Not by reading whole tables: ids are collected step by step, so that each step is a search
-- in an index also where row-level security keeps the planner from seeing how few rows there are.
create or replace function teaching_news(p_seen_at timestamptz)
    returns table (id text, kind text, at timestamptz, class_id uuid, handout_id uuid, announcement_id uuid,
                   author_id uuid, student_count integer, person_ids uuid[])
    language plpgsql stable
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan
    set enable_mergejoin = off set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
    reader       constant uuid := my_person();
    since        constant timestamptz := news_since(p_seen_at);
    zone         constant text := (
        select o.time_zone from organization as o where o.organization_id = organization);
    class_ids    constant uuid[] := array(
        select c.class_id from class as c where c.organization_id = organization and c.archived_at is null);
    handout_ids  constant uuid[] := array(
        select h.handout_id from handout as h
         where h.organization_id = organization and h.class_id = any (class_ids) and h.publish_at <= moment()
           and h.archived_at is null);
    task_ids     constant uuid[] := array(
        select t.task_id from task as t
         where t.organization_id = organization and t.handout_id = any (handout_ids));
    done_ids     constant uuid[] := array(
        select distinct g.task_id from assignment as g
         where g.organization_id = organization and g.task_id = any (task_ids) and g.done_at > since);
    worked_ids   constant uuid[] := array(
        select distinct t.handout_id from task as t
         where t.organization_id = organization and t.task_id = any (done_ids));
    asked_ids    constant uuid[] := array(
        select t.task_id from task as t
         where t.organization_id = organization and t.handout_id = any (worked_ids));
begin
    return query
    with given as materialized (
        select h.handout_id, h.class_id,
               (select count(*) from task as t
                 where t.organization_id = h.organization_id and t.handout_id = h.handout_id) as tasks
          from handout as h
         where h.organization_id = organization and h.handout_id = any (worked_ids)
    ), work as materialized (
        select t.handout_id, g.person_id, count(g.done_at) as tasks_done, max(g.done_at) as done_at,
               max(g.done_at) filter (where g.is_to_try_again and g.done_at > g.returned_at) as again_at
          from assignment as g
          join task as t on t.organization_id = g.organization_id and t.task_id = g.task_id
         where g.organization_id = organization and g.task_id = any (asked_ids)
         group by t.handout_id, g.person_id
    -- Grouped, not joined: a join of so many rows would be one by one, since the planner expects few.
    ), student as materialized (
        select b.handout_id, n.class_id, b.person_id, b.done_at, b.again_at, b.tasks_done = n.tasks as is_done
          from (select u.handout_id, u.person_id, max(u.tasks_done) as tasks_done, max(u.done_at) as done_at,
                       max(u.again_at) as again_at
                  from (select s.handout_id, s.person_id, true as is_here, 0 as tasks_done,
                               null::timestamptz as done_at, null::timestamptz as again_at
                          from handout_seats(worked_ids) as s
                        union all
                        select w.handout_id, w.person_id, false, w.tasks_done, w.done_at, w.again_at
                          from work as w) as u
                 group by u.handout_id, u.person_id
                having bool_or(u.is_here)) as b
          join given as n on n.handout_id = b.handout_id
    ), whole as materialized (
        select s.handout_id, s.class_id, max(s.done_at) as at, count(*) as students,
               (max(s.done_at) at time zone zone)::date as day
          from student as s
         group by s.handout_id, s.class_id
        having bool_and(s.is_done) and max(s.done_at) > since
    ), change as materialized (
        select s.class_id, s.person_id, 'joined' as kind,
               greatest(s.joined_at, s.recorded_at)::timestamptz as at
          from seat as s
         where s.organization_id = organization and s.class_id = any (class_ids) and s.role = 'student'
           and is_seated(s) and greatest(s.joined_at, s.recorded_at) > since
        union all
        select s.class_id, s.person_id, 'left', max(s.left_at)::timestamptz
          from seat as s
         where s.organization_id = organization and s.class_id = any (class_ids) and s.role = 'student'
           and s.left_at > since and s.left_at <= moment() and s.left_at > s.joined_at
           and not exists (select from seat as o
                            where o.organization_id = s.organization_id and o.class_id = s.class_id
                              and o.person_id = s.person_id and o.role = s.role and is_seated(o))
         group by s.class_id, s.person_id
    ), item (kind, at, day, class_id, handout_id, announcement_id, author_id, students, person_ids) as (
        select 'finished', max(s.done_at), (s.done_at at time zone zone)::date, s.class_id, s.handout_id,
               null::uuid, null::uuid, count(*), null::uuid[]
          from student as s
         where s.is_done and s.again_at is null and s.done_at > since
           and (s.handout_id, (s.done_at at time zone zone)::date) not in (select w.handout_id, w.day from whole as w)
         group by s.class_id, s.handout_id, (s.done_at at time zone zone)::date
        union all
        select 'allFinished', w.at, null, w.class_id, w.handout_id, null, null, w.students, null from whole as w
        union all
        select 'doneAgain', max(s.again_at), (s.again_at at time zone zone)::date, s.class_id, s.handout_id,
               null, null, count(*), null
          from student as s
         where s.again_at > since
         group by s.class_id, s.handout_id, (s.again_at at time zone zone)::date
        union all
        select case when h.was_scheduled then 'scheduledPosted' else 'posted' end, h.publish_at, null,
               h.class_id, h.handout_id, null, h.author_id, null, null
          from handout as h
         where h.organization_id = organization and h.handout_id = any (handout_ids) and h.publish_at > since
           and (h.was_scheduled or h.author_id is distinct from reader)
        union all
        select c.kind, max(c.at), (c.at at time zone zone)::date, c.class_id, null, null, null, count(*),
               (array_agg(c.person_id order by c.at desc, c.person_id))[1:3]
          from change as c
         group by c.kind, c.class_id, (c.at at time zone zone)::date
        union all
        select 'announcement', a.created_at, null, a.class_id, null, a.announcement_id, a.author_id, null, null
          from announcement as a
         where a.organization_id = organization and a.class_id = any (class_ids) and a.created_at > since
           and a.author_id is distinct from reader
    )
    select concat_ws('-', i.kind, coalesce(i.announcement_id, i.handout_id, i.class_id), i.day), i.kind,
           i.at::timestamptz, i.class_id, i.handout_id, i.announcement_id, i.author_id, i.students::integer,
           i.person_ids
      from item as i;
end $$;
grant execute on function news_since(timestamptz), teaching_news(timestamptz) to school_teacher;
