-- Functions of access: what a token identifies, what a password proves, and who the caller is.

-- identify: what a token identifies. No row: it is unknown, expired, revoked, or its person may not sign in.
-- Standings are the words of person_role.role (for a token for one role, that role while the person holds it), a
-- service's own standing, or 'app' for an app. Of a token that awaits its first use, that has to be noted
-- (note_first_use) before it is trusted. The token of a connected system identifies no caller (userinfo). That of a
-- tool has the tool's id in place of a service account's.
create or replace function identify(p_digest bytea)
    returns table (organization_id uuid, person_id uuid, standings text[], app text,
                   environment text, must_change_password boolean, expires_at timestamptz,
                   session_id uuid, service_account_id uuid, awaits_use boolean, scopes text[])
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    if exists (select from organization_move as m where m.state = 'elsewhere') then
        perform refuse_elsewhere(t.organization_id) from access_token as t where t.digest = p_digest;
    end if;
    return query
    select t.organization_id, t.person_id,
           case when t.standing in ('provisioner', 'exporter', 'rosterReader', 'directoryWriter', 'tool', 'app')
                then array[t.standing]
                else coalesce((select array_agg(distinct r.role order by r.role) from person_role as r
                                where r.organization_id = t.organization_id
                                  and r.person_id = t.person_id
                                  and (t.standing is null or r.role = t.standing)), '{}') end,
           t.app, t.environment, t.must_change_password, t.expires_at::timestamptz, t.session_id,
           coalesce(t.service_account_id, t.tool_id), t.awaits_use, t.scopes
      from access_token as t
     where t.digest = p_digest and t.revoked_at is null and t.expires_at > moment() and t.connected_system_id is null
       and (t.person_id is null or exists (
               select from person as p
                where p.organization_id = t.organization_id and p.person_id = t.person_id
                  and p.deactivated_at is null))
       and (t.session_id is null or exists (
               select from session as s
                where s.organization_id = t.organization_id and s.session_id = t.session_id
                  and s.ended_at is null
                  and (s.badge_id is null or badge_holds(s.organization_id, s.badge_id))));
end $$;

-- find_credential: the password record of a managed ID; no row if the managed ID does not exist or has no password.
-- The caller checks a password in any case, so that every refusal takes the same time. A client that sends the secret of
-- a known device has a shorter wait.
create or replace function find_credential(p_managed_id text, p_device_digest bytea default null)
    returns table (organization_id uuid, person_id uuid, password_record text, is_known_device boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    if exists (select from organization_move as m where m.state = 'elsewhere') then
        -- Unknown ones with a domain of the school are refused like known ones, and as fast.
        perform refuse_elsewhere(d.organization_id)
           from (select organization_id from managed_id_directory where managed_id = lower(p_managed_id) union all
                 select organization_id from domain_directory
                  where domain = split_part(lower(p_managed_id), '@', 2)) as d;
    end if;
    return query
    select p.organization_id, p.person_id, c.password_record,
           knows_device(p.organization_id, p.person_id, p_device_digest)
      from managed_id_directory as d
      join person     as p on p.organization_id = d.organization_id and p.person_id = d.person_id
                          and p.managed_id_key = d.managed_id
      join credential as c on c.organization_id = p.organization_id and c.person_id = p.person_id
     where d.managed_id = lower(p_managed_id);
end $$;

-- sign_in_organization: the organization whose domain is in a managed ID, whether or not that managed ID exists; null if
-- none has the domain. The password is checked when that organization has its turn, so that the wait does not reveal
-- whether the managed ID exists.
create or replace function sign_in_organization(p_managed_id text) returns uuid
    language sql stable security definer
    set search_path = school, pg_temp
begin atomic
    select d.organization_id from domain_directory as d where d.domain = split_part(lower(p_managed_id), '@', 2);
end;

-- record_failed_sign_in: counts the try, against the account or the known device, and writes an event. For an unknown
-- managed ID it writes an event if an organization has its domain. Otherwise it still waits for the disk, so that
-- timing reveals nothing. Where no password counts, for an app, from that address or in a school without passwords, none
-- was guessed, and no try is counted.
create or replace function record_failed_sign_in(p_managed_id text, p_address text default null,
                                                 p_device_digest bytea default null, p_app text default null,
                                                 p_environment text default null)
    returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    known      managed_id_directory;
    tenant     uuid;
    why        text;
    has_locked boolean := false;
begin
    select * into known from managed_id_directory where managed_id = lower(p_managed_id);
    if found then
        tenant := known.organization_id;
        why := case when not may_sign_in_from(tenant, p_address) then 'notLocal'
                    when not may_app_send_password(tenant, p_app, p_environment) then 'passwordInApp'
                    when not uses_password(tenant, known.person_id) then 'withoutPasswords' end;
        if why is not null then
            perform write_audit_event(tenant, 'signInFailure', 'server', known.person_id, p_app, p_address, 'person',
                                      known.person_id::text, jsonb_build_object('locked', false, 'reason', why));
            return;
        elsif knows_device(tenant, known.person_id, p_device_digest) then
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
                   'middleName', p.middle_name, 'familyName', p.family_name,
                   'nameOrder', coalesce(p.name_order, o.name_order), 'email', p.email,
                   'grade', p.grade,
                   'usesPassword', uses_password(p.organization_id, p.person_id),
                   'signInChanges', sign_in_changes(p.organization_id, p.person_id),
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
          join organization as o on o.organization_id = p.organization_id
         where p.organization_id = p_organization_id and p.person_id = p_person_id);
end $$;

-- me: the caller and the caller's organization. A service has no person, and only service
-- accounts have an account. Not for apps.
create or replace function me() returns table (organization json, person json, service_account json)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return query
    select json_build_object('id', o.organization_id, 'name', o.name, 'timeZone', o.time_zone,
                             'withoutPasswords', o.is_without_passwords),
           describe_person(o.organization_id, my_person()),
           (select json_build_object('id', a.service_account_id, 'name', a.name)
              from service_account as a
             where a.organization_id = o.organization_id
               and a.service_account_id = my_service_account())
      from organization as o
     where o.organization_id = my_organization();
end $$;
