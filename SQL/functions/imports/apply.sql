-- Functions of imports: applying the plan.

-- apply_import: applies the plan, and keeps what it replaces. p_moment is the end of the import, and of everything that
-- it ends.
create or replace function apply_import(p_import_id uuid, p_moment timestamptz) returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    zone text := (select time_zone from organization where organization_id = my_organization());
begin
    perform keep_import_undo(p_import_id);
    perform apply_import_rows('location');
    perform apply_import_rows('term');
    perform apply_import_people(p_moment);
    perform apply_import_rows('course');
    perform apply_import_rows('class');
    -- A class put into a closed term is archived with it.
    update class as c set archived_at = t.closed_at
      from planned_class as p, term as t
     where c.organization_id = my_organization() and c.class_id = p.class_id and p.stays_archived
       and c.archived_at is null
       and t.organization_id = my_organization() and t.term_id = c.term_id and t.closed_at is not null;
    update class as c set archived_at = p_moment
      from closing_class as k
     where c.organization_id = my_organization() and c.class_id = k.class_id;

    -- Teachers of a class at the time of archiving keep its reports, so these seats end just after.
    update seat as s
       set left_at = least(s.left_at, greatest(s.joined_at, case when e.is_of_closing_class
                                                                 then p_moment + interval '1 millisecond'
                                                                 else p_moment end))
      from ending_seat as e
     where s.organization_id = my_organization() and s.class_id = e.class_id
       and s.person_id = e.person_id and s.role = e.role and s.joined_at = e.joined_at;
    update seat as s set source_id = p.source_id
      from planned_seat as p
     where s.organization_id = my_organization() and s.class_id = p.class_id
       and s.person_id = p.person_id and s.role = p.role and is_open_seat(s)
       and p.change = 'changed';
    -- New members join on the archive's date, returning ones now. That date does not open an assignment for the time
    -- before it was recorded.
    insert into seat (organization_id, class_id, person_id, role, joined_at, recorded_at, source_id)
    select my_organization(), w.class_id, w.person_id, w.role, w.joined_at,
           case when w.joined_at < moment() then moment() end, w.source_id
      from (select p.*, case when p.joined_on is null
                                  or exists (select from seat as s
                                              where s.organization_id = my_organization()
                                                and s.class_id = p.class_id
                                                and s.person_id = p.person_id and s.role = p.role)
                             then p_moment
                             else least(p_moment, p.joined_on::timestamp at time zone zone) end as joined_at
              from planned_seat as p where p.change = 'created') as w
     order by w.class_id, w.person_id;
    perform complete_import_undo(p_import_id);
end $$;

-- apply_import_people (internal): writes people with their managed IDs and roles, and deactivates those who leave.
create or replace function apply_import_people(p_moment timestamptz) returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    with made as (
        select m.person_id, m.managed_id
          from (select array_agg(person_id order by kind, line) as persons,
                       array_agg((becomes).given_name order by kind, line) as given_names,
                       array_agg((becomes).middle_name order by kind, line) as middle_names,
                       array_agg((becomes).family_name order by kind, line) as family_names,
                       array_agg((becomes).person_number order by kind, line) as person_numbers,
                       array_agg(source_id order by kind, line) as source_ids,
                       array_agg((becomes).email order by kind, line) as emails,
                       array_agg((becomes).grade order by kind, line) as grades
                  from planned_person where is_new) as n
         cross join lateral make_managed_ids(my_organization(), n.persons, n.given_names, n.middle_names,
                                             n.family_names, n.person_numbers, n.source_ids, n.emails,
                                             n.grades) as m)
    update planned_person as p set becomes.managed_id = m.managed_id from made as m where p.person_id = m.person_id;
    perform apply_import_rows('person');

    delete from person_role as r using planned_role as w
     where r.organization_id = my_organization() and r.person_id = w.person_id
       and r.location_id = w.location_id and r.role = w.role and w.change = 'removed';
    insert into person_role (organization_id, person_id, location_id, role, origin)
    select my_organization(), person_id, location_id, role, 'import' from planned_role where change = 'created';

    if exists (select from leaving_person) then
        perform set_deactivated(my_organization(), array(select person_id from leaving_person), p_moment);
        perform end_sessions(array(select person_id from leaving_person));
    end if;
end $$;
