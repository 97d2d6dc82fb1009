-- Functions of imports: what the rows of OneRoster's files contradict.
--
-- A row that is to be deleted refers to nothing and nothing may refer to it. What a file does not tell in full may
-- be in the directory already.

set local role school_owner;
set local search_path = school, pg_temp;

-- oneroster_mistakes: as import_mistakes, for the given_… tables.
create or replace function oneroster_mistakes(p_unread text[])
    returns table (file text, line integer, column_name text, code text, value text,
                   known_file text, known_line integer)
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
begin
    return query select * from oneroster_repetitions();
    return query select * from oneroster_lost_references(p_unread);
    return query select * from oneroster_wrong_periods();
    return query select * from oneroster_role_conflicts(p_unread);
    return query select * from oneroster_nameless();
end $$;

-- oneroster_repetitions (internal): the same id twice in a file, the same person twice in a class.
create or replace function oneroster_repetitions()
    returns table (file text, line integer, column_name text, code text, value text,
                   known_file text, known_line integer)
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
declare
    today text := import_today();
begin
    return query
    with entry (file, line, id) as (
        select 'academicSessions.csv', line, source_id from given_session
        union all select 'orgs.csv', line, source_id from given_org
        union all select 'users.csv', line, source_id from given_user
        union all select 'roles.csv', line, source_id from given_role
        union all select 'courses.csv', line, source_id from given_course
        union all select 'classes.csv', line, source_id from given_class
        union all select 'enrollments.csv', line, source_id from given_enrollment),
    repeated as (
        select file, id, min(line) as line from entry where id is not null
         group by file, id having count(*) > 1)
    select e.file, e.line, 'sourcedId', 'duplicate_id', e.id, e.file, r.line
      from entry as e join repeated as r on r.file = e.file and r.id = e.id and r.line <> e.line;

    return query
    with entry as (
        select e.line, e.class_source_id, e.person_source_id, e.role
          from given_enrollment as e
          left join oneroster_class_ends() as c on c.class_source_id = e.class_source_id
         where is_given(e.status) and e.role in ('student', 'teacher')
           and is_in_force(e.begins_on, e.ends_on, today, c.ends_on)),
    repeated as (
        select class_source_id, person_source_id, role, min(line) as line from entry
         where class_source_id is not null and person_source_id is not null
         group by class_source_id, person_source_id, role having count(*) > 1)
    select 'enrollments.csv', e.line, 'userSourcedId', 'duplicate_seat', e.person_source_id, 'enrollments.csv',
           r.line
      from entry as e
      join repeated as r
        on r.class_source_id = e.class_source_id and r.person_source_id = e.person_source_id
       and r.role = e.role and r.line <> e.line;
end $$;

-- oneroster_class_ends (internal): when the last of the terms of a class ends; null: it has none.
create or replace function oneroster_class_ends() returns table (class_source_id text, ends_on text)
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
begin
    return query
    select c.source_id, max(s.ends_on)
      from given_class as c
     cross join lateral unnest(import_list(c.term_source_ids)) as l (id)
      join given_session as s on s.source_id = l.id
     where is_given(c.status)
     group by c.source_id;
end $$;

-- is_given (internal): whether a row stands for something, rather than for its end.
create or replace function is_given(p_status text) returns boolean
    language sql immutable parallel safe
    return p_status is distinct from 'tobedeleted';

-- is_in_force (internal): whether what begins and ends on these days holds on one, all as text, which compares
-- as days do. p_class_ends_on: what ends then or later holds as long as its class does.
create or replace function is_in_force(p_begins_on text, p_ends_on text, p_today text, p_class_ends_on text)
    returns boolean language sql immutable parallel safe
    return coalesce(p_begins_on <= p_today, true)
       and coalesce(p_ends_on > p_today or p_ends_on >= p_class_ends_on, true);

-- import_list (internal): the parts of a value that lists some.
create or replace function import_list(p_text text) returns text[]
    language sql immutable parallel safe
    return regexp_split_to_array(p_text, '\s*,\s*');

-- oneroster_place (internal): where the target of a reference is looked for, in words; null: nowhere, since the
-- file could not be read.
create or replace function oneroster_place(p_file text, p_unread text[]) returns text
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return case when p_file = any (p_unread) then null
                when exists (select from staged_scope where file = p_file and is_whole) then p_file
                else p_file || ' or in the directory' end;
end $$;

-- oneroster_lost_references (internal): what is referred to and is not there.
create or replace function oneroster_lost_references(p_unread text[])
    returns table (file text, line integer, column_name text, code text, value text,
                   known_file text, known_line integer)
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
declare
    place text := oneroster_place('orgs.csv', p_unread);
begin
    return query
    with reference (file, line, column_name, id) as (
        select 'orgs.csv', line, 'parentSourcedId', parent_source_id from given_org where is_given(status)
        union all
        select 'users.csv', u.line, 'orgSourcedIds', id
          from given_user as u, unnest(import_list(u.org_source_ids)) as l (id) where is_given(u.status)
        union all
        select 'roles.csv', line, 'orgSourcedId', org_source_id from given_role where is_given(status)
        union all
        select 'courses.csv', line, 'orgSourcedId', org_source_id from given_course where is_given(status)
        union all
        select 'classes.csv', line, 'schoolSourcedId', org_source_id from given_class where is_given(status)
        union all
        select 'enrollments.csv', line, 'schoolSourcedId', org_source_id from given_enrollment
         where is_given(status))
    select r.file, r.line, r.column_name, 'unknown_reference', r.id, place, null::integer
      from reference as r
     where r.id <> '' and place is not null
       and not exists (select from given_org as t where t.source_id = r.id and is_given(t.status))
       and (place = 'orgs.csv' or not exists (
               select from location as l where l.organization_id = my_organization() and l.source_id = r.id));

    place := oneroster_place('users.csv', p_unread);
    return query
    with reference (file, line, column_name, id) as (
        -- Parents are in no directory, so a row that changes one need not find him or her there.
        select 'roles.csv', line, 'userSourcedId', person_source_id
          from given_role where is_given(status) and cardinality(roles_of_oneroster(role)) > 0
        union all
        select 'enrollments.csv', line, 'userSourcedId', person_source_id
          from given_enrollment where is_given(status))
    select r.file, r.line, r.column_name, 'unknown_reference', r.id, place, null::integer
      from reference as r
     where r.id is not null and place is not null
       and not exists (select from given_user as t where t.source_id = r.id and is_given(t.status))
       and (place = 'users.csv' or not exists (
               select from person as p where p.organization_id = my_organization() and p.source_id = r.id));

    place := oneroster_place('courses.csv', p_unread);
    return query
    select 'classes.csv', c.line, 'courseSourcedId', 'unknown_reference', c.course_source_id, place, null::integer
      from given_class as c
     where is_given(c.status) and c.course_source_id is not null and place is not null
       and not exists (select from given_course as t where t.source_id = c.course_source_id and is_given(t.status))
       and (place = 'courses.csv' or not exists (
               select from course as k
                where k.organization_id = my_organization() and k.source_id = c.course_source_id));

    place := oneroster_place('classes.csv', p_unread);
    return query
    select 'enrollments.csv', e.line, 'classSourcedId', 'unknown_reference', e.class_source_id, place, null::integer
      from given_enrollment as e
     where is_given(e.status) and e.class_source_id is not null and place is not null
       and not exists (select from given_class as t where t.source_id = e.class_source_id and is_given(t.status))
       and (place = 'classes.csv' or not exists (
               select from class as c
                where c.organization_id = my_organization() and c.source_id = e.class_source_id));
    return query select * from oneroster_lost_sessions(p_unread);
end $$;

-- oneroster_lost_sessions (internal): the same for school years and terms, unless Apple's list of files is kept
-- to, which has none.
create or replace function oneroster_lost_sessions(p_unread text[])
    returns table (file text, line integer, column_name text, code text, value text,
                   known_file text, known_line integer)
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
declare
    place text := oneroster_place('academicSessions.csv', p_unread);
begin
    return query
    with reference (file, line, column_name, id) as (
        select 'academicSessions.csv', line, 'parentSourcedId', parent_source_id
          from given_session where is_given(status)
        union all
        select 'courses.csv', line, 'schoolYearSourcedId', session_source_id from given_course where is_given(status)
        union all
        select 'classes.csv', c.line, 'termSourcedIds', id
          from given_class as c, unnest(import_list(c.term_source_ids)) as l (id) where is_given(c.status))
    select r.file, r.line, r.column_name, 'unknown_reference', r.id, place, null::integer
      from reference as r
     where r.id <> '' and place = 'academicSessions.csv'
       and not exists (select from given_session as t where t.source_id = r.id and is_given(t.status));
end $$;

-- oneroster_wrong_periods (internal): what ends before it begins, and school years that are parts of themselves.
create or replace function oneroster_wrong_periods()
    returns table (file text, line integer, column_name text, code text, value text,
                   known_file text, known_line integer)
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
begin
    return query
    with period (file, line, begins_on, ends_on, may_be_empty) as (
        select 'academicSessions.csv', line, starts_on, ends_on, false from given_session where is_given(status)
        union all
        select 'roles.csv', line, begins_on, ends_on, true from given_role where is_given(status)
        union all
        select 'enrollments.csv', line, begins_on, ends_on, true from given_enrollment where is_given(status))
    select p.file, p.line, 'endDate', 'wrong_period', p.ends_on, null, null::integer
      from period as p
     where p.begins_on ~ '^\d{4}-\d\d-\d\d$' and p.ends_on ~ '^\d{4}-\d\d-\d\d$'
       and (p.ends_on < p.begins_on or (p.ends_on = p.begins_on and not p.may_be_empty));

    return query
    with recursive above (line, id, parent_id, path) as (
        select line, source_id, parent_source_id, array[source_id] from given_session
         where parent_source_id is not null
        union all
        select a.line, a.id, s.parent_source_id, a.path || s.source_id
          from above as a join given_session as s on s.source_id = a.parent_id
         where not s.source_id = any (a.path))
    select distinct 'academicSessions.csv', a.line, 'parentSourcedId', 'circular_reference', a.id, null,
           null::integer
      from above as a where a.parent_id = a.id;
end $$;

-- oneroster_role_conflicts (internal): students who are none in the list of users, and teachers likewise.
create or replace function oneroster_role_conflicts(p_unread text[])
    returns table (file text, line integer, column_name text, code text, value text,
                   known_file text, known_line integer)
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
declare
    roles_stand_with_users boolean := exists (
        select from staged_scope where kind = 'role' and file = 'users.csv');
begin
    if 'users.csv' = any (p_unread) or 'roles.csv' = any (p_unread) then
        return;
    end if;
    return query
    with holder (id, roles) as (
        select source_id, roles_of_oneroster(coalesce(role, 'student')) from given_user
         where roles_stand_with_users and is_given(status)
        union all
        select person_source_id, roles_of_oneroster(role) from given_role where is_given(status)
        union all
        select p.source_id, array[r.role]
          from person as p join person_role as r on r.organization_id = p.organization_id and r.person_id = p.person_id
         where not import_is_whole('role') and p.organization_id = my_organization() and p.source_id is not null
           and not (roles_stand_with_users
                    and exists (select from given_user as u where u.source_id = p.source_id))),
    held as (
        select id, bool_or('student' = any (roles)) as is_student,
               bool_or(roles <> '{student}' and roles <> '{}') as is_staff
          from holder group by id)
    select 'enrollments.csv', e.line, 'userSourcedId', 'role_conflict', e.person_source_id, e.role, null::integer
      from given_enrollment as e join held as h on h.id = e.person_source_id
     where is_given(e.status)
       and ((e.role = 'student' and not h.is_student) or (e.role = 'teacher' and not h.is_staff));
end $$;

-- oneroster_nameless (internal): new people whose managed ID would lack a part.
create or replace function oneroster_nameless()
    returns table (file text, line integer, column_name text, code text, value text,
                   known_file text, known_line integer)
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
begin
    return query
    with format as (
        select managed_id_format as elements from organization where organization_id = my_organization())
    select 'users.csv', u.line, part.column_name, 'no_managed_id', '', null, null::integer
      from given_user as u cross join format as f
     cross join lateral (values
            ('middleName', u.middle_name,   array['{middleName}', '{middleInitial}']),
            ('identifier', u.person_number, array['{personNumber}']),
            ('email',      u.email,         array['{email}']),
            ('grades',     u.grades,        array['{grade}'])) as part (column_name, value, elements)
     where is_given(u.status) and part.value is null
       and exists (select from unnest(part.elements) as e (element) where strpos(f.elements, e.element) > 0)
       and not exists (select from person as p
                        where p.organization_id = my_organization() and p.source_id = u.source_id);
end $$;
