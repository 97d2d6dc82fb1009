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

-- revoke_service_token: revokes a token of the service account that sends the secret with this digest; has no effect on
-- the token of another one. False if that is not its secret.
create or replace function revoke_service_token(
    p_client_id uuid, p_secret_digest bytea, p_digest bytea, p_address text) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    token access_token;
begin
    if not is_service_secret(p_client_id, p_secret_digest) then
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
grant execute on function revoke_service_token(uuid, bytea, bytea, text) to school_server;

-- introspect: what a valid access token of the service account's own organization stands for (RFC 7662). No row: the
-- secret is wrong. Null: the token is unknown or not valid. A token of an app names its person by the pseudonym only.
create or replace function introspect(p_client_id uuid, p_secret_digest bytea, p_digest bytea)
    returns table (token json)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    if not is_service_secret(p_client_id, p_secret_digest) then
        return;
    end if;
    return query select (
        select json_strip_nulls(json_build_object(
                   'active', true, 'token_type', 'Bearer',
                   'scope', case when t.app is not null then 'classkit' else array_to_string(i.standings, ' ') end,
                   'client_id', coalesce(t.app, t.service_account_id::text),
                   'sub', coalesce(subject_of(t.organization_id, t.person_id, t.app), t.person_id::text,
                                   t.service_account_id::text),
                   'iat', extract(epoch from t.created_at)::bigint, 'exp', extract(epoch from t.expires_at)::bigint))
          from identify(p_digest) as i
          join access_token as t on t.organization_id = i.organization_id and t.digest = p_digest
          join service_account as a on a.organization_id = t.organization_id and a.service_account_id = p_client_id);
end $$;
grant execute on function introspect(uuid, bytea, bytea) to school_server;
