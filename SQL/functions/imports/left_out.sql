-- Functions of imports: what is left out of an archive because it cannot be read or refers to nothing.
--
-- A person whose row is left out stays in the directory, unchanged: a row that cannot be read does not say that the
-- person has left. If a row does not say which person it is about, removals wait for approval.

-- begin_left_out_staging (internal): the tables for it.
--
--   flaw of each staged row    null: none. row: it is left out, and its ids say whom it is about. unknown: it is left
--                              out, and nobody can tell. part: a value or a reference of it is left out
--   staged_left_out            whom and what that is about. is_row: a row of the file, which counts in the share that
--                              may be left out if it counts. Without is_row a part of one
--   staged_mistake             what contradicts, in the pass that is under way
--   staged_finding             all of that, for people
create or replace function begin_left_out_staging() returns void
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    create temporary table staged_left_out (
        file text, line integer, kind text, source_id text, class_source_id text, person_source_id text,
        is_row boolean, counts boolean, is_known boolean) on commit drop;
    create temporary table staged_mistake (
        file text, line integer, column_name text, code text, value text, known_file text, known_line integer,
        is_settled boolean default false) on commit drop;
    create temporary table staged_finding (
        file text, line integer, column_name text, code text, value text, known_file text, known_line integer)
        on commit drop;
end $$;

-- import_places (internal): the files of all formats with their tables, what their rows are, and the columns that say
-- of whom and what.
create or replace function import_places()
    returns table (file text, staging text, kind text, source text, class text, person text)
    language sql immutable
    begin atomic
        values ('academicSessions.csv', 'given_session', 'term', 'source_id', 'null', 'null'),
               ('orgs.csv', 'given_org', 'location', 'source_id', 'null', 'null'),
               ('users.csv', 'given_user', 'person', 'source_id', 'null', 'null'),
               ('roles.csv', 'given_role', 'role', 'null', 'null', 'person_source_id'),
               ('courses.csv', 'given_course', 'course', 'source_id', 'null', 'null'),
               ('classes.csv', 'given_class', 'class', 'source_id', 'null', 'null'),
               ('enrollments.csv', 'given_enrollment', 'seat', 'source_id', 'class_source_id', 'person_source_id'),
               ('locations.csv', 'staged_location', 'location', 'source_id', 'null', 'null'),
               ('students.csv', 'staged_student', 'person', 'source_id', 'null', 'null'),
               ('staff.csv', 'staged_staff', 'person', 'source_id', 'null', 'null'),
               ('courses.csv', 'staged_course', 'course', 'source_id', 'null', 'null'),
               ('classes.csv', 'staged_class', 'class', 'source_id', 'null', 'null'),
               ('rosters.csv', 'staged_seat', 'seat', 'source_id', 'class_source_id', 'person_source_id');
    end;

-- take_left_out: takes the rows out of these files that could not be read.
create or replace function take_left_out(p_files text[]) returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    place record;
begin
    for place in select * from import_places() as p where p.file = any (p_files) loop
        execute format(
            'with gone as (delete from pg_temp.%1$I where flaw in (''row'', ''unknown'') returning *)
             insert into staged_left_out (file, line, kind, source_id, class_source_id, person_source_id, is_row,
                                          counts, is_known)
             select %2$L, line, %3$L, %4$s, %5$s, %6$s, true, true, flaw = ''row'' from gone',
            place.staging, place.file, place.kind, place.source, place.class, place.person);
    end loop;

    -- Of whom a part was left out keeps the roles, and a class its teachers.
    insert into staged_left_out (file, line, kind, source_id, class_source_id, person_source_id, is_row, counts,
                                 is_known)
    select 'users.csv', line, 'role', null, null, source_id, false, false, true from given_user where flaw = 'part'
    union all
    select 'students.csv', line, 'role', null, null, source_id, false, false, true from staged_student
     where flaw = 'part'
    union all
    select 'staff.csv', line, 'role', null, null, source_id, false, false, true from staged_staff where flaw = 'part'
    union all
    select 'classes.csv', line, 'teaching', null, source_id, null, false, false, true from staged_class
     where flaw = 'part';

    -- The id of a seat says whose it is if the directory has it.
    update staged_left_out as l set is_known = true
     where l.kind = 'seat' and not l.is_known and l.source_id is not null
       and exists (select from seat as s
                    where s.organization_id = my_organization() and s.source_id = l.source_id and is_open_seat(s));
    -- Parents and other relatives are left out anyway. In version 1.2 their roles say who they are.
    update staged_left_out as l set counts = false
     where l.file = 'users.csv' and l.source_id is not null and exists (select from given_role)
       and not exists (select from given_role as r
                        where r.person_source_id = l.source_id and cardinality(roles_of_oneroster(r.role)) > 0);
    perform leave_out_people_without_roles();
end $$;

-- leave_out_people_without_roles (internal): people all of whose roles were left out.
create or replace function leave_out_people_without_roles() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    with gone as (
        delete from given_user as u
         where u.source_id in (select l.person_source_id from staged_left_out as l
                                where l.kind = 'role' and l.is_row and l.person_source_id is not null)
           and not exists (select from given_role as r
                            where r.person_source_id = u.source_id and cardinality(roles_of_oneroster(r.role)) > 0)
        returning u.line, u.source_id)
    insert into staged_left_out (file, line, kind, source_id, is_row, counts, is_known)
    select 'users.csv', line, 'person', source_id, true, false, true from gone;
end $$;

-- people_left_out (internal): the ids of people about whom a row, or a part of one, was left out.
create or replace function people_left_out() returns setof text
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return query
    select l.source_id from staged_left_out as l where l.kind = 'person' and l.source_id is not null
    union
    select l.person_source_id from staged_left_out as l where l.kind = 'role' and l.person_source_id is not null;
end $$;

-- keep_left_out_seats (internal): seats that do not end, because what the archive says of them was left out. Where
-- teachers stand with their class, they keep it if the class was left out, or some of them.
create or replace function keep_left_out_seats(p_teachers_stand_with_classes boolean) returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    if not exists (select from staged_left_out) then
        return;
    end if;
    insert into kept_seat (class_id, person_id, role)
    select s.class_id, s.person_id, s.role
      from staged_left_out as l
      join seat as s on s.organization_id = my_organization() and s.source_id = l.source_id
     where l.kind = 'seat' and is_open_seat(s)
    union
    select s.class_id, s.person_id, s.role
      from staged_left_out as l
      join class as c on c.organization_id = my_organization() and c.source_id = l.class_source_id
      join person as p on p.organization_id = my_organization() and p.source_id = l.person_source_id
      join seat as s
        on s.organization_id = my_organization() and s.class_id = c.class_id and s.person_id = p.person_id
     where l.kind = 'seat' and is_open_seat(s)
    union
    select s.class_id, s.person_id, s.role
      from staged_left_out as l
      join class as c
        on c.organization_id = my_organization() and c.source_id = coalesce(l.class_source_id, l.source_id)
      join seat as s on s.organization_id = my_organization() and s.class_id = c.class_id
     where l.kind in ('class', 'teaching') and p_teachers_stand_with_classes and s.role = 'teacher'
       and is_open_seat(s);
    perform analyse_import_staging('kept_seat');
end $$;

-- left_out_rows: how many rows of each file were left out for what they say themselves, and the first.
create or replace function left_out_rows() returns table (file text, rows bigint, counted bigint, line integer)
    language plpgsql stable
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select l.file, count(distinct l.line), count(distinct l.line) filter (where l.counts), min(l.line)
      from staged_left_out as l where l.is_row group by l.file order by l.file;
end $$;

-- unknown_rows: the files with rows of which nobody can tell whom they are about: how many, and the first.
create or replace function unknown_rows() returns table (file text, rows bigint, line integer)
    language plpgsql stable
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select l.file, count(*), min(l.line) from staged_left_out as l
     where not l.is_known and l.kind in ('person', 'role', 'class', 'seat') group by l.file order by l.file;
end $$;

-- moved_people: new people who have the name and number of a person who would leave, as rows of import_mistakes: they
-- may be the same person with a new id. known_file is the id of the one who would leave.
create or replace function moved_people()
    returns table (file text, line integer, column_name text, code text, value text,
                   known_file text, known_line integer)
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
begin
    return query
    select f.file, n.line, case f.file when 'users.csv' then 'sourcedId' else 'person_id' end, 'moved_id', n.source_id,
           p.source_id, null::integer
      from leaving_person as l
      join person as p on p.organization_id = my_organization() and p.person_id = l.person_id
      join planned_person as n
        on n.is_new and (n.becomes).given_name = p.given_name and (n.becomes).family_name = p.family_name
       and coalesce((n.becomes).person_number, '') = coalesce(p.person_number, '')
      join staged_scope as f on f.kind = n.kind;
end $$;

grant execute on function import_places(), take_left_out(text[]), leave_out_people_without_roles(), people_left_out(),
    keep_left_out_seats(boolean), left_out_rows(), unknown_rows(), moved_people()
    to school_directory_manager;
