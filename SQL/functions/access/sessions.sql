-- Functions of access: sign-ins, from their beginning to their end.

-- browser_idle_seconds (internal): how long a browser stays signed in without being used. On personal devices the
-- organization decides. On shared devices it decides for people who are only students; all others have 12 hours at most.
create or replace function browser_idle_seconds(p_organization_id uuid, p_person_id uuid, p_is_shared boolean)
    returns integer
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    if p_is_shared and array(select distinct role from person_role
                              where organization_id = p_organization_id and person_id = p_person_id) = '{student}' then
        return (select shared_device_idle_minutes * 60 from organization where organization_id = p_organization_id);
    end if;
    return (select least(own_device_idle_hours, case when p_is_shared then 12 end) * 60 * 60
              from organization where organization_id = p_organization_id);
end $$;

-- may_sign_in_from (internal): whether the organization's people may sign in with passwords from that address.
create or replace function may_sign_in_from(p_organization_id uuid, p_address text) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return coalesce(p_address ~ '^127[.][0-9.]+$' or p_address = '::1', false)
        or not exists (select from organization where organization_id = p_organization_id and is_local);
end $$;

-- is_local, set_local: whether people of an organization can sign in from the server's own machine only; for the
-- commands.
create or replace function is_local(p_organization_id uuid) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from organization where organization_id = p_organization_id and is_local);
end $$;
create or replace function set_local(p_organization_id uuid, p_is_local boolean) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update organization set is_local = p_is_local
     where organization_id = p_organization_id and is_local <> p_is_local;
    if found then
        perform write_audit_event(p_organization_id, 'organizationChange', 'server', null, null, null, 'organization',
                                  p_organization_id::text,
                                  jsonb_build_object('change', 'network', 'isLocal', p_is_local));
    end if;
end $$;
grant execute on function is_local(uuid), set_local(uuid, boolean) to school_server;

-- may_app_send_password (internal): whether apps may sign in there with a password; true where no app is involved. Asked
-- before the password is looked at, so that the answer says nothing about it.
create or replace function may_app_send_password(p_organization_id uuid, p_app text, p_environment text)
    returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return p_app is null or p_environment = 'development'
        or coalesce((select allows_passwords_in_apps from organization
                      where organization_id = p_organization_id), false);
end $$;

-- start_session: signs in with the password record that was verified. No row: the person is locked out or deactivated,
-- uses no password here, or the password has been voided or changed since. The statement that starts the session
-- decides this, so that concurrent tries cannot slip past the lock. A lock applies to strangers only, and still applies
-- to them after a known device signs in. After a temporary password, all the token can do is change it. An app does not
-- learn whose token it has.
--
-- A browser gets no refresh token: its access token lasts idle_seconds, and each renewal (renew_session) starts that
-- time again. idle_seconds is null for everything else.
create or replace function start_session(
    p_organization_id uuid, p_person_id uuid, p_password_record text, p_session_id uuid, p_app text,
    p_environment text, p_access_digest bytea, p_access_expires_at timestamptz,
    p_refresh_digest bytea, p_refresh_expires_at timestamptz, p_address text default null,
    p_device_digest bytea default null, p_new_device_digest bytea default null,
    p_is_browser boolean default false, p_is_shared boolean default false, p_user_agent text default null)
    returns table (must_change_password boolean, person json, is_known_device boolean, idle_seconds integer,
                   subject text)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    is_temporary boolean;
    is_known     constant boolean := knows_device(p_organization_id, p_person_id, p_device_digest);
    idle         constant integer :=
        case when p_is_browser then browser_idle_seconds(p_organization_id, p_person_id, p_is_shared) end;
begin
    if not may_app_send_password(p_organization_id, p_app, p_environment)
       or not may_sign_in_from(p_organization_id, p_address)
       or not uses_password(p_organization_id, p_person_id) then
        return;
    end if;
    update credential as c
       set failed_tries = case when c.locked_until > moment() then c.failed_tries else 0 end,
           lock_count   = case when c.locked_until > moment() then c.lock_count else 0 end,
           locked_until = case when c.locked_until > moment() then c.locked_until end,
           last_sign_in_at = moment()
     where c.organization_id = p_organization_id and c.person_id = p_person_id
       and is_same_password(c.password_record, p_password_record)
       and (c.locked_until is null or c.locked_until <= moment() or is_known)
       and (c.expires_at is null or c.expires_at > moment())
       and exists (select from person as p
                    where p.organization_id = p_organization_id and p.person_id = p_person_id
                      and p.deactivated_at is null)
    returning c.is_temporary into is_temporary;
    if not found then
        return;
    end if;
    perform note_first_sign_in(p_organization_id, p_person_id);
    insert into session (organization_id, session_id, person_id, app, environment, kind, idle_seconds, user_agent,
                         address, started_at, last_used_at)
    values (p_organization_id, p_session_id, p_person_id, p_app, p_environment,
            case when p_app is not null then 'app' when idle is not null then 'browser' else 'password' end,
            idle, nullif(p_user_agent, ''), p_address, moment(), moment());
    insert into access_token (organization_id, digest, session_id, person_id, standing, app,
                              environment, must_change_password, expires_at)
    values (p_organization_id, p_access_digest, p_session_id, p_person_id,
            case when p_app is not null then 'app' end, p_app, p_environment, is_temporary,
            coalesce(moment() + make_interval(secs => idle), p_access_expires_at));
    if idle is null then
        insert into refresh_token (organization_id, digest, session_id, expires_at)
        values (p_organization_id, p_refresh_digest, p_session_id, p_refresh_expires_at);
    end if;
    perform remember_device(p_organization_id, p_person_id, p_session_id, p_device_digest,
                            p_new_device_digest);
    perform write_audit_event(p_organization_id, 'signIn', 'server', p_person_id, p_app, p_address,
                              'session', p_session_id::text, '{}');
    return query select is_temporary,
                        case when p_app is null then describe_person(p_organization_id, p_person_id) end,
                        is_known, idle, subject_of(p_organization_id, p_person_id, p_app);
end $$;

-- end_session (internal): revokes what descends from a sign-in, and notifies in the same transaction.
create or replace function end_session(p_organization_id uuid, p_session_id uuid, p_reason text)
    returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update session set ended_at = moment(), end_reason = p_reason
     where organization_id = p_organization_id and session_id = p_session_id and ended_at is null;
    update access_token set revoked_at = moment()
     where organization_id = p_organization_id and session_id = p_session_id and revoked_at is null;
    perform pg_notify('school_revocation', 'session:' || p_session_id);
end $$;

-- renew_session: gives the token of a browser its idle time again, up to 30 days after the sign-in, or to the end of a
-- badge's hours. Returns how many seconds it lives from now on; null if the token belongs to no browser.
create or replace function renew_session(p_digest bytea) returns integer
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    mine    session;
    ends_at timestamptz;
begin
    update session
       set last_used_at = moment(), address = coalesce(nullif(current_setting('school.address', true), ''), address)
     where organization_id = my_organization() and session_id = session_of(p_digest) and kind = 'browser'
    returning * into mine;
    if not found then
        return null;
    end if;
    update access_token
       set expires_at = least(moment() + make_interval(secs => mine.idle_seconds), mine.started_at + interval '30 days',
                              mine.ends_at)
     where organization_id = my_organization() and digest = p_digest and revoked_at is null
    returning expires_at into ends_at;
    return extract(epoch from ends_at - moment());
end $$;
grant execute on function renew_session(bytea) to school_person;

-- sign_out: ends the session of a token, or revokes a token without a session; false if the token was not valid.
create or replace function sign_out(p_digest bytea) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    token access_token;
begin
    update access_token set revoked_at = moment()
     where digest = p_digest and revoked_at is null
    returning * into token;
    if not found then
        return false;
    end if;
    perform pg_notify('school_revocation', encode(token.digest, 'hex'));
    if token.session_id is not null then
        perform end_session(token.organization_id, token.session_id, 'signOut');
    end if;
    perform write_audit_event(token.organization_id, 'signOut', 'server', token.person_id, token.app,
                              null, 'session', token.session_id::text, '{}');
    return true;
end $$;

-- sessions_outcome: whether the caller may see and end a person's sign-ins, which is for administrators, site managers
-- and people managers who may set the person's password: 'unknown', 'forbidden' or 'allowed'.
create or replace function sessions_outcome(p_person_id uuid) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return case when not exists (select from person
                                  where organization_id = my_organization() and person_id = p_person_id) then 'unknown'
                when my_standing() in ('administrator', 'siteManager', 'peopleManager')
                     and may_become('password', p_person_id) then 'allowed'
                else 'forbidden' end;
end $$;
grant execute on function sessions_outcome(uuid)
    to school_administrator, school_site_manager, school_people_manager;

-- sessions_of: a person's sign-ins that have a valid token left, the latest first. For the person, and for whom
-- sessions_outcome() allows it. is_current is the one that the token descends from; one that a badge began sees only
-- itself.
create or replace function sessions_of(p_person_id uuid, p_digest bytea, p_before uuid, p_limit bigint)
    returns table (id uuid, kind text, bundle_id text, connected_system_id uuid, client_name text, user_agent text,
                   address text, started_at timestamptz, last_used_at timestamptz, is_current boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    if p_person_id is distinct from my_person() and sessions_outcome(p_person_id) <> 'allowed' then
        return;
    end if;
    return query
    select s.session_id, s.kind, s.app, s.connected_system_id,
           coalesce((select c.name from connected_system as c
                      where c.organization_id = s.organization_id and c.connected_system_id = s.connected_system_id),
                    client_name(s.organization_id, s.app)),
           s.user_agent, s.address, s.started_at::timestamptz,
           s.last_used_at::timestamptz, s.session_id is not distinct from session_of(p_digest)
      from session as s
     where s.organization_id = my_organization() and s.person_id = p_person_id and s.ended_at is null
       and (p_before is null or s.session_id < p_before)
       and (s.session_id is not distinct from session_of(p_digest) or not is_badge_session(session_of(p_digest)))
       and (exists (select from access_token as t
                     where t.organization_id = s.organization_id and t.session_id = s.session_id
                       and t.revoked_at is null and t.expires_at > moment())
            or exists (select from refresh_token as r
                        where r.organization_id = s.organization_id and r.session_id = s.session_id
                          and r.rotated_at is null and r.expires_at > moment()))
     order by s.session_id desc limit p_limit;
end $$;
grant execute on function sessions_of(uuid, bytea, uuid, bigint) to school_person;

-- end_my_session: ends one of the caller's sign-ins; false if the caller has no such one.
create or replace function end_my_session(p_session_id uuid) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    if p_session_id is distinct from my_session() then
        perform refuse_badge(my_session());
    end if;
    perform from session
      where organization_id = my_organization() and session_id = p_session_id and person_id = my_person()
        and ended_at is null for update;
    if not found then
        return false;
    end if;
    perform end_session(my_organization(), p_session_id, 'signOut');
    perform audit('signOut', 'session', p_session_id::text, '{}');
    return true;
end $$;

-- end_my_other_sessions: ends all of the caller's sign-ins but the one that the token descends from.
create or replace function end_my_other_sessions(p_digest bytea) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    kept   constant uuid := session_of(p_digest);
    others uuid[];
begin
    perform refuse_badge(kept);
    select array_agg(s.session_id order by s.session_id) into others from session as s
     where s.organization_id = my_organization() and s.person_id = my_person() and s.ended_at is null
       and s.session_id is distinct from kept;
    perform end_session(my_organization(), session_id, 'signOut') from unnest(others) as session_id;
    if others is not null then
        perform audit('signOut', 'person', my_person()::text,
                      jsonb_build_object('sessionIds', to_jsonb(others)));
    end if;
end $$;
grant execute on function end_my_session(uuid), end_my_other_sessions(bytea) to school_person;

-- end_session_of: ends one of a person's sign-ins. Returns what sessions_outcome() returns; 'unknown' also if the
-- person has no such one.
create or replace function end_session_of(p_person_id uuid, p_session_id uuid) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    outcome constant text := sessions_outcome(p_person_id);
begin
    if outcome <> 'allowed' then
        return outcome;
    end if;
    perform from session
      where organization_id = my_organization() and session_id = p_session_id and person_id = p_person_id
        and ended_at is null for update;
    if not found then
        return 'unknown';
    end if;
    perform end_session(my_organization(), p_session_id, 'ended');
    perform audit('signOut', 'person', p_person_id::text, jsonb_build_object('sessionId', p_session_id));
    return outcome;
end $$;
grant execute on function end_session_of(uuid, uuid)
    to school_administrator, school_site_manager, school_people_manager;
