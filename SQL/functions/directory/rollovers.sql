-- Functions of rollovers: from one term to the next. The plan says what would happen, and roll_over() does it.
--
-- They run with the caller's rights: what an administrator may not write, no rollover writes.

-- rollover_terms: a term with all its parts.
create or replace function rollover_terms(p_term_id uuid) returns uuid[]
    language sql stable
begin atomic
    with recursive whole as (
        select t.term_id from school.term as t
         where t.organization_id = my_organization() and t.term_id = p_term_id
        union
        select t.term_id from school.term as t
          join whole as w on w.term_id = t.parent_id
         where t.organization_id = my_organization())
    select coalesce(array_agg(w.term_id), '{}') from whole as w;
end;

-- plan_rollover: what a rollover would do, one row for each change:
--
--   archiveClass  a class of the term or of its parts that is not archived yet
--   copyClass     one of those, into the next term: with p_copies withTeachers its teachers, with withStudents its
--                 students too, as far as they are active and do not leave. Not if the next term, or a part of it, has
--                 a class of that name, course and location; and not a class that a teacher made, since its copy
--                 would be one of the school's.
--   moveUp        a student whose grade p_grades names: [{from, to}]
--   leave         a student whose grade p_grades names without a to
--
-- Only active students who have no other role than that. line is what distinguishes the change; the name is not part
-- of it.
create or replace function plan_rollover(p_term_id uuid, p_next_term_id uuid, p_grades jsonb, p_copies text)
    returns table (kind text, id uuid, name text, given_name text, family_name text, name_order text,
                   from_grade text, to_grade text, teacher_ids uuid[], student_ids uuid[], line text)
    language plpgsql stable
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    organization constant uuid   := my_organization();
    ending_ids   constant uuid[] := rollover_terms(p_term_id);
    next_ids     constant uuid[] := rollover_terms(p_next_term_id);
begin
    return query
    with moving as materialized (
        select p.person_id, p.given_name, p.family_name, name_order_of(p) as name_order, g."from", g."to"
          from jsonb_to_recordset(p_grades) as g ("from" text, "to" text)
          join person as p on p.organization_id = organization and p.grade = g."from" and p.deactivated_at is null
         where exists (select from person_role as r
                        where r.organization_id = organization and r.person_id = p.person_id and r.role = 'student')
           and not exists (select from person_role as r
                            where r.organization_id = organization and r.person_id = p.person_id
                              and r.role <> 'student')
    ), ending as materialized (
        select c.* from class as c
         where c.organization_id = organization and c.term_id = any (ending_ids) and c.archived_at is null
    ), staying as materialized (
        select s.class_id, s.role, array_agg(s.person_id order by s.person_id) as ids
          from ending as c
          join seat as s on s.organization_id = organization and s.class_id = c.class_id and is_seated(s, moment())
          join person as p on p.organization_id = organization and p.person_id = s.person_id
                          and p.deactivated_at is null
         where (s.role = 'teacher' and p_copies in ('withTeachers', 'withStudents')
                or s.role = 'student' and p_copies = 'withStudents')
           and not exists (select from moving as m where m.person_id = s.person_id and m."to" is null)
         group by s.class_id, s.role
    ), change as (
        select 'archiveClass' as kind, c.class_id as id, c.name, null::text as given_name, null::text as family_name,
               null::text as name_order, null::text as from_grade, null::text as to_grade,
               '{}'::uuid[] as teacher_ids, '{}'::uuid[] as student_ids
          from ending as c
        union all
        select 'copyClass', c.class_id, c.name, null, null, null, null, null,
               coalesce((select s.ids from staying as s where s.class_id = c.class_id and s.role = 'teacher'), '{}'),
               coalesce((select s.ids from staying as s where s.class_id = c.class_id and s.role = 'student'), '{}')
          from ending as c
         where p_copies <> 'none' and c.made_by is null and not exists (
               select from class as k
                where k.organization_id = organization and k.term_id = any (next_ids) and k.name = c.name
                  and k.location_id = c.location_id and k.course_id is not distinct from c.course_id)
        union all
        select case when m."to" is null then 'leave' else 'moveUp' end, m.person_id, null, m.given_name,
               m.family_name, m.name_order, m."from", m."to", '{}', '{}'
          from moving as m
    )
    select c.*, concat_ws(' ', c.kind, c.id, to_json(c.from_grade), to_json(c.to_grade), c.teacher_ids, c.student_ids)
      from change as c;
end $$;

-- rollover_revision: names a plan. It is the same for as long as the plan is.
create or replace function rollover_revision(
    p_term_id uuid, p_next_term_id uuid, p_copies text, p_lines text[]) returns text
    language sql stable
    return encode(sha256(convert_to(concat_ws(E'\n', p_term_id, coalesce(p_next_term_id::text, ''), p_copies,
        (select string_agg(l, E'\n' order by l collate "C") from unnest(p_lines) as l)), 'UTF8')), 'hex');

-- roll_over: does what plan_rollover() says, in one transaction, and writes an event for it and one for each leaver. No
-- row, and nothing done, if the plan is not the one of that revision any more. Raises a serialization failure if a
-- student changes meanwhile. The caller holds the term.
--
-- Seats of copies begin with the next term, or now if it has begun. Leavers are deactivated now.
create or replace function roll_over(
    p_term_id uuid, p_next_term_id uuid, p_grades jsonb, p_copies text, p_revision text)
    returns table (classes_archived integer, classes_copied integer, seats_copied integer,
                   students_moved_up integer, students_leaving integer)
    language plpgsql volatile
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
    plan         jsonb;
    copies       jsonb;
    rising       jsonb;
    leaving      uuid[];
    revision     text;
    planned      bigint;
begin
    select coalesce(jsonb_agg(to_jsonb(p) || jsonb_build_object('copy_id', new_id())), '[]'),
           rollover_revision(p_term_id, p_next_term_id, p_copies, array_agg(p.line))
      into plan, revision
      from plan_rollover(p_term_id, p_next_term_id, p_grades, p_copies) as p;
    if revision <> p_revision then
        return;
    end if;

    select coalesce(jsonb_agg(only_columns(to_jsonb(c), written_columns('class')) || jsonb_build_object(
               'id', r.copy_id, 'source_id', null, 'term_id', p_next_term_id, 'origin', 'manual')), '[]')
      into copies
      from jsonb_to_recordset(plan) as r (kind text, id uuid, copy_id uuid)
      join class as c on c.organization_id = organization and c.class_id = r.id
     where r.kind = 'copyClass';
    perform add_rows('class', organization, copies);
    classes_copied := jsonb_array_length(copies);
    select count(*) into seats_copied from begin_seats(organization, (
        select coalesce(jsonb_agg(jsonb_build_object(
                   'class_id', r.copy_id, 'role', s.role, 'person_ids', s.ids,
                   'joined_at', greatest(moment(), t.starts_on::timestamp at time zone day_zone(r.id)))), '[]')
          from jsonb_to_recordset(plan) as r (kind text, id uuid, copy_id uuid, teacher_ids uuid[], student_ids uuid[])
          join term as t on t.organization_id = organization and t.term_id = p_next_term_id
         cross join lateral (values ('teacher', r.teacher_ids), ('student', r.student_ids)) as s (role, ids)
         where r.kind = 'copyClass'));

    select count(*) into planned from jsonb_to_recordset(plan) as r (kind text) where r.kind in ('moveUp', 'leave');
    with held as (
        select p.person_id, r.kind, r.to_grade
          from jsonb_to_recordset(plan) as r (kind text, id uuid, from_grade text, to_grade text)
          join person as p on p.organization_id = organization and p.person_id = r.id
         where r.kind in ('moveUp', 'leave') and p.grade = r.from_grade and p.deactivated_at is null
         order by p.person_id for no key update of p)
    select coalesce(jsonb_agg(jsonb_build_object('id', h.person_id, 'grade', h.to_grade))
                        filter (where h.kind = 'moveUp'), '[]'),
           coalesce(array_agg(h.person_id) filter (where h.kind = 'leave'), '{}')
      into rising, leaving from held as h;
    students_moved_up := jsonb_array_length(rising);
    students_leaving := cardinality(leaving);
    if students_moved_up + students_leaving <> planned then
        raise exception 'students changed during the rollover' using errcode = 'serialization_failure';
    end if;
    perform change_rows('person', organization, rising);
    perform set_deactivated(organization, leaving, moment());
    perform audit('personChange', 'person', r.id::text, '{"change": "deactivated"}')
       from jsonb_to_recordset(plan) as r (kind text, id uuid) where r.kind = 'leave';

    classes_archived := close_term(p_term_id);
    perform audit('rollover', 'term', p_term_id::text, jsonb_strip_nulls(jsonb_build_object(
        'nextTermId', p_next_term_id, 'classesArchived', classes_archived, 'classesCopied', classes_copied,
        'seatsCopied', seats_copied, 'studentsMovedUp', students_moved_up, 'studentsLeaving', students_leaving)));
    return next;
end $$;
grant execute on function plan_rollover(uuid, uuid, jsonb, text), rollover_revision(uuid, uuid, text, text[]),
    roll_over(uuid, uuid, jsonb, text, text), rollover_terms(uuid) to school_administrator;
