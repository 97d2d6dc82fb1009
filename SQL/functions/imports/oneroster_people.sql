-- Functions of imports: further contradictions in the rows of OneRoster's files: periods, roles, managed IDs.

-- oneroster_wrong_periods (internal): periods that end before they begin, and school years that are parts of
-- themselves.
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

-- oneroster_role_conflicts (internal): enrolled students who are not students in the list of users, and teachers
-- likewise. They are seated: the standard ties no enrollment to a role. plan_import_roles() gives them none for it.
create or replace function oneroster_role_conflicts()
    returns table (file text, line integer, column_name text, code text, value text,
                   known_file text, known_line integer)
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
declare
    roles_stand_with_users boolean := exists (
        select from staged_scope where kind = 'role' and file = 'users.csv');
begin
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
