-- Functions of Apps and Books: content tokens, and which location a device manager's token is for.

-- my_content_location: the location whose licences the caller's token manages; null if it has none. Definer, since
-- policies ask it.
create or replace function my_content_location() returns uuid
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select t.location_id from content_token as t
             where t.organization_id = my_organization() and t.service_account_id = my_service_account());
end $$;
grant execute on function my_content_location() to school_device_manager;

-- make_content_token: a service account that manages the licences of a location, and its token. Returns false if the
-- location does not exist. Definer, because no standing writes tokens.
create or replace function make_content_token(
    p_service_account_id uuid, p_name text, p_location_id uuid, p_country text, p_secret_digest bytea,
    p_token_digest bytea, p_expires_at timestamptz) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    if my_standing() is distinct from 'administrator' then
        raise exception 'content tokens are made by administrators' using errcode = 'insufficient_privilege';
    end if;
    -- Locked, so that the location does not vanish meanwhile.
    perform from location where organization_id = my_organization() and location_id = p_location_id for key share;
    if not found then
        return false;
    end if;
    insert into content_library (organization_id, location_id, country)
    values (my_organization(), p_location_id, p_country)
        on conflict (organization_id, location_id) do update set country = excluded.country;
    insert into service_account (organization_id, service_account_id, name, role, secret_digest, expires_at)
    values (my_organization(), p_service_account_id, p_name, 'deviceManager', p_secret_digest, p_expires_at);
    insert into content_token (organization_id, service_account_id, location_id)
    values (my_organization(), p_service_account_id, p_location_id);
    insert into access_token (organization_id, digest, standing, service_account_id, expires_at)
    values (my_organization(), p_token_digest, 'deviceManager', p_service_account_id, p_expires_at);
    perform audit('serviceAccountChange', 'serviceAccount', p_service_account_id::text, '{"change": "created"}');
    return true;
end $$;
grant execute on function make_content_token(uuid, text, uuid, text, bytea, bytea, timestamptz) to school_administrator;

-- content_version: names the state of a location's pools, licences and users for its device manager: the moment of the
-- last change in milliseconds, and a number that every write raises.
create or replace function content_version() returns text
    language sql stable
begin atomic
    select coalesce(max(c.changed_at), 0) || '-' || coalesce(sum(c.changes), 0)
      from (select floor(extract(epoch from max(p.updated_at)) * 1000)::bigint as changed_at,
                   sum(p.version)::bigint as changes
              from pool as p
             where p.organization_id = my_organization() and p.location_id = my_content_location()
            union all
            select floor(extract(epoch from max(u.updated_at)) * 1000)::bigint, sum(u.version)::bigint
              from content_user as u
             where u.organization_id = my_organization() and u.location_id = my_content_location()) as c;
end;
grant execute on function content_version() to school_device_manager;

create or replace trigger bump_version before update on content_library
    for each row execute function bump_version();
create or replace trigger bump_version before update on content_user
    for each row execute function bump_version();
