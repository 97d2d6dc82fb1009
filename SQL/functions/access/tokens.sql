-- Functions of access: organizations and tokens created by commands, keys of developers; and who may execute the
-- functions in all files of access.

-- create_organization: an organization with its first location and administrator; for the command.
create or replace function create_organization(
    p_organization_id uuid, p_name text, p_domain text, p_time_zone text,
    p_location_id uuid, p_location_name text,
    p_administrator_id uuid, p_given_name text, p_family_name text, p_managed_id text,
    p_password_record text, p_password_expires_at timestamptz) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into organization (organization_id, name, time_zone)
    values (p_organization_id, p_name, coalesce(p_time_zone, 'UTC'));
    insert into domain_directory (domain, organization_id) values (lower(p_domain), p_organization_id);
    insert into organization_domain (organization_id, domain) values (p_organization_id, lower(p_domain));
    insert into location (organization_id, location_id, name)
    values (p_organization_id, p_location_id, coalesce(p_location_name, p_name));
    insert into managed_id_directory (managed_id, organization_id, person_id)
    values (lower(p_managed_id), p_organization_id, p_administrator_id);
    perform add_rows('person', p_organization_id, jsonb_build_array(jsonb_build_object(
        'id', p_administrator_id, 'given_name', p_given_name, 'family_name', p_family_name,
        'managed_id', p_managed_id)));
    perform give_roles(p_organization_id, jsonb_build_array(jsonb_build_object(
        'person_id', p_administrator_id, 'location_id', p_location_id, 'role', 'administrator')));
    insert into credential (organization_id, person_id, password_record, is_temporary, expires_at)
    values (p_organization_id, p_administrator_id, p_password_record, true, p_password_expires_at);
    perform write_audit_event(p_organization_id, 'organizationChange', 'server', null, null, null,
                              'organization', p_organization_id::text, '{"change": "created"}');
    perform take_deployment_teams(p_organization_id);
end $$;

-- create_token: a token without a sign-in; for the command. p_standing is 'provisioner', 'exporter' or
-- 'directoryWriter', or, with a person, one of the person's roles. With an app the token is the app's. A development
-- environment issues its own tokens (create_development_token). Returns 'created', 'unknownOrganization',
-- 'unknownPerson' or 'notHeld'.
create or replace function create_token(
    p_organization_id uuid, p_digest bytea, p_standing text, p_person_id uuid, p_app text,
    p_environment text, p_expires_at timestamptz) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    if is_development(p_organization_id)
       or not exists (select from organization where organization_id = p_organization_id) then
        return 'unknownOrganization';
    elsif p_person_id is not null then
        if not exists (select from person where organization_id = p_organization_id
                          and person_id = p_person_id and deactivated_at is null) then
            return 'unknownPerson';
        elsif not exists (
            select from person_role where organization_id = p_organization_id
               and person_id = p_person_id and role = p_standing) then
            return 'notHeld';
        end if;
    end if;
    insert into access_token (organization_id, digest, person_id, standing, app, environment, expires_at)
    values (p_organization_id, p_digest, p_person_id,
            case when p_app is null then p_standing else 'app' end, p_app,
            coalesce(p_environment, 'production'), p_expires_at);
    perform write_audit_event(p_organization_id, 'tokenCreated', 'server', p_person_id, p_app, null,
                              'token', left(encode(p_digest, 'hex'), 16), jsonb_build_object(
                                  'standing', case when p_app is null then p_standing else 'app' end));
    return 'created';
end $$;

-- is_former_token: whether a token that is not valid, or no longer, is still stored.
create or replace function is_former_token(p_digest bytea) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from access_token where digest = p_digest);
end $$;

-- former_tokens: which of these digests, in hexadecimal, belong to stored tokens, valid or not. Looked up in batches
-- when an address is guessing tokens.
create or replace function former_tokens(p_digests text[]) returns text[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return array(
        select encode(digest, 'hex') from access_token
         where digest = any (array(select decode(d, 'hex') from unnest(p_digests) as d)));
end $$;

-- find_developer_keys: every key that could verify a Catalog token, in all organizations and their development
-- environments, unless the organization is to be deleted. Ordered as they are written to. What another cell serves is
-- left out; raises if there is nothing else.
create or replace function find_developer_keys(p_team_id text, p_key_id text)
    returns table (organization_id uuid, public_key text, key_digest bytea, bundle_ids text[],
                   is_development boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select p.organization_id, k.public_key, sha256(convert_to(k.public_key, 'UTF8')),
           array(select b.bundle_id from developer_bundle as b
                  where b.organization_id = k.organization_id and b.team_id = k.team_id
                  order by b.bundle_id),
           p.is_development
      from developer_key as k
     cross join lateral (
           select k.organization_id, false as is_development
           union all
           select d.development_id, true from development_directory as d
            where d.organization_id = k.organization_id and d.turned_on_at is not null) as p
     where k.team_id = p_team_id and k.key_id = p_key_id and not is_ending(k.organization_id)
       and not exists (select from organization_move as m
                        where m.organization_id = k.organization_id and m.state = 'elsewhere')
     order by p.organization_id;
    if not found then
        perform refuse_elsewhere(k.organization_id) from developer_key as k
          where k.team_id = p_team_id and k.key_id = p_key_id;
    end if;
end $$;

grant execute on function
    identify(bytea), is_former_token(bytea), former_tokens(text[]), find_credential(text, bytea),
    sign_in_organization(text),
    record_failed_sign_in(text, text, bytea, text, text),
    start_session(uuid, uuid, text, uuid, text, text, bytea, timestamptz, bytea, timestamptz, text, bytea, bytea,
                  boolean, boolean, text),
    rotate_refresh(bytea, bytea, timestamptz, bytea, timestamptz, text, text, uuid),
    note_first_use(bytea), sign_out(bytea),
    create_organization(uuid, text, text, text, uuid, text, uuid, text, text, text, text, timestamptz),
    create_token(uuid, bytea, text, uuid, text, text, timestamptz),
    find_developer_keys(text, text)
    to school_server;
grant execute on function me() to school_person, school_provisioner, school_exporter;
grant execute on function my_credential(bytea), record_failed_change(bytea), change_password(text, text, bytea)
    to school_person, school_app;
grant execute on function password_policy(uuid), temporary_password_outcome(uuid),
    set_temporary_password(uuid, text, timestamptz)
    to school_directory_manager, school_manager, school_teacher;
