-- Functions of access: what clients of OAuth ask about tokens.

-- revoke_app_token: ends the sign-in that an app's access or refresh token descends from (RFC 7009); has no effect on
-- the token of another client.
create or replace function revoke_app_token(p_digest bytea, p_client text, p_address text) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    family session;
    token  access_token;
begin
    perform refuse_token_elsewhere(p_digest);
    select s.* into family from session as s
     where s.app = p_client and s.ended_at is null
       and (s.organization_id, s.session_id) in (
           select t.organization_id, t.session_id from access_token as t where t.digest = p_digest
           union all
           select r.organization_id, r.session_id from refresh_token as r where r.digest = p_digest)
       for update of s;
    if found then
        perform end_session(family.organization_id, family.session_id, 'signOut');
        perform write_audit_event(family.organization_id, 'signOut', 'server', family.person_id, family.app,
                                  p_address, 'session', family.session_id::text, '{}');
        return;
    end if;
    update access_token as t set revoked_at = moment()
     where t.digest = p_digest and t.app = p_client and t.session_id is null and t.revoked_at is null
    returning * into token;
    if found then
        perform pg_notify('school_revocation', encode(token.digest, 'hex'));
        perform write_audit_event(token.organization_id, 'tokenRevoked', 'server', token.person_id, token.app,
                                  p_address, 'token', left(encode(token.digest, 'hex'), 16), '{}');
    end if;
end $$;
grant execute on function revoke_app_token(bytea, text, text) to school_server;

-- revoke_system_token (internal): ends the sign-in that a connected system's access or refresh token descends from.
create or replace function revoke_system_token(p_client_id uuid, p_digest bytea, p_address text) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    family session;
begin
    select s.* into family from session as s
     where s.connected_system_id = p_client_id and s.ended_at is null
       and (s.organization_id, s.session_id) in (
           select t.organization_id, t.session_id from access_token as t where t.digest = p_digest
           union all
           select r.organization_id, r.session_id from refresh_token as r where r.digest = p_digest)
       for update of s;
    if found then
        perform end_session(family.organization_id, family.session_id, 'signOut');
        perform write_audit_event(family.organization_id, 'signOut', 'server', family.person_id, null, p_address,
                                  'connectedSystem', p_client_id::text, '{}');
    end if;
end $$;

-- revoke_client_token: revokes a token of the service account or the connected system that sends the secret with this
-- digest; has no effect on the token of another one. False if that is not its secret.
create or replace function revoke_client_token(
    p_client_id uuid, p_secret_digest bytea, p_digest bytea, p_address text) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    token access_token;
begin
    if is_system_secret(p_client_id, p_secret_digest) then
        perform revoke_system_token(p_client_id, p_digest, p_address);
        return true;
    elsif not is_service_secret(p_client_id, p_secret_digest) then
        return false;
    end if;
    update access_token as t set revoked_at = moment()
     where t.digest = p_digest and t.service_account_id = p_client_id and t.revoked_at is null
    returning * into token;
    if found then
        perform pg_notify('school_revocation', encode(token.digest, 'hex'));
        perform set_config('school.service_account', p_client_id::text, true);
        perform write_audit_event(token.organization_id, 'tokenRevoked', 'server', null, null, p_address, 'token',
                                  left(encode(token.digest, 'hex'), 16), '{}');
    end if;
    return true;
end $$;
grant execute on function revoke_client_token(uuid, bytea, bytea, text) to school_server;

-- describe_system_token (internal): what a valid token of a connected system stands for, to a service account of its
-- organization or to the system itself.
create or replace function describe_system_token(p_digest bytea, p_account_id uuid, p_system_id uuid) returns json
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (
        select json_build_object(
                   'active', true, 'token_type', 'Bearer',
                   'scope', array_to_string(array['openid'] || granted_scopes(s), ' '),
                   'client_id', t.connected_system_id, 'sub', t.person_id,
                   'iat', extract(epoch from t.created_at)::bigint, 'exp', extract(epoch from t.expires_at)::bigint)
          from access_token as t
          join session as s on s.organization_id = t.organization_id and s.session_id = t.session_id
         where t.digest = p_digest and t.revoked_at is null and t.expires_at > moment()
           and (t.connected_system_id = p_system_id or t.connected_system_id is not null and exists (
                   select from service_account as a
                    where a.organization_id = t.organization_id and a.service_account_id = p_account_id))
           and is_still_signed_in(t.organization_id, t.person_id, t.session_id));
end $$;

-- introspect: what a valid access token stands for (RFC 7662): to a service account any of its organization, to a
-- connected system its own. No row: the secret is wrong. Null: the token is unknown or not valid. A token of an app
-- names its person by the pseudonym only.
create or replace function introspect(p_client_id uuid, p_secret_digest bytea, p_digest bytea)
    returns table (token json)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    if is_system_secret(p_client_id, p_secret_digest) then
        return query select describe_system_token(p_digest, null, p_client_id);
        return;
    elsif not is_service_secret(p_client_id, p_secret_digest) then
        return;
    elsif not exists (select from access_token as t
                       where t.digest = p_digest and t.organization_id = organization_of_client(p_client_id)) then
        -- Nor does the account learn of another organization's token that another cell serves that (identify).
        return query select null::json;
        return;
    end if;
    return query select coalesce(describe_system_token(p_digest, p_client_id, null), (
        select json_strip_nulls(json_build_object(
                   'active', true, 'token_type', 'Bearer',
                   'scope', case when t.app is not null then 'classkit' else array_to_string(coalesce(i.scopes, i.standings), ' ') end,
                   'client_id', coalesce(t.app, t.service_account_id::text, t.tool_id::text),
                   'sub', coalesce(subject_of(t.organization_id, t.person_id, t.app), t.person_id::text,
                                   t.service_account_id::text, t.tool_id::text),
                   'iat', extract(epoch from t.created_at)::bigint, 'exp', extract(epoch from t.expires_at)::bigint))
          from identify(p_digest) as i
          join access_token as t on t.organization_id = i.organization_id and t.digest = p_digest
          join service_account as a on a.organization_id = t.organization_id and a.service_account_id = p_client_id));
end $$;
grant execute on function introspect(uuid, bytea, bytea) to school_server;
