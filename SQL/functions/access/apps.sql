-- Functions of access: what an app's token is called by, and how an app gets one without a password.

-- hmac_sha256 (internal): the authentication code of a message (RFC 2104), for keys of at most 64 bytes.
create or replace function hmac_sha256(p_key bytea, p_message bytea) returns bytea
    language plpgsql immutable
    set search_path = school, pg_temp as $$
declare
    inner_key bytea := p_key || decode(repeat('00', 64 - octet_length(p_key)), 'hex');
    outer_key bytea := inner_key;
begin
    for i in 0 .. 63 loop
        outer_key := set_byte(outer_key, i, get_byte(inner_key, i) # 92);
        inner_key := set_byte(inner_key, i, get_byte(inner_key, i) # 54);
    end loop;
    return sha256(outer_key || sha256(inner_key || p_message));
end $$;

-- subject_of (internal): the pseudonym by which an app knows a person: the same in every answer to that app, another
-- for any other app, and nothing that could be looked up elsewhere. Null for a token that is not an app's.
create or replace function subject_of(p_organization_id uuid, p_person_id uuid, p_app text) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select translate(encode(hmac_sha256(k.key, convert_to(
                       concat_ws('/', p_organization_id, p_person_id, p_app), 'UTF8')), 'base64'), '+/=', '-_')
              from pseudonym_key as k where p_app is not null);
end $$;

-- subject_of_token: the same for the app and the person of a token.
create or replace function subject_of_token(p_digest bytea) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select subject_of(t.organization_id, t.person_id, t.app) from access_token as t
             where t.digest = p_digest);
end $$;
grant execute on function subject_of_token(bytea) to school_server;

-- client_name (internal): what an organization calls an app that it has registered: the name it was bought under, the
-- title that its developer published, or its bundle id. Null: the organization has not registered it.
create or replace function client_name(p_organization_id uuid, p_bundle_id text) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    bought constant text := (
        select a.name from app as a
         where a.organization_id = p_organization_id and a.bundle_id = p_bundle_id
         order by a.created_at, a.adam_id limit 1);
begin
    return coalesce(bought, (
        select coalesce((select c.title from context as c
                          where c.organization_id = b.organization_id and c.bundle_id = b.bundle_id
                            and c.kind = 'catalog' and c.environment = 'production' and c.deleted_at is null
                            and c.identifier_path = '{}'
                          order by c.locale <> 'en-US', c.locale limit 1), b.bundle_id)
          from developer_bundle as b
         where b.organization_id = p_organization_id and b.bundle_id = p_bundle_id));
end $$;

-- is_registered_app (internal): whether any organization has registered an app.
create or replace function is_registered_app(p_bundle_id text) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from developer_bundle where bundle_id = p_bundle_id)
        or exists (select from app where bundle_id = p_bundle_id);
end $$;

-- begin_app_session (internal): an app's sign-in that a person allowed; returns the subject.
create or replace function begin_app_session(
    p_organization_id uuid, p_person_id uuid, p_session_id uuid, p_app text, p_environment text,
    p_access_digest bytea, p_access_expires_at timestamptz, p_refresh_digest bytea,
    p_refresh_expires_at timestamptz, p_address text) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into session (organization_id, session_id, person_id, app, environment, kind, address, started_at,
                         last_used_at)
    values (p_organization_id, p_session_id, p_person_id, p_app, p_environment, 'app', p_address, moment(), moment());
    insert into access_token (organization_id, digest, session_id, person_id, standing, app, environment, expires_at)
    values (p_organization_id, p_access_digest, p_session_id, p_person_id, 'app', p_app, p_environment,
            p_access_expires_at);
    insert into refresh_token (organization_id, digest, session_id, expires_at)
    values (p_organization_id, p_refresh_digest, p_session_id, p_refresh_expires_at);
    perform write_audit_event(p_organization_id, 'signIn', 'server', p_person_id, p_app, p_address, 'session',
                              p_session_id::text, '{}');
    return subject_of(p_organization_id, p_person_id, p_app);
end $$;

-- is_still_signed_in (internal): whether what a person did with a sign-in still holds: the person may sign in, and that
-- sign-in has not ended.
create or replace function is_still_signed_in(p_organization_id uuid, p_person_id uuid, p_session_id uuid)
    returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from person
                    where organization_id = p_organization_id and person_id = p_person_id and deactivated_at is null)
       and (p_session_id is null or exists (
               select from session
                where organization_id = p_organization_id and session_id = p_session_id and ended_at is null));
end $$;

-- may_still_allow (internal): whether what a person allowed an app with a sign-in still holds: the above, and the app
-- is still registered.
create or replace function may_still_allow(
    p_organization_id uuid, p_person_id uuid, p_by_session_id uuid, p_app text) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return is_still_signed_in(p_organization_id, p_person_id, p_by_session_id)
       and client_name(p_organization_id, p_app) is not null;
end $$;

-- authorize: keeps the digest of a code by which an app gets its tokens within a minute (RFC 6749 section 4.1). False
-- if the organization has not registered the app.
create or replace function authorize(
    p_digest bytea, p_app text, p_redirect_uri text, p_challenge text, p_environment text, p_token_digest bytea)
    returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform refuse_badge(session_of(p_token_digest));
    if client_name(my_organization(), p_app) is null then
        return false;
    end if;
    insert into authorization_code (organization_id, digest, person_id, app, environment, redirect_uri, challenge,
                                    by_session_id, expires_at)
    values (my_organization(), p_digest, my_person(), p_app, p_environment, p_redirect_uri, p_challenge,
            session_of(p_token_digest), moment() + interval '60 seconds');
    return true;
end $$;
grant execute on function authorize(bytea, text, text, text, text, bytea) to school_person;

-- exchange_code: the tokens for a code; no row if it is not valid. Sending it uses it up. A second use shows that
-- two have it: what the first one got is revoked (RFC 6749 section 4.1.2).
--
-- p_challenge is the digest of the verifier, as the app sent it before (RFC 7636 section 4.6).
create or replace function exchange_code(
    p_digest bytea, p_app text, p_redirect_uri text, p_challenge text, p_session_id uuid,
    p_access_digest bytea, p_access_expires_at timestamptz, p_refresh_digest bytea,
    p_refresh_expires_at timestamptz, p_address text) returns table (subject text)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    code authorization_code;
begin
    perform refuse_token_elsewhere(p_digest);
    select * into code from authorization_code as c where c.digest = p_digest for update;
    if not found then
        perform pg_logical_emit_message(true, 'school', 'signInFailure');
        return;
    elsif code.used_at is not null then
        if code.session_id is not null then
            perform end_session(code.organization_id, code.session_id, 'reused');
            perform write_audit_event(code.organization_id, 'tokenRevoked', 'server', code.person_id, code.app,
                                      p_address, 'session', code.session_id::text, '{"reason": "reused"}');
        end if;
        return;
    end if;
    if code.expires_at <= moment() or code.app is distinct from p_app or code.redirect_uri <> p_redirect_uri
       or code.challenge <> p_challenge
       or not may_still_allow(code.organization_id, code.person_id, code.by_session_id, code.app) then
        update authorization_code as c set used_at = moment()
         where c.organization_id = code.organization_id and c.digest = code.digest;
        perform write_audit_event(code.organization_id, 'signInFailure', 'server', code.person_id, code.app,
                                  p_address, 'person', code.person_id::text, '{}');
        return;
    end if;
    update authorization_code as c set used_at = moment(), session_id = p_session_id
     where c.organization_id = code.organization_id and c.digest = code.digest;
    return query
    select begin_app_session(code.organization_id, code.person_id, p_session_id, code.app, code.environment,
                             p_access_digest, p_access_expires_at, p_refresh_digest, p_refresh_expires_at, p_address);
end $$;
grant execute on function exchange_code(
    bytea, text, text, text, uuid, bytea, timestamptz, bytea, timestamptz, text) to school_server;
