-- Functions of imports: the temporary tables through which an archive goes, and its way from there
-- into the directory.
--
--   begin_import_staging     makes the tables of one transaction, lent to the caller
--   import_mistakes          what the rows of an archive contradict
--   plan_import              what is new, changed, the same and gone, as tables
--   apply_import             writes the plan
--   claim_import and others  the queue, for the worker
--
-- COPY FROM does not work into tables with row-level security, and a standing owns no table; so
-- the temporary tables are made and analysed by the owner. Everything that reads or writes the
-- directory runs as whoever ordered the import, under the policies of the directory.
--
-- What joins many rows with many runs without nested loops: the statistics of the directory are the
-- last thing to know that an import has just filled it (measured: 4 s instead of 10 ms). What that adds
-- to the planner's estimates must not make it compile statements, hence no just-in-time compiler.

set local role school_owner;
set local search_path = school, pg_temp;

-- begin_import_staging: makes the staged_… tables (what the archive says, line by line) and the
-- planned_… tables (what is to be done about it), empty.
create or replace function begin_import_staging() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    staging text;
begin
    create temporary table staged_location (
        line integer, source_id text, name text) on commit drop;
    create temporary table staged_student (
        line integer, source_id text, person_number text, given_name text, middle_name text,
        family_name text, grade text, email text, sis_username text, password_policy text,
        location_source_ids text[]) on commit drop;
    create temporary table staged_staff (
        line integer, source_id text, person_number text, given_name text, middle_name text,
        family_name text, email text, sis_username text, location_source_ids text[]) on commit drop;
    create temporary table staged_course (
        line integer, source_id text, number text, name text, location_source_id text) on commit drop;
    create temporary table staged_class (
        line integer, source_id text, number text, course_source_id text, instructor_source_ids text[],
        location_source_id text, display_name text) on commit drop;
    create temporary table staged_seat (
        line integer, source_id text, class_source_id text, person_source_id text) on commit drop;

    create temporary table planned_location (
        location_id uuid, source_id text, name text, change text) on commit drop;
    create temporary table planned_person (
        person_id uuid, source_id text, file text, line integer, given_name text, middle_name text,
        family_name text, person_number text, grade text, email text, password_policy text,
        is_new boolean, differs boolean, stays_deactivated boolean, change text) on commit drop;
    create temporary table planned_role (
        person_id uuid, location_id uuid, role text, change text) on commit drop;
    create temporary table planned_course (
        course_id uuid, source_id text, location_id uuid, name text, number text, change text) on commit drop;
    create temporary table planned_class (
        class_id uuid, source_id text, location_id uuid, course_id uuid, name text, number text,
        display_name text, is_new boolean, differs boolean, stays_archived boolean, change text) on commit drop;
    create temporary table planned_seat (
        class_id uuid, person_id uuid, role text, source_id text, change text) on commit drop;
    create temporary table leaving_person (person_id uuid, file text) on commit drop;
    create temporary table closing_class (class_id uuid) on commit drop;
    create temporary table ending_seat (
        class_id uuid, person_id uuid, role text, joined_at timestamptz, is_of_closing_class boolean) on commit drop;
    foreach staging in array import_staging() loop
        execute format('grant select, insert, update on pg_temp.%I to %I', staging, current_setting('role'));
    end loop;
end $$;

-- import_staging (internal): the names of those tables.
create or replace function import_staging() returns text[] language sql immutable
    return array['staged_location', 'staged_student', 'staged_staff', 'staged_course', 'staged_class',
        'staged_seat', 'planned_location', 'planned_person', 'planned_role', 'planned_course',
        'planned_class', 'planned_seat', 'leaving_person', 'closing_class', 'ending_seat'];

-- analyse_import_staging: after some of those tables were filled. Without statistics the plan of
-- the merge is a hundred times as slow.
create or replace function analyse_import_staging(variadic p_tables text[]) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    staging text;
begin
    foreach staging in array p_tables loop
        if staging = any (import_staging()) then
            execute format('analyze pg_temp.%I', staging);
        end if;
    end loop;
end $$;

-- import_mistakes: what the rows of an archive contradict. p_unread are files whose rows could not
-- be read, so that nothing is said about references into them.
--
-- value is what stands in the column; known_file and known_line say where it should stand, or where
-- it stood before.
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

    -- what is referred to and is not there
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
        select 'students.csv' as file, line, source_id, person_number, middle_name, email from staged_student
        union all
        select 'staff.csv', line, source_id, person_number, middle_name, email from staged_staff),
    format as (
        select managed_id_format as elements from organization where organization_id = my_organization())
    select e.file, e.line, part.column_name, 'no_managed_id', '', null, null::integer
      from entry as e cross join format as f
     cross join lateral (values
            ('middle_name',   e.middle_name,   array['{middleName}', '{middleInitial}']),
            ('person_number', e.person_number, array['{personNumber}']),
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

-- plan_import: fills the planned_… tables and says per file what the plan would do. Writes nothing
-- else.
create or replace function plan_import()
    returns table (name text, rows bigint, created bigint, changed bigint, unchanged bigint, removed bigint)
    language plpgsql
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    perform plan_import_places();
    perform plan_import_people();
    perform plan_import_classes();
    perform plan_import_seats();
    return query
    with entry (name, change) as (
        select 'locations.csv', change from planned_location
        union all select file, change from planned_person
        union all select file, 'removed' from leaving_person
        union all select 'courses.csv', change from planned_course
        union all select 'classes.csv', change from planned_class
        union all select 'classes.csv', 'removed' from closing_class
        union all select 'rosters.csv', change from planned_seat where role = 'student'
        union all select 'rosters.csv', 'removed' from ending_seat where role = 'student')
    select f.name, count(e.change) filter (where e.change <> 'removed'),
           count(*) filter (where e.change = 'created'), count(*) filter (where e.change = 'changed'),
           count(*) filter (where e.change = 'unchanged'), count(*) filter (where e.change = 'removed')
      from unnest(array['locations.csv', 'students.csv', 'staff.csv', 'courses.csv', 'classes.csv',
                        'rosters.csv']) with ordinality as f (name, position)
      left join entry as e on e.name = f.name
     group by f.name, f.position order by f.position;
end $$;

-- plan_import_places (internal): locations and courses. What an archive leaves out stays: nobody
-- sits in it.
create or replace function plan_import_places() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    insert into planned_location (location_id, source_id, name, change)
    select coalesce(l.location_id, new_id()), s.source_id, s.name,
           case when l.location_id is null then 'created'
                when l.name is distinct from s.name then 'changed' else 'unchanged' end
      from staged_location as s
      left join location as l on l.organization_id = my_organization() and l.source_id = s.source_id;
    perform analyse_import_staging('planned_location');

    insert into planned_course (course_id, source_id, location_id, name, number, change)
    select coalesce(c.course_id, new_id()), s.source_id, l.location_id, named.name, s.number,
           case when c.course_id is null then 'created'
                when (c.location_id, c.name, c.number)
                     is distinct from (l.location_id, named.name, s.number) then 'changed'
                else 'unchanged' end
      from staged_course as s
      join planned_location as l on l.source_id = s.location_source_id
     cross join lateral (select coalesce(s.name, s.number, s.source_id) as name) as named
      left join course as c on c.organization_id = my_organization() and c.source_id = s.source_id;
    perform analyse_import_staging('planned_course');
end $$;

-- plan_import_people (internal): people, and who leaves: people of earlier imports that this archive
-- leaves out.
--
-- Somebody whom an import deactivated comes back with the next archive that names him or her;
-- whoever was deactivated by hand stays so. Which of the two it was tells the moment, since an
-- import deactivates at the very moment at which it ends.
create or replace function plan_import_people() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    insert into planned_person (person_id, source_id, file, line, given_name, middle_name, family_name,
                                person_number, grade, email, password_policy, is_new, differs,
                                stays_deactivated)
    select coalesce(p.person_id, new_id()), s.source_id, s.file, s.line, s.given_name, s.middle_name,
           s.family_name, s.person_number, wanted.grade, s.email, wanted.password_policy, p.person_id is null,
           p.person_id is not null
           and ((p.given_name, p.middle_name, p.family_name, p.person_number, p.email, p.grade,
                 p.password_policy, p.origin)
                is distinct from (s.given_name, s.middle_name, s.family_name, s.person_number, s.email,
                                  wanted.grade, wanted.password_policy, 'import')
                or (p.deactivated_at is not null and not deactivation.is_by_hand)),
           p.deactivated_at is not null and deactivation.is_by_hand
      from (select 'staff.csv' as file, line, source_id, given_name, middle_name, family_name,
                   person_number, null as grade, email, null as password_policy
              from staged_staff
            union all
            select 'students.csv', line, source_id, given_name, middle_name, family_name, person_number,
                   grade, email, password_policy
              from staged_student) as s
      left join person as p on p.organization_id = my_organization() and p.source_id = s.source_id
     cross join lateral (
            select case s.file when 'students.csv' then coalesce(s.password_policy, p.password_policy)
                   end as password_policy,
                   case s.file when 'students.csv' then s.grade else p.grade end as grade) as wanted
     cross join lateral (
            select p.deactivated_at is not null and not exists (
                select from import as i
                 where i.organization_id = my_organization()
                   and i.finished_at = p.deactivated_at) as is_by_hand) as deactivation;
    perform analyse_import_staging('planned_person');

    insert into leaving_person (person_id, file)
    select p.person_id, case when exists (
               select from person_role as r
                where r.organization_id = p.organization_id and r.person_id = p.person_id
                  and r.role = 'student') then 'students.csv' else 'staff.csv' end
      from person as p
     where p.organization_id = my_organization() and p.origin = 'import' and p.deactivated_at is null
       and not exists (select from planned_person as s where s.person_id = p.person_id);
    perform analyse_import_staging('leaving_person');
end $$;

-- plan_import_classes (internal): classes, which of them close, and the roles that follow from where
-- people are and whom they teach. A class that was archived by hand stays archived.
create or replace function plan_import_classes() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    insert into planned_class (class_id, source_id, location_id, course_id, name, number, display_name,
                               is_new, differs, stays_archived)
    select coalesce(c.class_id, new_id()), s.source_id, l.location_id, k.course_id, named.name, s.number,
           s.display_name, c.class_id is null,
           c.class_id is not null
           and ((c.location_id, c.course_id, c.name, c.number, c.display_name, c.origin)
                is distinct from (l.location_id, k.course_id, named.name, s.number,
                                  coalesce(s.display_name, c.display_name), 'import')
                or (c.archived_at is not null and not archiving.is_by_hand)),
           c.archived_at is not null and archiving.is_by_hand
      from staged_class as s
      join planned_location as l on l.source_id = s.location_source_id
      join planned_course as k on k.source_id = s.course_source_id
      left join class as c on c.organization_id = my_organization() and c.source_id = s.source_id
     cross join lateral (select coalesce(nullif(k.name, k.source_id), s.number, k.name) as name) as named
     cross join lateral (
            select c.archived_at is not null and not exists (
                select from import as i
                 where i.organization_id = my_organization()
                   and i.finished_at = c.archived_at) as is_by_hand) as archiving;
    perform analyse_import_staging('planned_class');

    insert into closing_class (class_id)
    select c.class_id from class as c
     where c.organization_id = my_organization() and c.origin = 'import' and c.archived_at is null
       and not exists (select from planned_class as p where p.class_id = c.class_id);

    with wanted (person_id, location_id, role) as (
        select p.person_id, l.location_id, 'student'
          from staged_student as s
          join planned_person as p on p.source_id = s.source_id
         cross join lateral unnest(s.location_source_ids) as u (source_id)
          join planned_location as l on l.source_id = u.source_id
        union
        select p.person_id, l.location_id, 'staff'
          from staged_staff as s
          join planned_person as p on p.source_id = s.source_id
         cross join lateral unnest(s.location_source_ids) as u (source_id)
          join planned_location as l on l.source_id = u.source_id
        union
        select p.person_id, l.location_id, 'teacher'
          from staged_class as s
          join planned_location as l on l.source_id = s.location_source_id
         cross join lateral unnest(s.instructor_source_ids) as u (source_id)
          join planned_person as p on p.source_id = u.source_id),
    held as (
        select r.person_id, r.location_id, r.role, r.origin
          from person_role as r join planned_person as p on p.person_id = r.person_id
         where r.organization_id = my_organization())
    insert into planned_role (person_id, location_id, role, change)
    select coalesce(w.person_id, h.person_id), coalesce(w.location_id, h.location_id), coalesce(w.role, h.role),
           case when h.person_id is null then 'created' else 'removed' end
      from wanted as w
      full join held as h
        on h.person_id = w.person_id and h.location_id = w.location_id and h.role = w.role
     where h.person_id is null or (w.person_id is null and h.origin = 'import');
    perform analyse_import_staging('closing_class', 'planned_role');

    update planned_person as p
       set change = case when p.is_new then 'created'
                         when p.differs or exists (select from planned_role as r where r.person_id = p.person_id)
                         then 'changed' else 'unchanged' end;
end $$;

-- plan_import_seats (internal): who sits where and who teaches what. Seats of people whom no import
-- brought stay, as long as their class stays.
create or replace function plan_import_seats() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    insert into planned_seat (class_id, person_id, role, source_id, change)
    select w.class_id, w.person_id, w.role, w.source_id,
           case when w.is_settled then 'unchanged'
                when s.person_id is null then 'created'
                when s.source_id is distinct from w.source_id then 'changed' else 'unchanged' end
      from (select c.class_id, p.person_id, 'student' as role, r.source_id,
                   c.stays_archived or p.stays_deactivated as is_settled
              from staged_seat as r
              join planned_class as c on c.source_id = r.class_source_id
              join planned_person as p on p.source_id = r.person_source_id
            union all
            select distinct c.class_id, p.person_id, 'teacher', null, c.stays_archived or p.stays_deactivated
              from staged_class as r
              join planned_class as c on c.source_id = r.source_id
             cross join lateral unnest(r.instructor_source_ids) as u (source_id)
              join planned_person as p on p.source_id = u.source_id) as w
      left join seat as s
        on s.organization_id = my_organization() and s.class_id = w.class_id
       and s.person_id = w.person_id and s.role = w.role and s.left_at is null;
    perform analyse_import_staging('planned_seat');

    insert into ending_seat (class_id, person_id, role, joined_at, is_of_closing_class)
    select s.class_id, s.person_id, s.role, s.joined_at, k.class_id is not null
      from seat as s
      left join closing_class as k on k.class_id = s.class_id
      left join leaving_person as l on l.person_id = s.person_id
      left join planned_class as c on c.class_id = s.class_id and not c.stays_archived
      left join planned_person as p on p.person_id = s.person_id and not p.stays_deactivated
      left join planned_seat as w
        on w.class_id = s.class_id and w.person_id = s.person_id and w.role = s.role
     where s.organization_id = my_organization() and s.left_at is null
       and (k.class_id is not null or l.person_id is not null
            or (c.class_id is not null and p.person_id is not null and w.person_id is null));
    perform analyse_import_staging('ending_seat');

    update planned_class as c
       set change = case when c.is_new then 'created'
                         when c.differs
                              or exists (select from planned_seat as s
                                          where s.class_id = c.class_id and s.role = 'teacher'
                                            and s.change = 'created')
                              or exists (select from ending_seat as s
                                          where s.class_id = c.class_id and s.role = 'teacher')
                         then 'changed' else 'unchanged' end;
end $$;

-- import_shrinkage: how much of what there is the plan would remove.
create or replace function import_shrinkage() returns table (kind text, removed bigint, present bigint)
    language plpgsql
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select 'people', (select count(*) from leaving_person), count(*) from person
     where organization_id = my_organization() and origin = 'import' and deactivated_at is null
    union all
    select 'classes', (select count(*) from closing_class), count(*) from class
     where organization_id = my_organization() and origin = 'import' and archived_at is null
    union all
    select 'seats', (select count(*) from ending_seat), count(*) from seat
     where organization_id = my_organization() and left_at is null;
end $$;

-- apply_import: writes the plan. p_moment is when the import ends, for everything that it ends.
create or replace function apply_import(p_moment timestamptz) returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    insert into location (organization_id, location_id, source_id, name)
    select my_organization(), location_id, source_id, name from planned_location where change = 'created';
    update location as l set name = p.name
      from planned_location as p
     where l.organization_id = my_organization() and l.location_id = p.location_id and p.change = 'changed';

    perform apply_import_people(p_moment);

    insert into course (organization_id, course_id, source_id, location_id, name, number)
    select my_organization(), course_id, source_id, location_id, name, number
      from planned_course where change = 'created';
    update course as c set location_id = p.location_id, name = p.name, number = p.number
      from planned_course as p
     where c.organization_id = my_organization() and c.course_id = p.course_id and p.change = 'changed';

    insert into class (organization_id, class_id, source_id, location_id, course_id, name, number,
                       display_name, origin)
    select my_organization(), class_id, source_id, location_id, course_id, name, number, display_name, 'import'
      from planned_class where is_new;
    update class as c
       set location_id = p.location_id, course_id = p.course_id, name = p.name, number = p.number,
           display_name = coalesce(p.display_name, c.display_name), origin = 'import',
           archived_at = case when p.stays_archived then c.archived_at end
      from planned_class as p
     where c.organization_id = my_organization() and c.class_id = p.class_id and p.differs;
    update class as c set archived_at = p_moment
      from closing_class as k
     where c.organization_id = my_organization() and c.class_id = k.class_id;

    -- Whoever taught a class when it was archived keeps its reports; so these seats end just after.
    update seat as s
       set left_at = greatest(s.joined_at, case when e.is_of_closing_class
                                                then p_moment + interval '1 millisecond' else p_moment end)
      from ending_seat as e
     where s.organization_id = my_organization() and s.class_id = e.class_id
       and s.person_id = e.person_id and s.role = e.role and s.joined_at = e.joined_at;
    update seat as s set source_id = p.source_id
      from planned_seat as p
     where s.organization_id = my_organization() and s.class_id = p.class_id
       and s.person_id = p.person_id and s.role = p.role and s.left_at is null and p.change = 'changed';
    insert into seat (organization_id, class_id, person_id, role, joined_at, source_id)
    select my_organization(), class_id, person_id, role, p_moment, source_id
      from planned_seat where change = 'created'
     order by class_id, person_id;
end $$;

-- apply_import_people (internal): people with their managed IDs and roles, and those who leave.
create or replace function apply_import_people(p_moment timestamptz) returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    insert into person (organization_id, person_id, source_id, given_name, middle_name, family_name,
                        person_number, managed_id, email, grade, password_policy, origin)
    select my_organization(), p.person_id, p.source_id, p.given_name, p.middle_name, p.family_name,
           p.person_number, m.managed_id, p.email, p.grade, p.password_policy, 'import'
      from (select array_agg(person_id order by file, line) as persons,
                   array_agg(given_name order by file, line) as given_names,
                   array_agg(middle_name order by file, line) as middle_names,
                   array_agg(family_name order by file, line) as family_names,
                   array_agg(person_number order by file, line) as person_numbers,
                   array_agg(source_id order by file, line) as source_ids,
                   array_agg(email order by file, line) as emails
              from planned_person where is_new) as n
     cross join lateral make_managed_ids(my_organization(), n.persons, n.given_names, n.middle_names,
                                         n.family_names, n.person_numbers, n.source_ids, n.emails) as m
      join planned_person as p on p.person_id = m.person_id;
    update person as p
       set given_name = w.given_name, middle_name = w.middle_name, family_name = w.family_name,
           person_number = w.person_number, email = w.email, grade = w.grade,
           password_policy = w.password_policy, origin = 'import',
           deactivated_at = case when w.stays_deactivated then p.deactivated_at end
      from planned_person as w
     where p.organization_id = my_organization() and p.person_id = w.person_id and w.differs;

    delete from person_role as r using planned_role as w
     where r.organization_id = my_organization() and r.person_id = w.person_id
       and r.location_id = w.location_id and r.role = w.role and w.change = 'removed';
    insert into person_role (organization_id, person_id, location_id, role, origin)
    select my_organization(), person_id, location_id, role, 'import' from planned_role where change = 'created';

    update person as p set deactivated_at = p_moment
      from leaving_person as l
     where p.organization_id = my_organization() and p.person_id = l.person_id;
    if exists (select from leaving_person) then
        perform end_sessions(array(select person_id from leaving_person));
    end if;
end $$;

grant execute on function
    begin_import_staging(), analyse_import_staging(text[]), import_mistakes(text[]), import_column(text, bigint),
    plan_import(), plan_import_places(), plan_import_people(), plan_import_classes(), plan_import_seats(),
    import_shrinkage(), apply_import(timestamptz), apply_import_people(timestamptz)
    to school_directory_manager;

-- prepare_import_turns: gives every organization with an unfinished import its row in import_turn.
create or replace function prepare_import_turns() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into import_turn (organization_id)
    select distinct i.organization_id from import as i
     where i.status in ('queued', 'running')
       and not exists (select from import_turn as t where t.organization_id = i.organization_id)
        on conflict do nothing;
end $$;

-- claim_import: the next import of an organization for which nobody imports now, also one that a dead
-- worker left. The lock lasts as long as the transaction of the caller, and dies with its
-- connection. p_organization_id: of that organization only.
create or replace function claim_import(p_organization_id uuid)
    returns table (organization_id uuid, import_id uuid, mode text, standing text, person_id uuid,
                   is_approved boolean)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    turn uuid;
begin
    select t.organization_id into turn from import_turn as t
     where exists (select from import as i
                    where i.organization_id = t.organization_id and i.status in ('queued', 'running'))
       and (p_organization_id is null or t.organization_id = p_organization_id)
     limit 1 for update of t skip locked;
    return query
    select i.organization_id, i.import_id, i.mode, i.standing, i.person_id, i.is_approved
      from import as i
     where i.organization_id = turn and i.status in ('queued', 'running')
     order by i.created_at, i.import_id limit 1;
end $$;

-- analyse_directory: tells the planner what an import has made of the directory.
create or replace function analyse_directory() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    analyze location, person, person_role, course, class, seat, managed_id_directory;
end $$;

-- has_unfinished_imports: whether somebody has to look again later.
create or replace function has_unfinished_imports() returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from import where status in ('queued', 'running'));
end $$;

-- only_organization: the organization of a deployment that has just one, for the command; null: it has
-- none or several.
create or replace function only_organization() returns uuid
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    found_ids uuid[];
begin
    found_ids := array(select organization_id from organization limit 2);
    return case cardinality(found_ids) when 1 then found_ids[1] end;
end $$;
grant execute on function prepare_import_turns(), claim_import(uuid), analyse_directory(),
    has_unfinished_imports(), only_organization()
    to school_server;

create or replace trigger bump_version before update on import
    for each row execute function bump_version();
