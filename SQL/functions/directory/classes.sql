-- Functions of classes: deleting one.

-- hanging_on_class: how many handouts a class has, including deleted ones, because reports and exports count them.
-- Definer, because those who manage the directory cannot see handouts.
create or replace function hanging_on_class(p_class_id uuid) returns table (handouts bigint)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return query select count(*) from handout
                  where organization_id = my_organization() and class_id = p_class_id;
end $$;

-- delete_class: deletes a class of the caller's organization with its seats; a manager may only delete classes that
-- no import brought. Handouts and other rows that refer to it prevent that through their foreign keys. False if there
-- is no such class.
create or replace function delete_class(p_class_id uuid) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform from class
      where organization_id = my_organization() and class_id = p_class_id
        and (my_standing() <> 'manager' or origin <> 'import')
        for update;
    if not found then
        return false;
    end if;
    delete from seat where organization_id = my_organization() and class_id = p_class_id;
    delete from class where organization_id = my_organization() and class_id = p_class_id;
    return true;
end $$;
grant execute on function hanging_on_class(uuid), delete_class(uuid)
    to school_directory_manager, school_manager;
