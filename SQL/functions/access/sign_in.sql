-- Functions of access: what a token identifies, and signing in and out.

-- identify: what a token identifies. No row: it is unknown, expired, revoked, or its person may not sign in.
-- Standings are the words of person_role.role (for a token for one role, that role while the person holds it), a
-- service's own standing, or 'app' for an app.
create or replace function identify(p_digest bytea)
    returns table (organization_id uuid, person_id uuid, standings text[], app text,
                   environment text, must_change_password boolean, expires_at timestamptz,
                   session_id uuid, service_account_id uuid)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select t.organization_id, t.person_id,
           case when t.standing in ('provisioner', 'exporter', 'app') then array[t.standing]
                else coalesce((select array_agg(distinct r.role order by r.role) from person_role as r
                                where r.organization_id = t.organization_id
                                  and r.person_id = t.person_id
                                  and (t.standing is null or r.role = t.standing)), '{}') end,
           t.app, t.environment, t.must_change_password, t.expires_at::timestamptz, t.session_id,
           t.service_account_id
      from access_token as t
     where t.digest = p_digest and t.revoked_at is null and t.expires_at > now()
       and (t.person_id is null or exists (
               select from person as p
                where p.organization_id = t.organization_id and p.person_id = t.person_id
                  and p.deactivated_at is null))
       and (t.session_id is null or exists (
               select from session as s
                where s.organization_id = t.organization_id and s.session_id = t.session_id
                  and s.ended_at is null));
end $$;

-- find_credential: the password record of a managed ID; no row if the managed ID does not exist or has no password.
-- The caller verifies the password in any case, so that every refusal takes the same time. A client that sends the
-- secret of a known device waits less.
create or replace function find_credential(p_managed_id text, p_device_digest bytea default null)
    returns table (organization_id uuid, person_id uuid, password_record text, is_known_device boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select p.organization_id, p.person_id, c.password_record,
           knows_device(p.organization_id, p.person_id, p_device_digest)
      from managed_id_directory as d
      join person     as p on p.organization_id = d.organization_id and p.person_id = d.person_id
                          and p.managed_id_key = d.managed_id
      join credential as c on c.organization_id = p.organization_id and c.person_id = p.person_id
     where d.managed_id = lower(p_managed_id);
end $$;

-- record_failed_sign_in: counts the try, against the account or the known device, and writes an event. For an unknown
-- managed ID it writes an event if an organization has its domain. Otherwise it still waits for the disk, so that
-- timing reveals nothing.
create or replace function record_failed_sign_in(p_managed_id text, p_address text default null,
                                                 p_device_digest bytea default null)
    returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    known      managed_id_directory;
    tenant     uuid;
    has_locked boolean := false;
begin
    select * into known from managed_id_directory where managed_id = lower(p_managed_id);
    if found then
        tenant := known.organization_id;
        if knows_device(tenant, known.person_id, p_device_digest) then
            perform count_failed_device_try(tenant, known.person_id, p_device_digest);
        else
            has_locked := count_failed_try(tenant, known.person_id);
        end if;
    else
        select organization_id into tenant from domain_directory
         where domain = split_part(lower(p_managed_id), '@', 2);
    end if;
    if tenant is not null then
        perform write_audit_event(tenant, 'signInFailure', 'server', known.person_id, null, p_address,
                                  'person', known.person_id::text,
                                  jsonb_build_object('locked', has_locked));
    else
        perform pg_logical_emit_message(true, 'school', 'signInFailure');
    end if;
end $$;

-- password_policy: the kind of password for a person of the caller's organization. It is 8 (letters and digits), or,
-- for those who are only students, also 6 or 4 digits: the person's own policy, else the location's; with several
-- locations, the longest.
create or replace function password_policy(p_person_id uuid) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return coalesce((
        select coalesce(p.password_policy, (
                   select max(coalesce(l.password_policy, '8'))
                     from person_role as r
                     join location as l on l.organization_id = r.organization_id
                                       and l.location_id = r.location_id
                    where r.organization_id = p.organization_id and r.person_id = p.person_id))
          from person as p
         where p.organization_id = my_organization() and p.person_id = p_person_id
           and array(select distinct r.role from person_role as r
                      where r.organization_id = my_organization()
                        and r.person_id = p_person_id) = '{student}'), '8');
end $$;

-- describe_person (internal): the document about a person that is shown to that person.
create or replace function describe_person(p_organization_id uuid, p_person_id uuid) returns json
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (
        select json_build_object(
                   'id', p.person_id, 'managedId', p.managed_id, 'givenName', p.given_name,
                   'middleName', p.middle_name, 'familyName', p.family_name, 'email', p.email,
                   'grade', p.grade,
                   'passwordResets', password_resets(p.organization_id, p.person_id),
                   'roles', coalesce((
                       select json_agg(json_build_object('role', r.role, 'locationId', l.location_id,
                                                         'locationName', l.name)
                                       order by l.name, l.location_id, r.role)
                         from person_role as r
                         join location as l on l.organization_id = r.organization_id
                                           and l.location_id = r.location_id
                        where r.organization_id = p.organization_id
                          and r.person_id = p.person_id), '[]'))
          from person as p
         where p.organization_id = p_organization_id and p.person_id = p_person_id);
end $$;

-- me: the caller and the caller's organization. A service has no person, and only service
-- accounts have an account. Not for apps.
create or replace function me() returns table (organization json, person json, service_account json)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return query
    select json_build_object('id', o.organization_id, 'name', o.name, 'timeZone', o.time_zone),
           describe_person(o.organization_id, my_person()),
           (select json_build_object('id', a.service_account_id, 'name', a.name)
              from service_account as a
             where a.organization_id = o.organization_id
               and a.service_account_id = my_service_account())
      from organization as o
     where o.organization_id = my_organization();
end $$;

-- start_session: signs in with the password record that was verified. No row: the person is locked out or
-- deactivated, or the password was voided or changed meanwhile. That is decided in the statement that starts the
-- session, so that concurrent tries cannot slip past the lock. A lock applies to strangers only, and continues for
-- them when a known device signs in. With a temporary password the token must change it first. An app does not
-- learn whose token it has.
create or replace function start_session(
    p_organization_id uuid, p_person_id uuid, p_password_record text, p_session_id uuid, p_app text,
    p_environment text, p_access_digest bytea, p_access_expires_at timestamptz,
    p_refresh_digest bytea, p_refresh_expires_at timestamptz, p_address text default null,
    p_device_digest bytea default null, p_new_device_digest bytea default null)
    returns table (must_change_password boolean, person json, is_known_device boolean)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    is_temporary boolean;
    is_known     constant boolean := knows_device(p_organization_id, p_person_id, p_device_digest);
begin
    update credential as c
       set failed_tries = case when c.locked_until > now() then c.failed_tries else 0 end,
           lock_count   = case when c.locked_until > now() then c.lock_count else 0 end,
           locked_until = case when c.locked_until > now() then c.locked_until end
     where c.organization_id = p_organization_id and c.person_id = p_person_id
       and c.password_record = p_password_record
       and (c.locked_until is null or c.locked_until <= now() or is_known)
       and (c.expires_at is null or c.expires_at > now())
       and exists (select from person as p
                    where p.organization_id = p_organization_id and p.person_id = p_person_id
                      and p.deactivated_at is null)
    returning c.is_temporary into is_temporary;
    if not found then
        return;
    end if;
    update person as p set first_sign_in_at = moment()
     where p.organization_id = p_organization_id and p.person_id = p_person_id
       and p.first_sign_in_at is null;
    insert into session (organization_id, session_id, person_id, app, environment)
    values (p_organization_id, p_session_id, p_person_id, p_app, p_environment);
    insert into access_token (organization_id, digest, session_id, person_id, standing, app,
                              environment, must_change_password, expires_at)
    values (p_organization_id, p_access_digest, p_session_id, p_person_id,
            case when p_app is not null then 'app' end, p_app, p_environment, is_temporary,
            p_access_expires_at);
    insert into refresh_token (organization_id, digest, session_id, expires_at)
    values (p_organization_id, p_refresh_digest, p_session_id, p_refresh_expires_at);
    perform remember_device(p_organization_id, p_person_id, p_session_id, p_device_digest,
                            p_new_device_digest);
    perform write_audit_event(p_organization_id, 'signIn', 'server', p_person_id, p_app, p_address,
                              'session', p_session_id::text, '{}');
    return query select is_temporary,
                        case when p_app is null then describe_person(p_organization_id, p_person_id) end,
                        is_known;
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

-- rotate_refresh: a new pair for an unused refresh token. No row if it is not valid. If it was used before, two
-- clients hold it, and its session ends for good.
create or replace function rotate_refresh(
    p_digest bytea, p_access_digest bytea, p_access_expires_at timestamptz,
    p_refresh_digest bytea, p_refresh_expires_at timestamptz, p_address text default null)
    returns table (must_change_password boolean, person json)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    used   refresh_token;
    family session;
    must   boolean;
begin
    select * into used from refresh_token as r where r.digest = p_digest for update;
    if not found then
        return;
    end if;
    select * into strict family from session as s
     where s.organization_id = used.organization_id and s.session_id = used.session_id for update;
    if family.ended_at is not null then
        return;
    elsif used.rotated_at is not null then
        perform end_session(family.organization_id, family.session_id, 'reused');
        perform write_audit_event(family.organization_id, 'tokenRevoked', 'server', family.person_id,
                                  family.app, p_address, 'session', family.session_id::text,
                                  '{"reason": "reused"}');
        return;
    end if;
    select c.is_temporary into must
      from credential as c
      join person as p on p.organization_id = c.organization_id and p.person_id = c.person_id
     where c.organization_id = family.organization_id and c.person_id = family.person_id
       and p.deactivated_at is null and (c.expires_at is null or c.expires_at > now());
    if not found or used.expires_at <= now() then
        return;
    end if;
    update refresh_token as r set rotated_at = moment()
     where r.organization_id = used.organization_id and r.digest = used.digest;
    update access_token as t set revoked_at = moment()
     where t.organization_id = family.organization_id and t.session_id = family.session_id
       and t.revoked_at is null;
    perform pg_notify('school_revocation', 'session:' || family.session_id);
    insert into access_token (organization_id, digest, session_id, person_id, standing, app,
                              environment, must_change_password, expires_at)
    values (family.organization_id, p_access_digest, family.session_id, family.person_id,
            case when family.app is not null then 'app' end, family.app, family.environment, must,
            p_access_expires_at);
    insert into refresh_token (organization_id, digest, session_id, expires_at)
    values (family.organization_id, p_refresh_digest, family.session_id, p_refresh_expires_at);
    return query select must, case when family.app is null then
                        describe_person(family.organization_id, family.person_id) end;
end $$;

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
