-- Functions of reports: parts that several of them share.
--
-- Reports run with the rights of the caller: row-level security decides which attempts they see. They read the links
-- of attempts (activity_assignment), which repeat what reports show of them, and what a student's attempts at a task
-- come to (assignment_figures). The functions in this file that are in SQL and pin no search path are inlined, so
-- that each report is planned as one statement.

-- withdrawn_task_ids: tasks of handouts whose context existed once and is deleted, or was removed with the person
-- whose native context it was. Definer, because no standing reads deleted contexts; only for handouts of classes that
-- the caller teaches or sits in.
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
          left join lateral (
               select c.context_id, c.deleted_at from context as c
                where t.context_owner_id is null and c.kind = 'catalog'
                  and c.organization_id = t.organization_id and c.bundle_id = t.bundle_id
                  and c.environment = h.environment and c.identifier_path = t.recorded_path
               union all
               select o.context_id, o.deleted_at from context as o
                where o.person_id = t.context_owner_id and o.kind = 'native'
                  and o.organization_id = t.organization_id and o.bundle_id = t.bundle_id
                  and o.environment = h.environment and o.identifier_path = t.recorded_path) as n on true
         where t.organization_id = my_organization() and t.handout_id = any (p_handout_ids)
           and t.class_id = any (class_ids)
         group by t.task_id
        having bool_or(t.withdrawn_at is not null)
            or case when count(n.context_id) > 0 then bool_and(n.deleted_at is not null)
                    else bool_or(t.context_owner_id is not null) end);
end $$;
grant execute on function withdrawn_task_ids(uuid[]) to school_teacher, school_student;

-- return_document: the return of a student's work as documents show it; null if it was not returned.
create or replace function return_document(a assignment) returns json
    language sql stable parallel safe
    return case when a.returned_at is not null then json_build_object(
        'at', rfc3339(a.returned_at), 'note', a.return_note, 'tryAgain', a.is_to_try_again) end;
grant execute on function rfc3339(timestamptz), return_document(assignment) to school_teacher, school_student;

-- shown: a sum or an average as reports and exports show it: rounded to twelve significant digits, so that neither
-- the order of addition nor binary fractions are visible (0.95, not 0.9500000000000001). The argument is a numeric,
-- for which sums and averages are exact. Values beyond the range of a double become 1e300, or 0.
create or replace function shown(p_figure numeric) returns double precision
    language sql immutable parallel safe
    return case when abs(p_figure) < 1e-300 then 0
                when abs(p_figure) > 1e300 then sign(p_figure)::double precision * 1e300
                else round(p_figure, 11 - floor(log(abs(p_figure)::double precision))::integer)::double precision
           end;
grant execute on function shown(numeric) to school_teacher, school_student, school_exporter;

-- attempts_max: the maximum number of attempts of a student at a context that count for an assignment.
create or replace function attempts_max() returns integer language sql immutable parallel safe return 1000;
grant execute on function attempts_max() to school_teacher, school_student, school_exporter;

-- cells_at: what each student did at each of these tasks: the number of attempts that count, sums over all of them,
-- and progress and primary item of the latest. No row: nothing counts. p_person_id: that student only; null: all. A
-- timed task counts at most its minutes. Without a search path, so that it is inlined.
create or replace function cells_at(p_task_ids uuid[], p_person_id uuid)
    returns table (task_id uuid, person_id uuid, attempts integer, progress_sum numeric,
                   progress_count integer, duration_sum numeric, progress double precision,
                   kind text, share double precision, quantity double precision, positive integer,
                   primary_item json, latest_activity_id uuid, started_at timestamptz,
                   begun_at timestamptz)
    language sql stable
begin atomic
        select f.task_id, f.person_id, f.attempts, f.progress_sum, f.progress_count,
               least(f.duration_sum, m.seconds), f.progress,
               f.kind, f.share, f.quantity, f.positive::integer, f.primary_item, f.latest_activity_id, f.started_at,
               f.begun_at
          from school.assignment_figures as f
          left join (select t.task_id, t.minutes * 60 as seconds from school.task as t
                      where t.organization_id = (select school.my_organization()) and t.task_id = any (p_task_ids)
                        and t.kind = 'timedApp') as m on m.task_id = f.task_id
         where f.organization_id = (select school.my_organization()) and f.task_id = any (p_task_ids)
           and (p_person_id is null or f.person_id = p_person_id);
end;

-- opened_at: when a student opened an assignment: opened it in the list, or began the first attempt that counts,
-- whichever came first.
create or replace function opened_at(p_opened_at timestamptz, p_begun_at timestamptz) returns timestamptz
    language sql immutable parallel safe return least(p_opened_at, p_begun_at);
grant execute on function opened_at(timestamptz, timestamptz) to school_teacher, school_student, school_exporter;

-- averages_at: the class averages at each of these tasks, as in Schoolwork: progress over all attempts; items over each
-- student's latest attempt, score as a share of its maximum, none if kinds are mixed; duration over the students' sums.
-- Students without data do not count. No row: no student has data. Exports ask it, too. Inlined like cells_at.
create or replace function averages_at(p_task_ids uuid[])
    returns table (task_id uuid, primary_kind text, is_mixed boolean, progress double precision,
                   duration_seconds double precision, score double precision, quantity double precision,
                   positive_share double precision, students_with_data integer, students_at_limit integer,
                   attempts bigint)
    language sql stable
begin atomic
        select v.task_id, v.kind, v.is_mixed, shown(v.progress), shown(v.duration_seconds),
               case when v.kind = 'score' then shown(v.score) end,
               case when v.kind = 'quantity' then shown(v.quantity) end,
               case when v.kind = 'binary' then shown(v.positive_share) end,
               v.students_with_data, v.students_at_limit, v.attempts
          from (select f.task_id, case when min(f.kind) = max(f.kind) then min(f.kind) end as kind,
                       coalesce(min(f.kind) < max(f.kind), false) as is_mixed,
                       sum(f.progress_sum) / nullif(sum(f.progress_count), 0) as progress,
                       avg(f.duration_sum) as duration_seconds, avg(f.share::numeric) as score,
                       avg(f.quantity::numeric) as quantity, avg(f.positive) as positive_share,
                       count(*)::integer as students_with_data,
                       (count(*) filter (where f.attempts >= attempts_max()))::integer as students_at_limit,
                       sum(f.attempts) as attempts
                  from cells_at(p_task_ids, null) as f
                 group by f.task_id) as v;
end;

-- handout_seats: who sits in the class of these handouts (for an archived class, sat when it was archived) and is
-- given them.
create or replace function handout_seats(p_handout_ids uuid[]) returns table (handout_id uuid, person_id uuid)
    language sql stable
begin atomic
        select h.handout_id, s.person_id
          from school.handout as h
          join school.class as c on c.organization_id = h.organization_id and c.class_id = h.class_id
          join school.seat as s  on s.organization_id = h.organization_id and s.class_id = h.class_id
                                and s.role = 'student' and is_seated(s, coalesce(c.archived_at, moment()))
         where h.organization_id = (select school.my_organization()) and h.handout_id = any (p_handout_ids)
           and (h.recipients = 'class' or exists (
                   select from school.handout_recipient as r
                    where r.organization_id = h.organization_id and r.handout_id = h.handout_id
                      and r.person_id = s.person_id));
end;
grant execute on function handout_seats(uuid[]) to school_teacher, school_student;
grant execute on function cells_at(uuid[], uuid) to school_teacher, school_student, school_exporter;

-- students_shown: whom the reports of these handouts show: those who are given them, and those who left with something
-- to show. p_task_ids: the tasks of these handouts. Inlined like cells_at.
create or replace function students_shown(p_handout_ids uuid[], p_task_ids uuid[])
    returns table (handout_id uuid, person_id uuid)
    language sql stable
begin atomic
        select s.handout_id, s.person_id from handout_seats(p_handout_ids) as s
        union
        select t.handout_id, g.person_id
          from school.assignment as g
          join school.task as t on t.organization_id = g.organization_id and t.task_id = g.task_id
         where g.organization_id = (select school.my_organization()) and g.task_id = any (p_task_ids)
        union
        select t.handout_id, f.person_id
          from cells_at(p_task_ids, null) as f
          join school.task as t on t.organization_id = (select school.my_organization()) and t.task_id = f.task_id;
end;
grant execute on function students_shown(uuid[], uuid[]) to school_teacher;
grant execute on function averages_at(uuid[]) to school_teacher, school_exporter;
