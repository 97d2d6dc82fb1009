-- Functions of imports: convert the rows of OneRoster's files to those of Apple's templates, so that both use one
-- plan and one merge.
--
--   org              a location, whatever its kind
--   user             a student or one of the staff; teachers are staff who may teach. Parents and other relatives
--                    are not kept here. No archive makes anyone an administrator: people decide that.
--   enabledUser      false: as if the archive left the user out
--   enrollment       a seat, while it is in force. One that lasts until the last term of the class ends lasts as
--                    long as the class does; one that is over, or not begun, waits for the archive of the day.
--   session          a term; for a class, the smallest that covers all of its terms
--   title of a class its name, unless it is only the code: then the course's, as with the templates

--
-- What Homeroom itself wrote is left out where it is the organization's own (oneroster_own.sql).

-- map_oneroster: fills the staged_… tables from the given_… tables, which have been checked.
create or replace function map_oneroster() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    perform leave_out_own_rows();
    insert into staged_location (line, source_id, name)
    select line, source_id, name from given_org where is_given(status);

    insert into staged_term (line, source_id, parent_source_id, name, kind, starts_on, ends_on)
    select line, source_id, parent_source_id, title, coalesce(kind, 'term'), starts_on::date, ends_on::date
      from given_session where is_given(status);

    perform map_oneroster_roles();
    perform map_oneroster_users();

    insert into staged_course (line, source_id, number, name, location_source_id)
    select line, source_id, code, title, org_source_id from given_course where is_given(status);

    insert into staged_class (line, source_id, number, course_source_id, location_source_id, name, room,
                              term_source_ids, flaw)
    select line, source_id, code, course_source_id, org_source_id,
           case when title is distinct from code then title end, room, import_list(term_source_ids), flaw
      from given_class where is_given(status);
    insert into staged_removal (kind, line, source_id)
    select 'class', line, source_id from given_class where not is_given(status);

    perform map_oneroster_enrollments();
    perform analyse_import_staging('staged_term', 'staged_location', 'staged_student', 'staged_staff', 'staged_course',
                                   'staged_class', 'staged_seat', 'staged_role', 'staged_removal');
    insert into staged_skip (file, skipped)
    select 'academicSessions.csv', count(*) from given_session where not is_given(status)
    union all
    select 'orgs.csv', count(*) from given_org where not is_given(status)
    union all
    select 'courses.csv', count(*) from given_course where not is_given(status)
    union all
    select 'users.csv', (select count(*) from given_user)
                        - (select count(*) from staged_student) - (select count(*) from staged_staff)
    union all
    select 'enrollments.csv', (select count(*) from given_enrollment) - (select count(*) from staged_seat);
end $$;

-- map_oneroster_roles (internal): who holds which role where. Version 1.1 has that in the list of users.
create or replace function map_oneroster_roles() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    today text := import_today();
begin
    if exists (select from staged_scope where kind = 'role' and file = 'users.csv') then
        insert into given_role (status, person_source_id, role, org_source_id)
        select u.status, u.source_id, coalesce(u.role, 'student'), l.id
          from given_user as u, unnest(import_list(u.org_source_ids)) as l (id)
         where is_given(u.status);
    end if;
    insert into staged_role (person_source_id, location_source_id, role, is_removed)
    select r.person_source_id, r.org_source_id, t.role,
           bool_and(not is_given(r.status) or not is_in_force(r.begins_on, r.ends_on, today, null))
      from given_role as r, unnest(roles_of_oneroster(r.role)) as t (role)
     where r.person_source_id is not null and r.org_source_id is not null
     group by r.person_source_id, r.org_source_id, t.role;
    perform analyse_import_staging('given_role', 'staged_role');
end $$;

-- map_oneroster_users (internal): users who are enabled and hold a role; as students if one of the roles is student.
create or replace function map_oneroster_users() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    roles_are_whole boolean := import_is_whole('role')
        or exists (select from staged_scope where kind = 'role' and file = 'users.csv');
begin
    with holder as (
        select person_source_id as source_id, bool_or(role = 'student') as is_student
          from staged_role where not is_removed group by person_source_id
        union all
        select p.source_id, bool_or(r.role = 'student')
          from person as p join person_role as r on r.organization_id = p.organization_id and r.person_id = p.person_id
         where not roles_are_whole and p.organization_id = my_organization() and p.source_id is not null
         group by p.source_id),
    kind as (select source_id, bool_or(is_student) as is_student from holder group by source_id),
    bringing as (
        select u.*, k.is_student, left((import_list(u.grades))[1], 64) as grade
          from given_user as u join kind as k on k.source_id = u.source_id
         where is_given(u.status) and u.is_enabled is distinct from 'false'),
    students as (
        insert into staged_student (line, source_id, person_number, given_name, middle_name, family_name, grade,
                                    email, location_source_ids, flaw)
        select line, source_id, person_number, given_name, middle_name, family_name, nullif(grade, ''), email, '{}',
               flaw
          from bringing where is_student)
    insert into staged_staff (line, source_id, person_number, given_name, middle_name, family_name, email,
                              location_source_ids, flaw)
    select line, source_id, person_number, given_name, middle_name, family_name, email, '{}', flaw
      from bringing where not is_student;

    insert into staged_removal (kind, line, source_id)
    select 'person', u.line, u.source_id from given_user as u
     where not exists (select from staged_student as s where s.source_id = u.source_id)
       and not exists (select from staged_staff as s where s.source_id = u.source_id);
end $$;

-- map_oneroster_enrollments (internal): who sits in and who teaches which class, among the users mapped.
create or replace function map_oneroster_enrollments() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    today text := import_today();
begin
    insert into staged_seat (line, source_id, class_source_id, person_source_id, role, joined_on)
    select e.line, e.source_id, e.class_source_id, e.person_source_id, e.role, e.begins_on::date
      from given_enrollment as e
      left join oneroster_class_ends() as c on c.class_source_id = e.class_source_id
      left join staged_removal as r on r.kind = 'person' and r.source_id = e.person_source_id
     where is_given(e.status) and e.role in ('student', 'teacher')
       and is_in_force(e.begins_on, e.ends_on, today, c.ends_on) and r.source_id is null;

    if not import_is_whole('seat') then
        insert into staged_removal (kind, line, source_id, class_source_id, person_source_id, role)
        select 'seat', e.line, e.source_id, e.class_source_id, e.person_source_id, e.role
          from given_enrollment as e
         where not exists (select from staged_seat as s where s.line = e.line);
    end if;
end $$;
