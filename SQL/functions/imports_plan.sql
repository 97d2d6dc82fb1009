-- Functions of imports: what an archive would change, computed before anything is written.

set local role school_owner;
set local search_path = school, pg_temp;

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
-- leaves out. Not those who hold a role that is not the orderer's to give: a people manager's archive
-- would else sign out every administrator.
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
       and not exists (select from planned_person as s where s.person_id = p.person_id)
       and not exists (select from person_role as r
                        where r.organization_id = p.organization_id and r.person_id = p.person_id
                          and not may_give_role(r.role));
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
