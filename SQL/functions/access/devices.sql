-- Functions of access: apps on devices without a browser or a keyboard (RFC 8628). The device shows a short code, and
-- the person types it into a browser, where he or she is signed in.

-- begin_device_code: keeps a request of a device for ten minutes. Returns 'made', 'taken' if another one has the short
-- code, or 'client' if no organization has registered the app.
create or replace function begin_device_code(
    p_digest bytea, p_user_code text, p_app text, p_environment text) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    if not is_registered_app(p_app) then
        return 'client';
    end if;
    delete from device_code where user_code = p_user_code and expires_at <= moment();
    insert into device_code (digest, user_code, app, environment, requested_at, expires_at)
    values (p_digest, p_user_code, p_app, p_environment, moment(), moment() + interval '10 minutes')
    on conflict on constraint device_code_user_code_is_unique do nothing;
    return case when found then 'made' else 'taken' end;
end $$;
grant execute on function begin_device_code(bytea, text, text, text) to school_server;

-- open_device_code: the app that waits under a short code, and since when. No row: none waits, or the caller's
-- organization has not registered it.
create or replace function open_device_code(p_user_code text)
    returns table (app text, name text, requested_at timestamptz)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select d.app, client_name(my_organization(), d.app), d.requested_at::timestamptz
      from device_code as d
     where d.user_code = p_user_code and d.person_id is null and d.expires_at > moment()
       and client_name(my_organization(), d.app) is not null;
end $$;

-- answer_device_code: allows the app that waits under a short code to act for the caller, or refuses it. False if none
-- waits any more.
create or replace function answer_device_code(p_user_code text, p_is_allowed boolean, p_token_digest bytea)
    returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform refuse_badge(session_of(p_token_digest));
    update device_code
       set organization_id = my_organization(), person_id = my_person(), is_allowed = p_is_allowed,
           by_session_id = session_of(p_token_digest)
     where user_code = p_user_code and person_id is null and expires_at > moment()
       and client_name(my_organization(), app) is not null;
    return found;
end $$;
grant execute on function open_device_code(text), answer_device_code(text, boolean, bytea) to school_person;

-- exchange_device_code: what a device gets for its code. The outcome is 'issued', or the word of RFC 8628 section 3.5;
-- 'invalid_grant' for a code that is unknown, another app's or used. A device that asks sooner than its interval has to
-- wait five seconds longer each time.
create or replace function exchange_device_code(
    p_digest bytea, p_app text, p_session_id uuid, p_access_digest bytea, p_access_expires_at timestamptz,
    p_refresh_digest bytea, p_refresh_expires_at timestamptz, p_address text)
    returns table (outcome text, subject text)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    code     device_code;
    is_early boolean;
begin
    perform refuse_token_elsewhere(p_digest);
    select * into code from device_code as d where d.digest = p_digest and d.app = p_app for update;
    if not found or code.used_at is not null then
        return query select 'invalid_grant', null;
        return;
    elsif code.expires_at <= moment() then
        return query select 'expired_token', null;
        return;
    end if;
    is_early := code.person_id is null
                and coalesce(code.asked_at > moment() - make_interval(secs => code.interval_seconds), false);
    update device_code as d
       set asked_at = moment(), interval_seconds = d.interval_seconds + case when is_early then 5 else 0 end
     where d.digest = code.digest;
    if is_early then
        return query select 'slow_down', null;
    elsif code.person_id is null then
        return query select 'authorization_pending', null;
    elsif not code.is_allowed
          or not may_still_allow(code.organization_id, code.person_id, code.by_session_id, code.app) then
        update device_code as d set used_at = moment() where d.digest = code.digest;
        return query select 'access_denied', null;
    else
        update device_code as d set used_at = moment() where d.digest = code.digest;
        return query
        select 'issued', begin_app_session(
                   code.organization_id, code.person_id, p_session_id, code.app, code.environment, p_access_digest,
                   p_access_expires_at, p_refresh_digest, p_refresh_expires_at, p_address);
    end if;
end $$;
grant execute on function exchange_device_code(
    bytea, text, uuid, bytea, timestamptz, bytea, timestamptz, text) to school_server;
