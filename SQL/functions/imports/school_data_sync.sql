-- Functions of imports: what Microsoft's School Data Sync says, in the words of OneRoster.
--
--   role of a user         students and teachers keep their role, and other employees become staff. Former students and
--                          users without a role are not imported
--   role of an enrollment  students and teachers get a seat. Other employees get none, because a teacher of a class sees
--                          what its students do
--   grade                  stands with the role
--   roleEndDate            a role that is over is no role. In an export in which all are over, which is one of last
--                          year, nobody would be left: there they count, and a warning says so

-- adopt_school_data_sync: turns the words in the given_… tables into those of OneRoster. p_is_strict: nothing is taken in
-- another way than it is written.
create or replace function adopt_school_data_sync(p_is_strict boolean) returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    today constant text := import_today();
begin
    update given_user set role = role_of_school_data_sync(role) where role is not null;
    update given_role set role = role_of_school_data_sync(role) where role is not null;
    update given_enrollment set role = role_of_school_data_sync(role) where role is not null;

    if not p_is_strict and not exists (select from given_role as r
                        where r.flaw is null and is_in_force(null, r.ends_on, today, null)) then
        insert into staged_finding (file, line, column_name, code, value)
        select 'roles.csv', min(line), 'endDate', 'roles_ended', max(ends_on)
          from given_role where flaw is null and ends_on is not null
        having count(*) > 0;
        update given_role set ends_on = null;
    end if;

    update given_user as u set grades = g.grade
      from (select distinct on (r.person_source_id) r.person_source_id, r.grade
              from given_role as r
             where r.grade is not null and r.role = 'student'
             order by r.person_source_id, is_in_force(r.begins_on, r.ends_on, today, null) desc, r.line) as g
     where g.person_source_id = u.source_id;
end $$;

-- role_of_school_data_sync (internal): the role of OneRoster for one of School Data Sync, in any case.
create or replace function role_of_school_data_sync(p_role text) returns text
    language sql immutable parallel safe
    return case when lower(p_role) = 'student' then 'student'
                when lower(p_role) in ('teacher', 'faculty', 'professor', 'lecturer', 'instructor', 'adjunct',
                                       'substitute') then 'teacher'
                when lower(p_role) in ('alumni', 'guardian', 'parent', 'relative', 'contact') then 'relative'
                else 'aide' end;

grant execute on function adopt_school_data_sync(boolean), role_of_school_data_sync(text) to school_directory_manager;
