-- Functions of imports: archives of OneRoster that Homeroom wrote, when the same organization takes them in again.

-- leave_out_own_rows (internal): takes out of the given_… tables what Homeroom added for OneRoster, and people and
-- classes that have no id of the school's information system: imports leave those alone.
create or replace function leave_out_own_rows() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    own constant uuid := my_organization();
begin
    delete from given_org where source_id = own::text;
    delete from given_session where source_id = oneroster_default_term();
    update given_class set term_source_ids = null where term_source_ids = oneroster_default_term();
    delete from given_course as g using class as c
     where c.organization_id = own and c.course_id is null and g.source_id = oneroster_course_of_class(c.class_id);
    update given_class as g set course_source_id = null from class as c
     where c.organization_id = own and c.course_id is null
       and g.course_source_id = oneroster_course_of_class(c.class_id);

    delete from given_role as g using person as p
     where p.organization_id = own and p.source_id is null and g.person_source_id = p.person_id::text;
    delete from given_enrollment as g using person as p
     where p.organization_id = own and p.source_id is null and g.person_source_id = p.person_id::text;
    delete from given_user as g using person as p
     where p.organization_id = own and p.source_id is null and g.source_id = p.person_id::text;
    delete from given_enrollment as g using class as c
     where c.organization_id = own and c.source_id is null and g.class_source_id = c.class_id::text;
    delete from given_class as g using class as c
     where c.organization_id = own and c.source_id is null and g.source_id = c.class_id::text;
    -- Enrollments that have no id of their own.
    update given_enrollment set source_id = null
     where source_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}_\w+$';
end $$;
