-- Functions of counts: how far a class is with its handouts.

-- handout_counts: for handouts that the caller sees as their teacher, how many students have each to do now, how many
-- of them are done with all of its tasks, and how many are late: a task was done after the due time, or is not done
-- although that is over. A handout that is not published yet makes nobody late. Runs with the rights of the caller.
create or replace function handout_counts(p_handout_ids uuid[])
    returns table (handout_id uuid, assigned integer, done integer, late integer)
    language plpgsql stable
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan
    set enable_mergejoin = off set jit = off as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
begin
    return query
    with given as materialized (
        select h.handout_id, h.due_at, h.publish_at <= moment() as is_published,
               (select count(*) from task as t
                 where t.organization_id = h.organization_id and t.handout_id = h.handout_id) as tasks
          from handout as h
         where h.organization_id = organization and h.handout_id = any (p_handout_ids)
    ), work as materialized (
        select t.handout_id, g.person_id, count(g.done_at) as tasks_done, max(g.done_at) as last_done_at
          from task as t
          join assignment as g on g.organization_id = t.organization_id and g.task_id = t.task_id
         where t.organization_id = organization and t.handout_id = any (p_handout_ids)
         group by t.handout_id, g.person_id
    ), student as materialized (
        select distinct s.handout_id, s.person_id from handout_seats(p_handout_ids) as s
    )
    select n.handout_id, count(s.person_id)::integer,
           (count(s.person_id) filter (where w.tasks_done = n.tasks))::integer,
           (count(s.person_id) filter (
               where n.is_published and n.tasks > 0
                 and n.due_at < case when w.tasks_done = n.tasks then w.last_done_at else moment() end))::integer
      from given as n
      left join student as s on s.handout_id = n.handout_id
      left join work    as w on w.handout_id = n.handout_id and w.person_id = s.person_id
     group by n.handout_id;
end $$;
grant execute on function handout_counts(uuid[]) to school_teacher;
