-- Functions of imports: contradictions in the rows of Apple's templates.

-- import_mistakes: contradictions in the rows of an archive. p_unread lists the files whose rows could not be read,
-- so that references into them are not checked.
--
-- value is the content of the column; known_file and known_line say where it should appear, or where it appeared
-- before.
create or replace function import_mistakes(p_unread text[])
    returns table (file text, line integer, column_name text, code text, value text,
                   known_file text, known_line integer)
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
begin
    -- the same id twice
    return query
    with entry (file, line, column_name, id) as (
        select 'locations.csv', line, 'location_id', source_id from staged_location
        union all select 'courses.csv', line, 'course_id', source_id from staged_course
        union all select 'classes.csv', line, 'class_id', source_id from staged_class
        union all select 'rosters.csv', line, 'roster_id', source_id from staged_seat),
    repeated as (
        select file, id, min(line) as line from entry where id is not null
         group by file, id having count(*) > 1)
    select e.file, e.line, e.column_name, 'duplicate_id', e.id, e.file, r.line
      from entry as e join repeated as r on r.file = e.file and r.id = e.id and r.line <> e.line;

    return query
    with entry (file, line, id) as (
        select 'students.csv', line, source_id from staged_student
        union all select 'staff.csv', line, source_id from staged_staff),
    repeated as (
        select id, (min(array[case file when 'students.csv' then 1 else 2 end, line])) as place
          from entry where id is not null group by id having count(*) > 1)
    select e.file, e.line, 'person_id', 'duplicate_id', e.id,
           case r.place[1] when 1 then 'students.csv' else 'staff.csv' end, r.place[2]
      from entry as e join repeated as r on r.id = e.id
     where array[case e.file when 'students.csv' then 1 else 2 end, e.line] <> r.place;

    -- the same student twice in a class
    return query
    select s.line_file, s.line, 'student_id', 'duplicate_seat', s.person_source_id, 'rosters.csv', r.line
      from (select 'rosters.csv' as line_file, * from staged_seat) as s
      join (select class_source_id, person_source_id, min(line) as line from staged_seat
             where class_source_id is not null and person_source_id is not null
             group by class_source_id, person_source_id having count(*) > 1) as r
        on r.class_source_id = s.class_source_id and r.person_source_id = s.person_source_id
       and r.line <> s.line;

    -- references to rows that are not there
    if not 'locations.csv' = any (p_unread) then
        return query
        with reference (file, line, column_name, id) as (
            select 'students.csv', line, import_column('location_id', n), id
              from staged_student, unnest(location_source_ids) with ordinality as l (id, n)
            union all
            select 'staff.csv', line, import_column('location_id', n), id
              from staged_staff, unnest(location_source_ids) with ordinality as l (id, n)
            union all
            select 'courses.csv', line, 'location_id', location_source_id from staged_course
            union all
            select 'classes.csv', line, 'location_id', location_source_id from staged_class)
        select r.file, r.line, r.column_name, 'unknown_reference', r.id, 'locations.csv', null::integer
          from reference as r
         where r.id <> '' and not exists (select from staged_location as l where l.source_id = r.id);
    end if;
    if not 'courses.csv' = any (p_unread) then
        return query
        select 'classes.csv', c.line, 'course_id', 'unknown_reference', c.course_source_id, 'courses.csv',
               null::integer
          from staged_class as c
         where c.course_source_id is not null
           and not exists (select from staged_course as k where k.source_id = c.course_source_id);
    end if;
    if not 'staff.csv' = any (p_unread) then
        return query
        select 'classes.csv', c.line, import_column('instructor_id', n), 'unknown_reference', t.id, 'staff.csv',
               null::integer
          from staged_class as c, unnest(c.instructor_source_ids) with ordinality as t (id, n)
         where t.id <> '' and not exists (select from staged_staff as p where p.source_id = t.id);
    end if;
    if not 'classes.csv' = any (p_unread) then
        return query
        select 'rosters.csv', s.line, 'class_id', 'unknown_reference', s.class_source_id, 'classes.csv',
               null::integer
          from staged_seat as s
         where s.class_source_id is not null
           and not exists (select from staged_class as c where c.source_id = s.class_source_id);
    end if;
    if not 'students.csv' = any (p_unread) then
        return query
        select 'rosters.csv', s.line, 'student_id', 'unknown_reference', s.person_source_id, 'students.csv',
               null::integer
          from staged_seat as s
         where s.person_source_id is not null
           and not exists (select from staged_student as p where p.source_id = s.person_source_id);
    end if;

    -- new people whose managed ID would lack a part
    return query
    with entry as (
        select 'students.csv' as file, line, source_id, person_number, middle_name, email, grade
          from staged_student
        union all
        -- The staff template has no grade, and a managed ID leaves out an element that the person has nothing for.
        select 'staff.csv', line, source_id, person_number, middle_name, email, '' from staged_staff),
    format as (
        select managed_id_format as elements from organization where organization_id = my_organization())
    select e.file, e.line, part.column_name, 'no_managed_id', '', null, null::integer
      from entry as e cross join format as f
     cross join lateral (values
            ('middle_name',   e.middle_name,   array['{middleName}', '{middleInitial}']),
            ('person_number', e.person_number, array['{personNumber}']),
            ('grade_level',   e.grade,         array['{grade}']),
            ('email_address', e.email,         array['{email}'])) as part (column_name, value, elements)
     where part.value is null
       and exists (select from unnest(part.elements) as u (element) where strpos(f.elements, u.element) > 0)
       and not exists (select from person as p
                        where p.organization_id = my_organization() and p.source_id = e.source_id);
end $$;

-- import_column (internal): the n-th column of a series: location_id, location_id_2, location_id_3, …
create or replace function import_column(p_name text, p_number bigint) returns text
    language sql immutable parallel safe
    return case p_number when 1 then p_name else p_name || '_' || p_number end;

-- import_overfull_classes: the rows of a plan that would bring more people into a class than the organization allows.
-- A class that is already larger may stay so, but no one can join it. known_file is the role, known_line the limit.
create or replace function import_overfull_classes()
    returns table (file text, line integer, column_name text, code text, value text,
                   known_file text, known_line integer)
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
declare
    crowded record;
begin
    for crowded in
        with joining as (
            select class_id, role, count(*) as n from planned_seat where change = 'created' group by class_id, role),
        staying as (
            select s.class_id, s.role, count(distinct s.person_id) as n
              from seat as s join joining as j on j.class_id = s.class_id and j.role = s.role
             where s.organization_id = my_organization() and is_open_seat(s)
               and not exists (select from ending_seat as e
                                where e.class_id = s.class_id and e.person_id = s.person_id and e.role = s.role)
             group by s.class_id, s.role)
        select j.class_id, j.role, l.most, greatest(0, l.most - coalesce(s.n, 0)) as room
          from joining as j
          left join staying as s on s.class_id = j.class_id and s.role = j.role
          join organization as o on o.organization_id = my_organization()
         cross join lateral (select case j.role when 'student' then o.class_students_max
                                                else o.class_teachers_max end as most) as l
         where j.n + coalesce(s.n, 0) > l.most
    loop
        return query
        select f.file, p.line, case when f.file = 'enrollments.csv' then 'userSourcedId'
                                    when p.role = 'student' then 'student_id' else 'instructor_id' end,
               'class_too_large', c.source_id, crowded.role, crowded.most
          from planned_seat as p
          join planned_class as c on c.class_id = p.class_id
          join staged_scope as f on f.kind = case p.role when 'student' then 'seat' else 'teaching' end
         where p.class_id = crowded.class_id and p.role = crowded.role and p.change = 'created'
         order by p.line offset crowded.room limit 1;
    end loop;
end $$;
