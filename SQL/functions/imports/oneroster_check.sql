-- Functions of imports: contradictions in the rows of OneRoster's files.
--
-- A row marked as deleted refers to nothing, and nothing may refer to it. The target of a reference into an
-- incomplete file may be in the directory already.

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

-- oneroster_class_ends (internal): when the last of a class's terms ends; null if it has no terms.
create or replace function oneroster_class_ends() returns table (class_source_id text, ends_on text)
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
begin
    return query
    with session as (
        select source_id, ends_on from given_session where is_given(status)
        union all
        select t.source_id, t.ends_on::text from term as t
         where t.organization_id = my_organization() and not import_is_whole('term')
           and not exists (select from given_session as s where s.source_id = t.source_id))
    select c.source_id, max(s.ends_on)
      from given_class as c
     cross join lateral unnest(import_list(c.term_source_ids)) as l (id)
      join session as s on s.source_id = l.id
     where is_given(c.status)
     group by c.source_id
    union all
    select c.source_id, t.ends_on::text
      from class as c join term as t on t.organization_id = c.organization_id and t.term_id = c.term_id
     where c.organization_id = my_organization() and not import_is_whole('class')
       and not exists (select from given_class as g where g.source_id = c.source_id);
end $$;

-- is_given (internal): whether a row is current rather than marked as deleted.
create or replace function is_given(p_status text) returns boolean
    language sql immutable parallel safe
    return p_status is distinct from 'tobedeleted';

-- is_in_force (internal): whether a period with these first and last days includes a day, all as text, which compares
-- like dates. p_class_ends_on: a period that ends then or later lasts as long as its class.
create or replace function is_in_force(p_begins_on text, p_ends_on text, p_today text, p_class_ends_on text)
    returns boolean language sql immutable parallel safe
    return coalesce(p_begins_on <= p_today, true)
       and coalesce(p_ends_on > p_today or coalesce(p_ends_on >= p_class_ends_on, false), true);

-- import_list (internal): the elements of a value that is a list.
create or replace function import_list(p_text text) returns text[]
    language sql immutable parallel safe
    return regexp_split_to_array(p_text, '\s*,\s*');

-- oneroster_place (internal): where the target of a reference is looked up, in words; null if nowhere, because the
-- file could not be read or is not part of the archive.
create or replace function oneroster_place(p_file text, p_unread text[]) returns text
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return case when p_file = any (p_unread) or not exists (select from staged_scope where file = p_file) then null
                when exists (select from staged_scope where file = p_file and is_whole) then p_file
                else p_file || ' or in the directory' end;
end $$;

-- oneroster_lost_references (internal): references to rows that are not there.
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
               select from location as l
                where l.organization_id = my_organization() and oneroster_id(l.source_id, l.location_id) = r.id));

    place := oneroster_place('users.csv', p_unread);
    return query
    with reference (file, line, column_name, id) as (
        -- Parents are not in the directory, so a row that changes one need not find him or her there.
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

-- oneroster_lost_sessions (internal): the same for school years and terms, unless the archive follows Apple's list of
-- files, which has none.
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
     where r.id <> '' and place is not null
       and not exists (select from given_session as t where t.source_id = r.id and is_given(t.status))
       and (place = 'academicSessions.csv' or not exists (
               select from term as t where t.organization_id = my_organization() and t.source_id = r.id));
end $$;
