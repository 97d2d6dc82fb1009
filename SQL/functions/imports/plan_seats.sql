-- Functions of imports: what an archive would change in classes, seats and roles.

-- plan_import_classes (internal): classes, and which of them close: not one whose row was left out. A class that was
-- archived by hand stays archived, and so does one that is put into a closed term.
create or replace function plan_import_classes() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    with merged as materialized (
        select s.source_id, s.line, c.class_id, c as known, archiving.stays,
               merged_class(c, s, archiving.stays) as becomes
          from (select r.*, l.location_id, k.course_id, t.term_id,
                       coalesce(r.name, nullif((k.becomes).name, k.source_id), r.number, (k.becomes).name,
                                r.source_id) as full_name
                  from staged_class as r
                  join planned_location as l on l.source_id = r.location_source_id
                  left join planned_course as k on k.source_id = r.course_source_id
                  left join planned_term_of_class as t on t.class_source_id = r.source_id
                 where k.course_id is not null or r.course_source_id is null or r.flaw = 'part') as s
          left join class as c on c.organization_id = my_organization() and c.source_id = s.source_id
          left join term as o on o.organization_id = my_organization() and o.closed_at is not null
           and o.term_id = coalesce(s.term_id, c.term_id)
         cross join lateral (
                select (c.archived_at is not null and not exists (
                            select from import as i
                             where i.organization_id = my_organization() and i.finished_at = c.archived_at))
                       or (o.term_id is not null and o.term_id is distinct from c.term_id) as stays) as archiving)
    insert into planned_class (class_id, source_id, line, becomes, is_new, differs, stays_archived, is_kept)
    select coalesce(m.class_id, new_id()), m.source_id, m.line, m.becomes, m.class_id is null,
           m.becomes is distinct from m.known, m.stays, false
      from merged as m;
    insert into planned_class (class_id, source_id, becomes, is_new, differs, stays_archived, is_kept)
    select c.class_id, c.source_id, c, false, false, c.archived_at is not null, true
      from class as c
     where c.organization_id = my_organization() and c.source_id is not null
       and (not import_is_whole('class')
            or c.source_id in (select k.source_id from staged_left_out as k where k.kind = 'class'))
       and not exists (select from staged_class as s where s.source_id = c.source_id)
       and not exists (select from staged_removal as r where r.kind = 'class' and r.source_id = c.source_id);
    perform analyse_import_staging('planned_class');

    insert into closing_class (class_id)
    select c.class_id from class as c
     where c.organization_id = my_organization() and c.origin = 'import' and c.archived_at is null
       and case when import_is_whole('class')
                then not exists (select from planned_class as p where p.class_id = c.class_id)
                else exists (select from staged_removal as r where r.kind = 'class' and r.source_id = c.source_id) end;
    perform analyse_import_staging('closing_class');
end $$;

-- plan_import_seats (internal): who sits in and who teaches which class. Seats of people whom no import brought stay,
-- as long as their class stays.
--
-- A seat whose end is in the future lasts until then: a listed person keeps it, with its end; one left out loses it
-- now. There are few of them, and one without an end may follow one with an end.
create or replace function plan_import_seats() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    has_all_seats               boolean := import_is_whole('seat');
    teachers_stand_with_classes boolean := import_kind_of_seat('teacher') is null;
begin
    insert into planned_seat (class_id, person_id, role, source_id, line, joined_on, change)
    select w.class_id, w.person_id, w.role, coalesce(w.source_id, s.source_id, e.source_id), w.line, w.joined_on,
           case when w.is_settled then 'unchanged'
                when s.person_id is null and e.person_id is null then 'created'
                when coalesce(s.source_id, e.source_id)
                     is distinct from coalesce(w.source_id, s.source_id, e.source_id) then 'changed'
                else 'unchanged' end
      from (select c.class_id, p.person_id, r.role, r.source_id, r.line, r.joined_on,
                   c.stays_archived or p.stays_deactivated as is_settled
              from staged_seat as r
              join planned_class as c on c.source_id = r.class_source_id
              join planned_person as p on p.source_id = r.person_source_id
            union all
            select distinct c.class_id, p.person_id, 'teacher', null, r.line, null::date,
                   c.stays_archived or p.stays_deactivated
              from staged_class as r
              join planned_class as c on c.source_id = r.source_id
             cross join lateral unnest(r.instructor_source_ids) as u (source_id)
              join planned_person as p on p.source_id = u.source_id) as w
      left join seat as s
        on s.organization_id = my_organization() and s.class_id = w.class_id
       and s.person_id = w.person_id and s.role = w.role and s.left_at is null
      left join (select class_id, person_id, role, min(source_id) as source_id from seat
                  where organization_id = my_organization() and left_at > moment()
                  group by class_id, person_id, role) as e
        on e.class_id = w.class_id and e.person_id = w.person_id and e.role = w.role;
    perform analyse_import_staging('planned_seat');
    perform mark_import_seats();
    perform keep_left_out_seats(teachers_stand_with_classes);

    insert into ending_seat (class_id, person_id, role, joined_at, is_of_closing_class)
    select s.class_id, s.person_id, s.role, s.joined_at, k.class_id is not null
      from seat as s
      left join closing_class as k on k.class_id = s.class_id
      left join leaving_person as l on l.person_id = s.person_id
      left join planned_class as c on c.class_id = s.class_id and not c.stays_archived
      left join planned_person as p on p.person_id = s.person_id and not p.stays_deactivated
      left join planned_seat as w
        on w.class_id = s.class_id and w.person_id = s.person_id and w.role = s.role
      left join marked_seat as m
        on m.class_id = s.class_id and m.person_id = s.person_id and m.role = s.role
      left join kept_seat as o
        on o.class_id = s.class_id and o.person_id = s.person_id and o.role = s.role
     where s.organization_id = my_organization() and is_open_seat(s)
       and (k.class_id is not null or l.person_id is not null
            or (c.class_id is not null and p.person_id is not null and w.person_id is null
                and o.person_id is null and (has_all_seats or m.person_id is not null)));
    perform analyse_import_staging('ending_seat');

    update planned_class as c
       set change = import_change(c.is_new, c.differs or (
               teachers_stand_with_classes
               and (exists (select from planned_seat as s
                             where s.class_id = c.class_id and s.role = 'teacher' and s.change = 'created')
                    or exists (select from ending_seat as s
                                where s.class_id = c.class_id and s.role = 'teacher'))))
     where not c.is_kept;
end $$;

-- mark_import_seats (internal): seats of the directory that an archive of changes reports as over, by their id or by
-- person and class, and those that an id no longer refers to.
create or replace function mark_import_seats() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    if import_is_whole('seat') then
        return;
    end if;
    insert into marked_seat (class_id, person_id, role)
    select s.class_id, s.person_id, s.role
      from seat as s
     where s.organization_id = my_organization() and is_open_seat(s)
       and s.source_id in (select source_id from staged_removal where kind = 'seat'
                           union select source_id from staged_seat)
    union
    select c.class_id, p.person_id, r.role
      from staged_removal as r
      join class as c on c.organization_id = my_organization() and c.source_id = r.class_source_id
      join person as p on p.organization_id = my_organization() and p.source_id = r.person_source_id
     where r.kind = 'seat' and r.role in ('student', 'teacher');

    -- The people of marked seats are added to the plan, so that the seats are.
    insert into planned_person (person_id, source_id, is_new, differs, stays_deactivated, is_kept)
    select p.person_id, p.source_id, false, false, false, true
      from person as p
     where p.organization_id = my_organization() and p.deactivated_at is null
       and p.person_id in (select person_id from marked_seat)
       and not exists (select from planned_person as o where o.person_id = p.person_id);
    perform analyse_import_staging('marked_seat', 'planned_person');
end $$;

-- plan_import_roles (internal): the roles that follow from where people are and whom they teach. Only roles from
-- imports are taken: from people whose roles the archive lists in full, with no row left out, and those it reports as
-- gone. People with a
-- role that the orderer may not give keep theirs, and are marked for a warning.
create or replace function plan_import_roles() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    has_all_seats boolean := import_is_whole('seat');
    has_all_roles boolean := (import_is_whole('role')
                              or exists (select from staged_scope where kind = 'role' and file = 'users.csv'))
        and not exists (select from staged_left_out where kind in ('person', 'role') and not is_known);
begin
    -- A seat as a teacher brings the role only to staff: a student who teaches a class stays a student.
    with staff (person_id) as (
        select p.person_id from planned_person as p where p.kind = 'staff'
        union
        select p.person_id
          from staged_role as s
          join planned_person as p on p.source_id = s.person_source_id
         where not s.is_removed and s.role <> 'student'
        union
        select r.person_id
          from person_role as r
          join planned_person as p on p.person_id = r.person_id
         where r.organization_id = my_organization() and r.role <> 'student'
           and (p.is_kept or not has_all_roles or r.origin <> 'import')),
    wanted (person_id, location_id, role) as (
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
        select p.person_id, l.location_id, s.role
          from staged_role as s
          join planned_person as p on p.source_id = s.person_source_id
          join planned_location as l on l.source_id = s.location_source_id
         where not s.is_removed
        union
        select s.person_id, (c.becomes).location_id, 'teacher'
          from planned_seat as s
          join planned_class as c on c.class_id = s.class_id
          join staff as t on t.person_id = s.person_id
         where s.role = 'teacher'
        union
        -- What an archive of changes leaves out: who keeps teaching.
        select p.person_id, c.location_id, 'teacher'
          from planned_person as p
          join staff as t on t.person_id = p.person_id
          join seat as s on s.organization_id = my_organization() and s.person_id = p.person_id
          join class as c on c.organization_id = my_organization() and c.class_id = s.class_id
         where not has_all_seats and s.role = 'teacher' and is_open_seat(s)
           and c.archived_at is null
           and not exists (select from ending_seat as e
                            where e.class_id = s.class_id and e.person_id = s.person_id and e.role = s.role)
        union
        -- Who teaches by a seat that does not end, because what the archive says of it was left out.
        select o.person_id, c.location_id, 'teacher'
          from kept_seat as o
          join staff as t on t.person_id = o.person_id
          join class as c on c.organization_id = my_organization() and c.class_id = o.class_id
         where o.role = 'teacher' and c.archived_at is null
           and not exists (select from ending_seat as e
                            where e.class_id = o.class_id and e.person_id = o.person_id and e.role = o.role)),
    held as (
        select r.person_id, r.location_id, r.role, r.origin
          from person_role as r join planned_person as p on p.person_id = r.person_id
         where r.organization_id = my_organization()),
    gone as (
        select p.person_id, l.location_id, s.role
          from staged_role as s
          join planned_person as p on p.source_id = s.person_source_id
          join planned_location as l on l.source_id = s.location_source_id
         where s.is_removed),
    spared as materialized (select spared_person_ids() as person_id),
    difference as (
        select coalesce(w.person_id, h.person_id) as person_id, coalesce(w.location_id, h.location_id) as location_id,
               coalesce(w.role, h.role) as role,
               case when h.person_id is null then 'created' else 'removed' end as change
          from wanted as w
          full join held as h
            on h.person_id = w.person_id and h.location_id = w.location_id and h.role = w.role
          left join planned_person as p on p.person_id = h.person_id
          left join gone as g on g.person_id = h.person_id and g.location_id = h.location_id and g.role = h.role
         where h.person_id is null
            or (w.person_id is null and h.origin = 'import'
                and ((has_all_roles and not p.is_kept and p.source_id not in (select people_left_out()))
                     or g.person_id is not null))),
    marking as (
        update planned_person as p set is_spared = true
          from difference as d
         where d.person_id = p.person_id and d.person_id in (select person_id from spared))
    insert into planned_role (person_id, location_id, role, change)
    select person_id, location_id, role, change from difference
     where person_id not in (select person_id from spared);
    perform analyse_import_staging('planned_role');

    update planned_person as p
       set change = import_change(p.is_new, p.differs or exists (
               select from planned_role as r where r.person_id = p.person_id))
     where not p.is_kept;
end $$;

-- import_shrinkage: how much of what exists the plan would remove.
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
    select 'seats', (select count(*) from ending_seat), count(*) from seat as s
     where s.organization_id = my_organization() and is_open_seat(s);
end $$;
