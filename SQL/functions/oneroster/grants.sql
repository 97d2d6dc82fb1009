-- Functions of grants of the gradebook: which classes they mean.

-- my_gradebook_class_ids: the classes whose gradebook the calling service account may use; with p_results only those
-- whose results it also reads. Definer, because the policies of many tables call it.
create or replace function my_gradebook_class_ids(p_results boolean) returns uuid[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    own     constant uuid := my_organization();
    granted constant gradebook_grant[] := array(
        select g from gradebook_grant as g
         where g.organization_id = own and g.service_account_id = my_service_account()
           and (g.reads_results or not p_results));
begin
    if exists (select from unnest(granted) as g where g.class_id is null and g.location_id is null) then
        return array(select c.class_id from class as c where c.organization_id = own);
    end if;
    return array(
        select c.class_id from class as c
         where c.organization_id = own and c.class_id in (select g.class_id from unnest(granted) as g)
        union
        select c.class_id from class as c
         where c.organization_id = own and c.location_id in (select g.location_id from unnest(granted) as g));
end $$;
grant execute on function my_gradebook_class_ids(boolean) to school_roster_reader;

-- gradebook_system: what a service account that has or had a grant is called, for teachers and students who see what it
-- wrote.
create or replace function gradebook_system(p_service_account_id uuid) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select a.name from service_account as a
             where a.organization_id = my_organization() and a.service_account_id = p_service_account_id
               and a.role = 'rosterReader');
end $$;
grant execute on function gradebook_system(uuid) to school_teacher, school_student;
