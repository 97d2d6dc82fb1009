-- Functions of source ids: OneRoster refers to records by them, so that what refers to a record changes with its id.

-- bump_referrers: a location, course or term got another source id, and what names it has changed. Seats need nothing:
-- they change with their person and their class, as do what is graded and the results.
create or replace function bump_referrers() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    if tg_table_name = 'location' then
        update class as t set updated_at = moment()
          from changed as n join former as f using (organization_id, location_id)
         where n.source_id is distinct from f.source_id
           and t.organization_id = n.organization_id and t.location_id = n.location_id;
        update course as t set updated_at = moment()
          from changed as n join former as f using (organization_id, location_id)
         where n.source_id is distinct from f.source_id
           and t.organization_id = n.organization_id and t.location_id = n.location_id;
        update person as t set updated_at = moment()
          from (select distinct r.organization_id, r.person_id
                  from changed as n join former as f using (organization_id, location_id)
                  join person_role as r on r.organization_id = n.organization_id and r.location_id = n.location_id
                 where n.source_id is distinct from f.source_id) as h
         where t.organization_id = h.organization_id and t.person_id = h.person_id;
    elsif tg_table_name = 'course' then
        update class as t set updated_at = moment()
          from changed as n join former as f using (organization_id, course_id)
         where n.source_id is distinct from f.source_id
           and t.organization_id = n.organization_id and t.course_id = n.course_id;
    else
        update class as t set updated_at = moment()
          from changed as n join former as f using (organization_id, term_id)
         where n.source_id is distinct from f.source_id
           and t.organization_id = n.organization_id and t.term_id = n.term_id;
    end if;
    return null;
end $$;

create or replace trigger bump_referrers after update on location
    referencing old table as former new table as changed for each statement execute function bump_referrers();
create or replace trigger bump_referrers after update on course
    referencing old table as former new table as changed for each statement execute function bump_referrers();
create or replace trigger bump_referrers after update on term
    referencing old table as former new table as changed for each statement execute function bump_referrers();
