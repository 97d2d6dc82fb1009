-- Functions of the tokens of connected systems.

-- is_system_secret (internal): whether a connected system's secret has this digest.
create or replace function is_system_secret(p_client_id uuid, p_secret_digest bytea) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from connected_system
                    where organization_id = organization_of_client(p_client_id) and connected_system_id = p_client_id
                      and secret_digest = p_secret_digest and removed_at is null);
end $$;

-- note_wrong_system_secret (internal): writes an event of the system, or waits for the disk all the same, so that
-- timing reveals nothing.
create or replace function note_wrong_system_secret(p_client_id uuid, p_address text) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    tenant constant uuid := (
        select organization_id from connected_system
         where organization_id = organization_of_client(p_client_id) and connected_system_id = p_client_id);
begin
    if tenant is null then
        perform pg_logical_emit_message(true, 'school', 'signInFailure');
    else
        perform write_audit_event(tenant, 'signInFailure', 'server', null, null, p_address, 'connectedSystem',
                                  p_client_id::text, '{}');
    end if;
end $$;

-- begin_system_session (internal): a sign-in that a connected system holds.
create or replace function begin_system_session(
    p_code authorization_code, p_session_id uuid, p_access_digest bytea, p_access_expires_at timestamptz,
    p_refresh_digest bytea, p_refresh_expires_at timestamptz, p_address text) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into session (organization_id, session_id, person_id, connected_system_id, scopes, authenticated_at, kind,
                         by_session_id, address, started_at, last_used_at)
    values (p_code.organization_id, p_session_id, p_code.person_id, p_code.connected_system_id, p_code.scopes,
            p_code.authenticated_at, 'system', p_code.by_session_id, p_address, moment(), moment());
    insert into access_token (organization_id, digest, session_id, person_id, standing, connected_system_id,
                              expires_at)
    values (p_code.organization_id, p_access_digest, p_session_id, p_code.person_id, 'system',
            p_code.connected_system_id, p_access_expires_at);
    insert into refresh_token (organization_id, digest, session_id, expires_at)
    values (p_code.organization_id, p_refresh_digest, p_session_id, p_refresh_expires_at);
    perform write_audit_event(p_code.organization_id, 'signIn', 'server', p_code.person_id, null, p_address,
                              'connectedSystem', p_code.connected_system_id::text, '{}');
end $$;

-- take_system_code (internal): uses up a code that a system sent with its secret; null if it is not valid. A second use
-- shows that two have it: what the first one got is revoked.
create or replace function take_system_code(
    p_system connected_system, p_digest bytea, p_redirect_uri text, p_challenge text, p_session_id uuid,
    p_address text) returns authorization_code
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    code authorization_code;
begin
    select * into code from authorization_code as c
     where c.organization_id = p_system.organization_id and c.digest = p_digest for update;
    if not found then
        perform pg_logical_emit_message(true, 'school', 'signInFailure');
        return null;
    elsif code.used_at is not null then
        if code.session_id is not null and code.connected_system_id = p_system.connected_system_id then
            perform end_session(code.organization_id, code.session_id, 'reused');
            perform write_audit_event(code.organization_id, 'tokenRevoked', 'server', code.person_id, null, p_address,
                                      'session', code.session_id::text, '{"reason": "reused"}');
        end if;
        return null;
    end if;
    if code.expires_at <= moment() or code.connected_system_id is distinct from p_system.connected_system_id
       or code.redirect_uri <> p_redirect_uri or code.challenge is distinct from p_challenge
       or not is_still_signed_in(code.organization_id, code.person_id, code.by_session_id) then
        update authorization_code as c set used_at = moment()
         where c.organization_id = code.organization_id and c.digest = code.digest;
        perform write_audit_event(code.organization_id, 'signInFailure', 'server', code.person_id, null, p_address,
                                  'person', code.person_id::text, '{}');
        return null;
    end if;
    update authorization_code as c set used_at = moment(), session_id = p_session_id
     where c.organization_id = code.organization_id and c.digest = code.digest;
    return code;
end $$;

-- exchange_system_code: the tokens for a code that a connected system sends with its secret. The outcome is 'issued',
-- 'client' (unknown, removed, or wrong secret) or 'grant' (the code).
--
-- p_challenge is the digest of the verifier, as the system sent it before (RFC 7636 section 4.6); null without one. A
-- verifier for a code without a challenge is refused (RFC 9700 section 2.1.1): the challenge was taken out on its way.
create or replace function exchange_system_code(
    p_client_id uuid, p_secret_digest bytea, p_digest bytea, p_redirect_uri text, p_challenge text, p_session_id uuid,
    p_access_digest bytea, p_access_expires_at timestamptz, p_refresh_digest bytea,
    p_refresh_expires_at timestamptz, p_address text)
    returns table (outcome text, subject text, scopes text[], nonce text, authenticated_at timestamptz, claims jsonb)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    system connected_system;
    code   authorization_code;
begin
    select * into system from connected_system as c
     where c.organization_id = organization_of_client(p_client_id) and c.connected_system_id = p_client_id
       and c.secret_digest = p_secret_digest and c.removed_at is null
       for share;
    if not found then
        perform note_wrong_system_secret(p_client_id, p_address);
        return query select 'client', null, null::text[], null, null::timestamptz, null::jsonb;
        return;
    end if;
    code := take_system_code(system, p_digest, p_redirect_uri, p_challenge, p_session_id, p_address);
    if code.digest is null then
        return query select 'grant', null, null::text[], null, null::timestamptz, null::jsonb;
        return;
    end if;
    perform begin_system_session(code, p_session_id, p_access_digest, p_access_expires_at, p_refresh_digest,
                                 p_refresh_expires_at, p_address);
    return query
    select 'issued', code.person_id::text, code.scopes, code.nonce, code.authenticated_at::timestamptz,
           person_claims(code.organization_id, code.person_id, code.scopes)
           || jsonb_build_object('sid', p_session_id);
end $$;

-- refresh_system_token: the next tokens for a refresh token that a connected system sends with its secret. Outcomes
-- are those of exchange_system_code().
create or replace function refresh_system_token(
    p_client_id uuid, p_secret_digest bytea, p_digest bytea, p_access_digest bytea, p_access_expires_at timestamptz,
    p_refresh_digest bytea, p_refresh_expires_at timestamptz, p_address text)
    returns table (outcome text, subject text, scopes text[], authenticated_at timestamptz, claims jsonb)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    if not is_system_secret(p_client_id, p_secret_digest) then
        perform note_wrong_system_secret(p_client_id, p_address);
        return query select 'client', null, null::text[], null::timestamptz, null::jsonb;
        return;
    end if;
    perform from rotate_refresh(p_digest, p_access_digest, p_access_expires_at, p_refresh_digest,
                                p_refresh_expires_at, p_address, null, p_client_id);
    if not found then
        return query select 'grant', null, null::text[], null::timestamptz, null::jsonb;
        return;
    end if;
    return query
    select 'issued', s.person_id::text, g.scopes, s.authenticated_at::timestamptz,
           person_claims(s.organization_id, s.person_id, g.scopes) || jsonb_build_object('sid', s.session_id)
      from access_token as t
      join session as s on s.organization_id = t.organization_id and s.session_id = t.session_id
     cross join lateral (select granted_scopes(s)) as g (scopes)
     where t.digest = p_access_digest;
end $$;

-- granted_scopes (internal): what a system sees now: what the person allowed, and the system may still ask for.
create or replace function granted_scopes(p_session session) returns text[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return array(select unnest(p_session.scopes)
                 intersect
                 select unnest(c.scopes) from connected_system as c
                  where c.organization_id = p_session.organization_id
                    and c.connected_system_id = p_session.connected_system_id
                  order by 1);
end $$;

-- userinfo: what the token of a connected system may see of its person. The outcome is 'valid', 'invalid', or 'scope'
-- for a valid token of someone else.
create or replace function userinfo(p_digest bytea) returns table (outcome text, claims jsonb)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    token  access_token;
    holder session;
begin
    perform refuse_token_elsewhere(p_digest);
    select * into token from access_token as t
     where t.digest = p_digest and t.connected_system_id is not null and t.revoked_at is null
       and t.expires_at > moment();
    if not found then
        return query
        select case when exists (select from identify(p_digest)) then 'scope' else 'invalid' end, null::jsonb;
        return;
    end if;
    select s.* into holder from session as s
      join person as p on p.organization_id = s.organization_id and p.person_id = s.person_id
     where s.organization_id = token.organization_id and s.session_id = token.session_id
       and s.ended_at is null and p.deactivated_at is null;
    if not found or token.awaits_use and not note_first_use(p_digest) then
        return query select 'invalid', null::jsonb;
        return;
    end if;
    return query
    select 'valid', jsonb_build_object('sub', holder.person_id)
                    || person_claims(holder.organization_id, holder.person_id, granted_scopes(holder));
end $$;
grant execute on function
    exchange_system_code(uuid, bytea, bytea, text, text, uuid, bytea, timestamptz, bytea, timestamptz, text),
    refresh_system_token(uuid, bytea, bytea, bytea, timestamptz, bytea, timestamptz, text), userinfo(bytea)
    to school_server;
