-- Functions of counts: how far a class is with its handouts.

-- all_joined_after_due: who came into the class when a handout was due already: no seat of the student was held between
-- its publication, or the due time if that was earlier, and the due time. Such a student is never late with it. The one
-- rule behind every "late". Inlined like handout_seats, also in those below.
create or replace function all_joined_after_due() returns table (handout_id uuid, person_id uuid)
    language sql stable
begin atomic
        select distinct h.handout_id, s.person_id
          from school.handout as h
          join school.seat as s on s.organization_id = h.organization_id and s.class_id = h.class_id
                               and s.role = 'student' and s.joined_at > greatest(h.due_at, h.publish_at)
         where h.organization_id = (select school.my_organization())
           and h.due_at is not null and h.publish_at <= (select school.moment())
           and not exists (
                   select from school.seat as x
                    where x.organization_id = h.organization_id and x.class_id = h.class_id
                      and x.person_id = s.person_id and x.role = 'student'
                      and x.joined_at <= greatest(h.due_at, h.publish_at)
                      and (x.left_at is null or x.left_at > h.publish_at)
                    -- Looked up for each of the few who came later: PostgreSQL expects many, and would join all seats.
                    offset 0);
end;
grant execute on function all_joined_after_due() to school_teacher, school_student, school_exporter, school_roster_reader;

-- joined_after_due: those of some handouts. For an export of all, PostgreSQL would look for each in the whole list.
create or replace function joined_after_due(p_handout_ids uuid[]) returns table (handout_id uuid, person_id uuid)
    language sql stable
begin atomic
        select j.handout_id, j.person_id from school.all_joined_after_due() as j
         where j.handout_id = any (p_handout_ids);
end;
grant execute on function joined_after_due(uuid[])
    to school_teacher, school_student, school_exporter, school_roster_reader;

-- all_due_before_joining: the same with whether a teacher gave it to the student nevertheless. If not, the student does
-- not count among those who have it to do.
create or replace function all_due_before_joining()
    returns table (handout_id uuid, person_id uuid, is_given boolean)
    language sql stable
begin atomic
        select j.handout_id, j.person_id, r.person_id is not null
          from school.all_joined_after_due() as j
          left join school.handout_recipient as r
                 on r.organization_id = (select school.my_organization()) and r.handout_id = j.handout_id
                and r.person_id = j.person_id;
end;
grant execute on function all_due_before_joining() to school_teacher, school_student, school_exporter;

-- due_before_joining: those of some handouts.
create or replace function due_before_joining(p_handout_ids uuid[])
    returns table (handout_id uuid, person_id uuid, is_given boolean)
    language sql stable
begin atomic
        select j.handout_id, j.person_id, j.is_given from school.all_due_before_joining() as j
         where j.handout_id = any (p_handout_ids);
end;
grant execute on function due_before_joining(uuid[]) to school_teacher, school_student, school_exporter;

-- handout_counts: for handouts that the caller sees as their teacher, how many students have each to do now, how many
-- of them are done with all of its tasks, and how many are late: a task was done after the due time, or is not done
-- although that is over. A late student who is not done is overdue. A handout that is not published yet makes nobody late,
-- nor does one that was due before the student joined. The latter does not count at all, unless a teacher gave it to the
-- student. Runs with the rights of the caller.
create or replace function handout_counts(p_handout_ids uuid[])
    returns table (handout_id uuid, assigned integer, done integer, late integer, overdue integer)
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
        select distinct s.handout_id, s.person_id, j.person_id is not null as is_joined_later
          from handout_seats(p_handout_ids) as s
          left join due_before_joining(p_handout_ids) as j
                 on j.handout_id = s.handout_id and j.person_id = s.person_id
         where j.is_given is not false
    )
    select n.handout_id, count(s.person_id)::integer,
           (count(s.person_id) filter (where w.tasks_done = n.tasks))::integer,
           (count(s.person_id) filter (
               where n.is_published and n.tasks > 0 and not s.is_joined_later
                 and n.due_at < case when w.tasks_done = n.tasks then w.last_done_at else moment() end))::integer,
           (count(s.person_id) filter (
               where n.is_published and n.tasks > 0 and not s.is_joined_later
                 and n.due_at < moment() and w.tasks_done is distinct from n.tasks))::integer
      from given as n
      left join student as s on s.handout_id = n.handout_id
      left join work    as w on w.handout_id = n.handout_id and w.person_id = s.person_id
     group by n.handout_id;
end $$;
grant execute on function handout_counts(uuid[]) to school_teacher;
