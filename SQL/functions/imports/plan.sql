-- Functions of imports: what an archive would change, computed before anything is written.

-- plan_import: fills the planned_… tables and returns per file what the plan would do. Writes nothing else. Seats of
-- teachers are counted where the seat file lists them.
create or replace function plan_import()
    returns table (name text, rows bigint, created bigint, changed bigint, unchanged bigint, removed bigint,
                   skipped bigint)
    language plpgsql
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    perform plan_import_places();
    perform plan_import_terms();
    perform plan_import_people();
    perform plan_import_classes();
    perform plan_import_seats();
    perform plan_import_roles();
    return query
    with entry (kind, change, n) as (
        select 'term', change, count(*) from planned_term group by change
        union all select 'location', change, count(*) from planned_location group by change
        union all select kind, change, count(*) from planned_person group by kind, change
        union all select kind, 'removed', count(*) from leaving_person group by kind
        union all select 'course', change, count(*) from planned_course group by change
        union all select 'class', change, count(*) from planned_class group by change
        union all select 'class', 'removed', count(*) from closing_class
        union all
        select import_kind_of_seat(role), change, count(*) from planned_seat group by role, change
        union all
        select import_kind_of_seat(role), 'removed', count(*) from ending_seat group by role)
    select f.file, coalesce(sum(e.n) filter (where e.change <> 'removed'), 0)::bigint,
           coalesce(sum(e.n) filter (where e.change = 'created'), 0)::bigint,
           coalesce(sum(e.n) filter (where e.change = 'changed'), 0)::bigint,
           coalesce(sum(e.n) filter (where e.change = 'unchanged'), 0)::bigint,
           coalesce(sum(e.n) filter (where e.change = 'removed'), 0)::bigint,
           coalesce((select sum(s.skipped) from staged_skip as s where s.file = f.file), 0)::bigint
      from (select file, min(position) as position, array_agg(kind) as kinds
              from staged_scope where file <> 'roles.csv' group by file) as f
      left join entry as e on e.kind = any (f.kinds)
     group by f.file, f.position order by f.position;
end $$;

-- import_kind_of_seat (internal): which kind of rows of a plan a seat is counted in; null if it is listed with its
-- class.
create or replace function import_kind_of_seat(p_role text) returns text
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return case when p_role = 'student'
                     or exists (select from staged_scope as t join staged_scope as s on s.file = t.file
                                 where t.kind = 'teaching' and s.kind = 'seat') then 'seat' end;
end $$;

-- plan_import_places (internal): locations and courses. Those that an archive leaves out stay: they have no members.
-- One without an id of the information system is found by ours, under which Homeroom exports it.
create or replace function plan_import_places() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    with merged as materialized (
        select s.source_id, s.line, l.location_id, l as known, merged_location(l, s) as becomes
          from staged_location as s
          left join location as l on l.organization_id = my_organization()
                                  and oneroster_id(l.source_id, l.location_id) = s.source_id)
    insert into planned_location (location_id, source_id, line, becomes, differs, change)
    select coalesce(m.location_id, new_id()), m.source_id, m.line, m.becomes, m.becomes is distinct from m.known,
           import_change(m.location_id is null, m.becomes is distinct from m.known)
      from merged as m;
    insert into planned_location (location_id, source_id)
    select location_id, source_id from location as l
     where organization_id = my_organization() and source_id is not null
       and (not import_is_whole('location')
            or source_id in (select k.source_id from staged_left_out as k where k.kind = 'location'))
       and not exists (select from staged_location as s where s.source_id = l.source_id);
    perform analyse_import_staging('planned_location');

    with merged as materialized (
        select s.source_id, s.line, c.course_id, c as known, merged_course(c, s) as becomes
          from (select r.*, l.location_id from staged_course as r
                  join planned_location as l on l.source_id = r.location_source_id) as s
          left join course as c on c.organization_id = my_organization()
                                and oneroster_id(c.source_id, c.course_id) = s.source_id)
    insert into planned_course (course_id, source_id, line, becomes, differs, change)
    select coalesce(m.course_id, new_id()), m.source_id, m.line, m.becomes, m.becomes is distinct from m.known,
           import_change(m.course_id is null, m.becomes is distinct from m.known)
      from merged as m;
    insert into planned_course (course_id, source_id, becomes)
    select course_id, source_id, c from course as c
     where organization_id = my_organization() and source_id is not null
       and (not import_is_whole('course')
            or source_id in (select k.source_id from staged_left_out as k where k.kind = 'course'))
       and not exists (select from staged_course as s where s.source_id = c.source_id);
    perform analyse_import_staging('planned_course');
end $$;

-- plan_import_people (internal): people, and who leaves: people of earlier imports missing from this archive. Those
-- with a role that the orderer may not give stay: otherwise a people manager's archive would sign out every
-- administrator.
--
-- Someone deactivated by an import comes back with the next archive that lists him or her; someone deactivated by
-- hand does not. The timestamp shows which: an import deactivates at its own end.
create or replace function plan_import_people() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    with merged as materialized (
        select s.source_id, s.kind, s.line, p.person_id, p as known,
               merged_person(p, s, p.deactivated_at is not null and not exists (
                                       select from import as i
                                        where i.organization_id = my_organization()
                                          and i.finished_at = p.deactivated_at)) as becomes
          from (select 'staff' as kind, * from staged_staff
                union all
                select 'student', * from staged_student) as s
          left join person as p on p.organization_id = my_organization() and p.source_id = s.source_id)
    insert into planned_person (person_id, source_id, kind, line, becomes, is_new, differs, is_spared,
                                stays_deactivated, is_kept)
    select coalesce(m.person_id, new_id()), m.source_id, m.kind, m.line, m.becomes, m.person_id is null,
           spared.person_id is null and m.becomes is distinct from m.known,
           spared.person_id is not null and m.becomes is distinct from m.known,
           (m.becomes).deactivated_at is not null, false
      from merged as m
      left join spared_person_ids() as spared (person_id) on spared.person_id = m.person_id;
    perform keep_import_emails();
    perform keep_import_people();
    perform analyse_import_staging('planned_person');

    insert into leaving_person (person_id, kind)
    select p.person_id, case when exists (
               select from person_role as r
                where r.organization_id = p.organization_id and r.person_id = p.person_id
                  and r.role = 'student') then 'student' else 'staff' end
      from import_people_left_out() as p
     where p.person_id not in (select spared_person_ids());
    perform analyse_import_staging('leaving_person');
end $$;

-- keep_import_emails (internal): an email with which the orderer could become its person stays as it is.
create or replace function keep_import_emails() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    kept constant uuid[] := array(select out_of_reach('email', array(
        select p.person_id from planned_person as p
          join person as k on k.organization_id = my_organization() and k.person_id = p.person_id
         where p.differs and lower((p.becomes).email) is distinct from lower(k.email))));
begin
    update planned_person as p
       set becomes.email = k.email, keeps_email = true
      from person as k
     where k.organization_id = my_organization() and k.person_id = p.person_id and p.person_id = any (kept);
    update planned_person as p
       set differs = p.becomes is distinct from k
      from person as k
     where k.organization_id = my_organization() and k.person_id = p.person_id and p.keeps_email;
end $$;

-- import_people_left_out (internal): people of earlier imports whom this archive leaves out or marks as removed.
create or replace function import_people_left_out() returns setof person
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    return query
    select p.* from person as p
     where p.organization_id = my_organization() and p.origin = 'import' and p.deactivated_at is null
       and case when import_is_whole('student')
                then not exists (select from planned_person as s where s.person_id = p.person_id)
                else exists (select from staged_removal as r where r.kind = 'person' and r.source_id = p.source_id) end;
end $$;

-- keep_import_people (internal): people of the directory to whom an archive without a full list of people refers. All
-- of them if it lists all seats, since it then ends the seats that it leaves out. With a full list: those whose row
-- was left out, so that nobody leaves for a row that cannot be read.
create or replace function keep_import_people() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    has_all_seats boolean := import_is_whole('seat');
begin
    if import_is_whole('student') then
        insert into planned_person (person_id, source_id, is_new, differs, stays_deactivated, is_kept)
        select p.person_id, p.source_id, false, false, p.deactivated_at is not null, true
          from person as p
         where p.organization_id = my_organization()
           and p.source_id in (select people_left_out())
           and not exists (select from planned_person as o where o.person_id = p.person_id);
        return;
    end if;
    insert into planned_person (person_id, source_id, is_new, differs, stays_deactivated, is_kept)
    select p.person_id, p.source_id, false, false, p.deactivated_at is not null, true
      from person as p
     where p.organization_id = my_organization() and p.source_id is not null
       and not exists (select from staged_student as s where s.source_id = p.source_id)
       and not exists (select from staged_staff as s where s.source_id = p.source_id)
       and not exists (select from staged_removal as r where r.kind = 'person' and r.source_id = p.source_id)
       and (has_all_seats
            or p.source_id in (select person_source_id from staged_seat)
            or p.source_id in (select person_source_id from staged_role));
end $$;
