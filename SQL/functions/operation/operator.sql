-- Functions for the operator: what the commands list, revoke and reset. Like those that create organizations and
-- tokens they are for the server only, and no API call reaches them. Development environments are left out.

-- list_organizations: every organization, with how many people may sign in.
create or replace function list_organizations()
    returns table (organization_id uuid, name text, domains text[], time_zone text, people bigint,
                   created_at timestamptz)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select o.organization_id, o.name,
           array(select d.domain from organization_domain as d
                  where d.organization_id = o.organization_id order by d.position, d.domain),
           o.time_zone,
           (select count(*) from person as p
             where p.organization_id = o.organization_id and p.deactivated_at is null),
           o.created_at::timestamptz
      from organization as o
     where not is_development(o.organization_id)
     order by o.created_at, o.organization_id;
end $$;

-- list_tokens: valid tokens of an organization that were not created by a sign-in or a service account. Their id is
-- the beginning of the digest, from which the token cannot be derived.
create or replace function list_tokens(p_organization_id uuid)
    returns table (token_id text, standing text, person_id uuid, app text, environment text,
                   created_at timestamptz, expires_at timestamptz)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select left(encode(t.digest, 'hex'), 16), t.standing, t.person_id, t.app, t.environment,
           t.created_at::timestamptz, t.expires_at::timestamptz
      from access_token as t
     where t.organization_id = p_organization_id and not is_development(p_organization_id)
       and t.session_id is null and t.service_account_id is null
       and t.revoked_at is null and t.expires_at > moment()
     order by t.created_at, t.digest;
end $$;

-- revoke_listed_token: false if list_tokens() has no token with that id.
create or replace function revoke_listed_token(p_organization_id uuid, p_token_id text) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    token access_token;
begin
    update access_token as t set revoked_at = moment()
     where t.organization_id = p_organization_id and t.revoked_at is null
       and exists (select from list_tokens(p_organization_id) as l
                    where l.token_id = p_token_id and l.token_id = left(encode(t.digest, 'hex'), 16))
       and t.session_id is null
    returning * into token;
    if not found then
        return false;
    end if;
    perform pg_notify('school_revocation', encode(token.digest, 'hex'));
    perform write_audit_event(p_organization_id, 'tokenRevoked', 'server', token.person_id, token.app, null,
                              'token', p_token_id, jsonb_build_object('standing', token.standing));
    return true;
end $$;

-- reset_password: sets a temporary password for the person with a managed ID, without further conditions. Returns
-- 'set', 'unknown', 'deactivated' or 'withoutPassword' (none would count).
create or replace function reset_password(
    p_managed_id text, p_record text, p_expires_at timestamptz) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    target person;
begin
    select p.* into target
      from managed_id_directory as m
      join person as p on p.organization_id = m.organization_id and p.person_id = m.person_id
     where m.managed_id = lower(p_managed_id) and not is_development(m.organization_id);
    if target.person_id is null then
        return 'unknown';
    elsif target.deactivated_at is not null then
        return 'deactivated';
    elsif not uses_password(target.organization_id, target.person_id) then
        return 'withoutPassword';
    end if;
    perform write_temporary_passwords(target.organization_id, array[target.person_id],
                                      array[p_record], p_expires_at);
    perform write_audit_event(target.organization_id, 'temporaryPassword', 'server', null, null, null,
                              'person', target.person_id::text, '{"by": "command"}');
    return 'set';
end $$;

grant execute on function
    list_organizations(), list_tokens(uuid), revoke_listed_token(uuid, text),
    reset_password(text, text, timestamptz)
    to school_server;
