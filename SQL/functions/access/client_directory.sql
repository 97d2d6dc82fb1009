-- Functions of the directory of clients, which triggers keep.

-- organization_of_client (internal): whose client it is; null if there is none. Raises if another cell serves that
-- organization.
create or replace function organization_of_client(p_client_id uuid) returns uuid
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    tenant constant uuid := (select d.organization_id from client_directory as d where d.client_id = p_client_id);
begin
    perform refuse_elsewhere(tenant);
    return tenant;
end $$;

-- reserve_client_id: puts a new client into the directory. An id that another organization has stays there, and the
-- foreign key refuses the new client.
create or replace function reserve_client_id() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into client_directory (organization_id, client_id)
    values (new.organization_id, (to_jsonb(new) ->> tg_argv[0])::uuid)
        on conflict (client_id) do nothing;
    return new;
end $$;

-- free_client_id: takes a removed client out of the directory.
create or replace function free_client_id() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    delete from client_directory
     where organization_id = old.organization_id and client_id = (to_jsonb(old) ->> tg_argv[0])::uuid;
    return null;
end $$;

create or replace trigger reserve_client_id before insert on service_account
    for each row execute function reserve_client_id('service_account_id');
create or replace trigger free_client_id after delete on service_account
    for each row execute function free_client_id('service_account_id');
create or replace trigger reserve_client_id before insert on connected_system
    for each row execute function reserve_client_id('connected_system_id');
create or replace trigger free_client_id after delete on connected_system
    for each row execute function free_client_id('connected_system_id');
create or replace trigger reserve_client_id before insert on sign_in_provider
    for each row execute function reserve_client_id('sign_in_provider_id');
create or replace trigger free_client_id after delete on sign_in_provider
    for each row execute function free_client_id('sign_in_provider_id');
