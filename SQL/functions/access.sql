-- Functions of access: who is calling, and everything that a sign-in needs.
--
-- Applied first of all functions, after every policy was dropped; so it drops all triggers and
-- functions, and one that was removed or has another signature by now leaves nothing behind. No table
-- may lean on a function: the drop would be refused. The functions of a sign-in run before anybody is
-- known and are executed by school_server itself.

set local role school_owner;
set local search_path = school, pg_temp;

do $$
declare
    dropping record;
    doomed   text;
begin
    for dropping in
        select t.tgname, t.tgrelid::regclass as of from pg_trigger as t
          join pg_class as c on c.oid = t.tgrelid
         where c.relnamespace = 'school'::regnamespace and not t.tgisinternal and t.tgparentid = 0 loop
        execute format('drop trigger %I on %s', dropping.tgname, dropping.of);
    end loop;
    select string_agg(p.oid::regprocedure::text, ', ') into doomed
      from pg_proc as p
     where p.pronamespace = 'school'::regnamespace;
    if doomed is not null then
        execute 'drop routine ' || doomed;
    end if;
end $$;

-- Who is calling: set for one transaction before the statement; without them no row is visible.

create or replace function my_organization() returns uuid language sql stable parallel safe
    return nullif(current_setting('school.organization', true), '')::uuid;

create or replace function my_person() returns uuid language sql stable parallel safe
    return nullif(current_setting('school.person', true), '')::uuid;

create or replace function my_app() returns text language sql stable parallel safe
    return nullif(current_setting('school.app', true), '');

create or replace function my_environment() returns text language sql stable parallel safe
    return nullif(current_setting('school.environment', true), '');

create or replace function my_team() returns text language sql stable parallel safe
    return nullif(current_setting('school.team', true), '');

-- my_standing: the role of the request in the word that person_role has for it, also inside definer
-- functions.
create or replace function my_standing() returns text language sql stable parallel safe
    return case current_setting('role', true)
        when 'school_site_manager'    then 'siteManager'
        when 'school_people_manager'  then 'peopleManager'
        when 'school_content_manager' then 'contentManager'
        else replace(nullif(current_setting('role', true), 'none'), 'school_', '') end;

-- moment: now, cut to the milliseconds that columns hold, so that it is never in the future.
create or replace function moment() returns timestamptz language sql stable parallel safe
    return date_trunc('milliseconds', now());

-- new_id: a UUID of version 7, for rows that no caller names.
create or replace function new_id() returns uuid language sql volatile parallel safe
    return encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6), 52, 1), 53, 1), 'hex')::uuid;

grant execute on function my_organization(), my_person(), my_app(), my_environment(), my_team(),
    my_standing(), moment(), new_id() to school_standing, school_server;

-- bump_version: a row that is fetched alone counts its changes, for ETags.
create or replace function bump_version() returns trigger language plpgsql
    set search_path = school, pg_temp as $$
begin
    new.version := old.version + 1;
    new.updated_at := moment();
    return new;
end $$;

-- touch: a row that is never fetched alone still says when it changed.
create or replace function touch() returns trigger language plpgsql
    set search_path = school, pg_temp as $$
begin
    new.updated_at := moment();
    return new;
end $$;

-- bump_parent(table, key): a change of children is a change of their parent. Once per transaction,
-- and not for a parent that this transaction changed itself, so that the version which a statement
-- returned still stands when it ends.
create or replace function bump_parent() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    execute format('update %1$I as parent set updated_at = moment()
        from (select distinct organization_id as of, %2$I as key from changed) as child
       where parent.organization_id = child.of and parent.%2$I = child.key
         and parent.xmin <> pg_current_xact_id()::xid', tg_argv[0], tg_argv[1]);
    return null;
end $$;

create or replace trigger bump_version before update on organization
    for each row execute function bump_version();
create or replace trigger touch before update on credential
    for each row execute function touch();

-- schema_digest: what was applied last; null: nothing yet.
create or replace function schema_digest() returns bytea language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select sha256 from applied_schema);
end $$;
grant execute on function schema_digest() to school_server, school_exporter_login;

-- identify: what a token stands for. No row: unknown, expired, revoked, or of somebody who may not
-- sign in. Standings are the words of person_role.role (of a token for one role that one, while the
-- person holds it), of a service its own, of an app 'app'.
create or replace function identify(p_digest bytea)
    returns table (organization_id uuid, person_id uuid, standings text[], app text,
                   environment text, must_change_password boolean, expires_at timestamptz,
                   session_id uuid)
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
           t.app, t.environment, t.must_change_password, t.expires_at::timestamptz, t.session_id
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

-- find_credential: the record of a managed ID's password; no row: nobody has it, or no password.
-- The caller compares the password whatever else is known, so that every refusal takes the same time.
create or replace function find_credential(p_managed_id text)
    returns table (organization_id uuid, person_id uuid, password_record text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select p.organization_id, p.person_id, c.password_record
      from managed_id_directory as d
      join person     as p on p.organization_id = d.organization_id and p.person_id = d.person_id
                          and p.managed_id_key = d.managed_id
      join credential as c on c.organization_id = p.organization_id and c.person_id = p.person_id
     where d.managed_id = lower(p_managed_id);
end $$;

-- count_failed_try (internal): ten wrong tries lock for fifteen minutes; the lock ends by itself, and
-- tries during it do not make it longer. True: this try locked.
create or replace function count_failed_try(p_organization_id uuid, p_person_id uuid) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    has_locked boolean;
begin
    update credential as c
       set failed_tries = (c.failed_tries + 1) % 10,
           locked_until = case when c.failed_tries + 1 >= 10 then now() + interval '15 minutes' end
     where c.organization_id = p_organization_id and c.person_id = p_person_id
       and (c.locked_until is null or c.locked_until <= now())
    returning c.locked_until is not null into has_locked;
    return coalesce(has_locked, false);
end $$;

-- record_failed_sign_in: counts the try and leaves an event; of a managed ID that nobody has, an event
-- where its domain is somebody's. Of any other it waits for the disk all the same, so that the time
-- does not tell.
create or replace function record_failed_sign_in(p_managed_id text, p_address text default null)
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
        has_locked := count_failed_try(tenant, known.person_id);
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

-- password_policy: what the passwords of a person of the own organization are like: 8 (letters and
-- digits), and for those who are students only also 6 or 4 digits.
create or replace function password_policy(p_person_id uuid) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return coalesce((
        select p.password_policy from person as p
         where p.organization_id = my_organization() and p.person_id = p_person_id
           and array(select distinct r.role from person_role as r
                      where r.organization_id = my_organization()
                        and r.person_id = p_person_id) = '{student}'), '8');
end $$;

-- describe_person (internal): a person as he or she is told who that is.
create or replace function describe_person(p_organization_id uuid, p_person_id uuid) returns json
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (
        select json_build_object(
                   'id', p.person_id, 'managedId', p.managed_id, 'givenName', p.given_name,
                   'middleName', p.middle_name, 'familyName', p.family_name, 'email', p.email,
                   'grade', p.grade,
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

-- me: the caller and its organization; no person for a service account. Not for apps.
create or replace function me() returns table (organization json, person json)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return query
    select json_build_object('id', o.organization_id, 'name', o.name),
           describe_person(o.organization_id, my_person())
      from organization as o
     where o.organization_id = my_organization();
end $$;

-- start_session: a sign-in whose password was found to be that of the record. No row: the person is
-- locked or deactivated, or the password is void or was changed meanwhile; decided here, in the
-- statement that begins the session, so that tries at the same time cannot slip past the lock. The
-- token must change the password first where it is temporary. An app is not told whose token it has.
create or replace function start_session(
    p_organization_id uuid, p_person_id uuid, p_password_record text, p_session_id uuid, p_app text,
    p_environment text, p_access_digest bytea, p_access_expires_at timestamptz,
    p_refresh_digest bytea, p_refresh_expires_at timestamptz, p_address text default null)
    returns table (must_change_password boolean, person json)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    is_temporary boolean;
begin
    update credential as c set failed_tries = 0, locked_until = null
     where c.organization_id = p_organization_id and c.person_id = p_person_id
       and c.password_record = p_password_record
       and (c.locked_until is null or c.locked_until <= now())
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
    perform write_audit_event(p_organization_id, 'signIn', 'server', p_person_id, p_app, p_address,
                              'session', p_session_id::text, '{}');
    return query select is_temporary,
                        case when p_app is null then describe_person(p_organization_id, p_person_id) end;
end $$;

-- end_session (internal): revokes what descends from a sign-in and says so in the same transaction.
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

-- rotate_refresh: a new pair for an unused refresh token. No row: it is not valid. A used one is held by
-- two, and ends its session for good.
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

-- sign_out: ends the session of a token, or revokes a token that has none; false: it was none.
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

-- my_credential: the caller's own, to compare the present password before it changes.
create or replace function my_credential()
    returns table (password_record text, password_policy text, is_locked boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select c.password_record, school.password_policy(c.person_id),
           coalesce(c.locked_until > now(), false)
      from credential as c
     where c.organization_id = my_organization() and c.person_id = my_person()
       and (my_standing() <> 'app' or c.is_temporary);
end $$;

-- record_failed_change: a wrong present password counts like a wrong sign-in.
create or replace function record_failed_change() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform audit('signInFailure', 'person', my_person()::text, jsonb_build_object(
        'change', true, 'locked', count_failed_try(my_organization(), my_person())));
end $$;

-- change_password: the caller's own, from the record that was compared; false: it changed or was locked
-- meanwhile. Ends every other session; the tokens of this one are free from now on. An app's token
-- changes a temporary password only.
create or replace function change_password(p_old_record text, p_new_record text, p_digest bytea)
    returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    kept uuid := (select t.session_id from access_token as t
                   where t.organization_id = my_organization() and t.digest = p_digest
                     and t.person_id = my_person());
begin
    update credential
       set password_record = p_new_record, is_temporary = false, expires_at = null,
           failed_tries = 0, locked_until = null
     where organization_id = my_organization() and person_id = my_person()
       and password_record = p_old_record and (locked_until is null or locked_until <= now())
       and (my_standing() <> 'app' or is_temporary);
    if not found then
        return false;
    end if;
    perform end_session(s.organization_id, s.session_id, 'passwordChange')
       from session as s
      where s.organization_id = my_organization() and s.person_id = my_person()
        and s.ended_at is null and s.session_id is distinct from kept;
    update access_token set must_change_password = false
     where organization_id = my_organization() and person_id = my_person()
       and session_id = kept and must_change_password;
    perform pg_notify('school_revocation', 'person:' || my_organization() || '/' || my_person());
    perform audit('passwordChange', 'person', my_person()::text, '{}');
    return true;
end $$;

-- may_reset_password: whose temporary password the caller may set: that of people all of whose roles
-- it may give. Not for managers and teachers, unlike Apple's: whoever knows a student's password
-- signs in as the student and sees everything.
create or replace function may_reset_password(p_person_id uuid) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return not exists (
        select from person_role
         where organization_id = my_organization() and person_id = p_person_id
           and not may_give_role(role));
end $$;

-- set_temporary_password: says 'unknown', 'forbidden', 'deactivated' or 'set'. Whoever is signed in
-- as that person is not any more.
create or replace function set_temporary_password(p_person_id uuid, p_record text,
                                                  p_expires_at timestamptz) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    target person;
begin
    select * into target from person
     where organization_id = my_organization() and person_id = p_person_id;
    if not found then
        return 'unknown';
    elsif not may_reset_password(p_person_id) then
        return 'forbidden';
    elsif target.deactivated_at is not null then
        return 'deactivated';
    end if;
    insert into credential (organization_id, person_id, password_record, is_temporary, expires_at)
    values (my_organization(), p_person_id, p_record, true, p_expires_at)
    on conflict on constraint credential_pkey do update
       set password_record = excluded.password_record, is_temporary = true,
           expires_at = excluded.expires_at, failed_tries = 0, locked_until = null;
    perform end_sessions_of(my_organization(), array[p_person_id], 'temporaryPassword');
    perform audit('temporaryPassword', 'person', p_person_id::text, '{}');
    return 'set';
end $$;

-- end_sessions_of (internal): everything these people are signed in with.
create or replace function end_sessions_of(p_organization_id uuid, p_person_ids uuid[], p_reason text)
    returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update session set ended_at = moment(), end_reason = p_reason
     where organization_id = p_organization_id and person_id = any (p_person_ids)
       and ended_at is null;
    update access_token set revoked_at = moment()
     where organization_id = p_organization_id and person_id = any (p_person_ids)
       and revoked_at is null;
    perform pg_notify('school_revocation', 'person:' || p_organization_id || '/' || person_id)
       from unnest(p_person_ids) as person_id;
end $$;

-- create_organization: a tenant with its first location and administrator; for the command.
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
    insert into person (organization_id, person_id, given_name, family_name, managed_id)
    values (p_organization_id, p_administrator_id, p_given_name, p_family_name, p_managed_id);
    insert into person_role (organization_id, person_id, location_id, role)
    values (p_organization_id, p_administrator_id, p_location_id, 'administrator');
    insert into credential (organization_id, person_id, password_record, is_temporary, expires_at)
    values (p_organization_id, p_administrator_id, p_password_record, true, p_password_expires_at);
    perform write_audit_event(p_organization_id, 'organizationChange', 'server', null, null, null,
                              'organization', p_organization_id::text, '{"change": "created"}');
end $$;

-- create_token: a token without a sign-in; for the command. p_standing is 'provisioner' or 'exporter', or
-- with a person one of the roles that he or she holds; with an app the token is the app's. Says
-- 'created', 'unknownOrganization', 'unknownPerson' or 'notHeld'.
create or replace function create_token(
    p_organization_id uuid, p_digest bytea, p_standing text, p_person_id uuid, p_app text,
    p_environment text, p_expires_at timestamptz) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    if not exists (select from organization where organization_id = p_organization_id) then
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
                              'token', null, jsonb_build_object(
                                  'standing', case when p_app is null then p_standing else 'app' end));
    return 'created';
end $$;

-- find_developer_keys: every key that could verify a Catalog token, over all organizations.
create or replace function find_developer_keys(p_team_id text, p_key_id text)
    returns table (organization_id uuid, public_key text, bundle_ids text[])
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select k.organization_id, k.public_key,
           array(select b.bundle_id from developer_bundle as b
                  where b.organization_id = k.organization_id and b.team_id = k.team_id
                  order by b.bundle_id)
      from developer_key as k
     where k.team_id = p_team_id and k.key_id = p_key_id
     order by k.organization_id;
end $$;

grant execute on function
    identify(bytea), find_credential(text), record_failed_sign_in(text, text),
    start_session(uuid, uuid, text, uuid, text, text, bytea, timestamptz, bytea, timestamptz, text),
    rotate_refresh(bytea, bytea, timestamptz, bytea, timestamptz, text), sign_out(bytea),
    create_organization(uuid, text, text, text, uuid, text, uuid, text, text, text, text, timestamptz),
    create_token(uuid, bytea, text, uuid, text, text, timestamptz),
    find_developer_keys(text, text)
    to school_server;
grant execute on function me() to school_person, school_provisioner, school_exporter;
grant execute on function my_credential(), record_failed_change(), change_password(text, text, bytea)
    to school_person, school_app;
grant execute on function password_policy(uuid), set_temporary_password(uuid, text, timestamptz)
    to school_directory_manager;
