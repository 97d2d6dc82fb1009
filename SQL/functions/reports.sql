-- Functions of reports: what several of them are made of.
--
-- Reports run with the rights of the caller: row-level security decides which attempts there are. They are read from
-- what they counted for (activity_assignment), which repeats what reports show of them. The functions of this file
-- that are in SQL and pin no search path become a part of the statement that names them, so that each report is
-- planned as one statement.

set local role school_owner;
set local search_path = school, pg_temp;

-- withdrawn_task_ids: tasks of handouts whose context was there once and is deleted, or went with the person
-- whose native context it was. Definer, because nobody else reads deleted contexts; says so only of handouts
-- of classes that the caller teaches or sits in.
create or replace function withdrawn_task_ids(p_handout_ids uuid[]) returns uuid[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    class_ids constant uuid[] :=
        case my_standing() when 'teacher' then my_taught_class_ids() when 'student' then my_class_ids() end;
begin
    return array(
        select t.task_id
          from task as t
          join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
          left join context as n
                 on n.organization_id = t.organization_id and n.bundle_id = t.bundle_id
                and n.environment = h.environment and n.identifier_path = t.recorded_path
                and n.person_id is not distinct from t.context_owner_id
         where t.organization_id = my_organization() and t.handout_id = any (p_handout_ids)
           and t.class_id = any (class_ids)
         group by t.task_id
        having bool_or(t.withdrawn_at is not null)
            or case when count(n.context_id) > 0 then bool_and(n.deleted_at is not null)
                    else bool_or(t.context_owner_id is not null) end);
end $$;
grant execute on function withdrawn_task_ids(uuid[]) to school_teacher, school_student;

-- return_document: with what a student's work was given back, as documents show it; null: it was not.
create or replace function return_document(a assignment) returns json
    language sql stable parallel safe
    return case when a.returned_at is not null then json_build_object(
        'at', rfc3339(a.returned_at), 'note', a.return_note, 'tryAgain', a.is_to_try_again) end;
grant execute on function rfc3339(timestamptz), return_document(assignment) to school_teacher, school_student;

-- attempts_at: the attempts that count for these tasks; nth_last is 1 for the latest of a student at a task. An
-- attempt is final when a newer one counts for the same task. A timed task counts at most its minutes
-- (seconds_max). Figures are of a size that can be averaged. p_person_id: of that student only; null: of all.
create or replace function attempts_at(p_task_ids uuid[], p_person_id uuid)
    returns table (task_id uuid, person_id uuid, activity_id uuid, started_at timestamptz,
                   stopped_at timestamptz, duration_seconds double precision, progress double precision,
                   kind text, share double precision, quantity double precision, positive integer,
                   primary_item json, nth_last bigint, seconds_max integer)
    language sql stable as $$
    select l.task_id, l.person_id, l.activity_id, l.started_at::timestamptz, l.stopped_at::timestamptz,
           least(school.bounded(l.duration_seconds), m.seconds), l.progress, l.kind, l.share,
           school.bounded(l.quantity), l.positive::integer, l.primary_item,
           row_number() over (partition by l.task_id, l.person_id
                              order by l.started_at desc, l.activity_id desc), m.seconds
      from school.activity_assignment as l
      left join (select t.task_id, t.minutes * 60 as seconds from school.task as t
                  where t.organization_id = (select school.my_organization()) and t.task_id = any (p_task_ids)
                    and t.kind = 'timedApp') as m on m.task_id = l.task_id
     where l.organization_id = (select school.my_organization()) and l.task_id = any (p_task_ids)
       and (p_person_id is null or l.person_id = p_person_id)
$$;

-- cells_at: what each student did at each of these tasks: the sum of the time of all attempts, and of the latest
-- one progress and primary item. No row: nothing that counts. A timed task counts at most its minutes.
create or replace function cells_at(p_task_ids uuid[], p_person_id uuid)
    returns table (task_id uuid, person_id uuid, attempts integer, progress_sum double precision,
                   progress_count bigint, duration_seconds double precision, progress double precision,
                   kind text, share double precision, quantity double precision, positive integer,
                   primary_item json)
    language sql stable as $$
    select a.task_id, a.person_id, count(*)::integer, sum(a.progress), count(a.progress),
           least(sum(a.duration_seconds), min(a.seconds_max)),
           max(a.progress) filter (where a.nth_last = 1), max(a.kind) filter (where a.nth_last = 1),
           max(a.share) filter (where a.nth_last = 1), max(a.quantity) filter (where a.nth_last = 1),
           max(a.positive) filter (where a.nth_last = 1),
           (array_agg(a.primary_item) filter (where a.nth_last = 1))[1]
      from school.attempts_at(p_task_ids, p_person_id) as a
     group by a.task_id, a.person_id
$$;

-- handout_seats: who sits in the class of these handouts (of an archived class: sat when it was archived)
-- and is given them.
create or replace function handout_seats(p_handout_ids uuid[]) returns table (handout_id uuid, person_id uuid)
    language sql stable as $$
    select h.handout_id, s.person_id
      from school.handout as h
      join school.class as c on c.organization_id = h.organization_id and c.class_id = h.class_id
      join school.seat as s  on s.organization_id = h.organization_id and s.class_id = h.class_id
                            and s.role = 'student' and s.joined_at <= coalesce(c.archived_at, now())
                            and (s.left_at is null or s.left_at > coalesce(c.archived_at, now()))
     where h.organization_id = (select school.my_organization()) and h.handout_id = any (p_handout_ids)
       and (h.recipients = 'class' or exists (
               select from school.handout_recipient as r
                where r.organization_id = h.organization_id and r.handout_id = h.handout_id
                  and r.person_id = s.person_id))
$$;
grant execute on function attempts_at(uuid[], uuid), cells_at(uuid[], uuid), handout_seats(uuid[])
    to school_teacher, school_student;
