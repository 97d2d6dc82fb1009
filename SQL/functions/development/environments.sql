-- Functions of the development environment: an organization of made-up people, in which app developers try out what
-- teachers and students do. It holds the development contexts of the organization's developer teams.
--
-- For administrators, and for developers of a team that the organization registered. What they do is recorded in the
-- audit trail of their organization; what the made-up people do, in that of the environment. Apart from that, no
-- function reveals anything of one organization to the other.

-- is_development (internal): whether an organization is a development environment, on or off.
create or replace function is_development(p_organization_id uuid) returns boolean
    language sql stable
    set search_path = school, pg_temp
    return exists (select from development_directory where development_id = p_organization_id);

-- check_developing (internal): refuses a caller who may not use the development environment of the caller's
-- organization. An environment has no environment itself.
create or replace function check_developing() returns void
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    if my_organization() is null or is_development(my_organization())
       or my_standing() is distinct from 'administrator' and not (
              my_standing() is not distinct from 'developer' and exists (
                  select from developer_team
                   where organization_id = my_organization() and team_id = my_team())) then
        raise exception 'the development environment is for administrators and developers'
            using errcode = 'insufficient_privilege';
    end if;
end $$;

-- my_development (internal): the environment of the caller's organization; null if it is off.
create or replace function my_development() returns uuid
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    perform check_developing();
    return (select development_id from development_directory
             where organization_id = my_organization() and turned_on_at is not null);
end $$;

-- lock_development (internal): the same; until the transaction ends no one else can turn it on or off or reset it.
create or replace function lock_development(p_organization_id uuid) returns uuid
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    found_id uuid;
begin
    perform check_developing();
    select development_id into found_id from development_directory
     where organization_id = p_organization_id and turned_on_at is not null for update;
    return found_id;
end $$;

-- audit_development (internal): records that the environment was turned on or off or reset, or that a token for it
-- was created.
create or replace function audit_development(p_change text, p_details jsonb default '{}') returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform audit('developmentChange', 'organization', my_organization()::text,
                  jsonb_build_object('change', p_change)
                      || jsonb_strip_nulls(jsonb_build_object('teamId', my_team())) || p_details);
end $$;

-- follow_teams: makes teams and bundle ids of the environment match those of the caller's organization, in the
-- transaction that changes them, and copies the development contexts that the environment lacks. Keys are not copied:
-- those of the organization are valid there (find_developer_keys). Does nothing if the environment is off.
create or replace function follow_teams() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform check_developing();
    perform follow_teams_of(my_organization());
end $$;

-- follow_teams_of (internal): the same for any organization.
create or replace function follow_teams_of(p_organization_id uuid) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    development constant uuid := (select d.development_id from development_directory as d
                                   where d.organization_id = p_organization_id and d.turned_on_at is not null);
begin
    if development is null then
        return;
    end if;
    delete from developer_bundle as b
     where b.organization_id = development and not exists (
           select from developer_bundle as o
            where o.organization_id = p_organization_id and o.team_id = b.team_id and o.bundle_id = b.bundle_id);
    delete from developer_team as t
     where t.organization_id = development and not exists (
           select from developer_team as o
            where o.organization_id = p_organization_id and o.team_id = t.team_id);
    insert into developer_team (organization_id, team_id, name)
    select development, o.team_id, o.name from developer_team as o where o.organization_id = p_organization_id
        on conflict on constraint developer_team_pkey do nothing;
    insert into developer_bundle (organization_id, team_id, bundle_id)
    select development, o.team_id, o.bundle_id from developer_bundle as o
     where o.organization_id = p_organization_id
        on conflict on constraint developer_bundle_pkey do nothing;
    perform copy_contexts(p_organization_id, development, 'development', array(
        select bundle_id from developer_bundle where organization_id = p_organization_id));
end $$;

-- turn_on_development: creates the environment of the caller's organization, or makes an existing one match its
-- teams. True if it was off. Of several concurrent calls one creates it.
create or replace function turn_on_development() returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    made  uuid := new_id();
    entry development_directory;
begin
    perform check_developing();
    -- Waits for concurrent publishing, so that the copy is complete.
    perform from developer_bundle where organization_id = my_organization()
      order by team_id, bundle_id for no key update;
    select * into entry from development_directory where organization_id = my_organization() for update;
    if not found then
        insert into organization (organization_id, name, time_zone, is_student_progress_enabled)
        select made, left(o.name, 240) || ' (development)', o.time_zone, true
          from organization as o where o.organization_id = my_organization();
        insert into development_directory (organization_id, development_id, turned_on_at)
        values (my_organization(), made, null)
            on conflict on constraint development_directory_pkey do nothing;
        if not found then
            delete from organization where organization_id = made;
        end if;
        select * into strict entry from development_directory
         where organization_id = my_organization() for update;
    end if;
    if entry.turned_on_at is null then
        perform make_up_people(entry.development_id);
        update development_directory set turned_on_at = moment() where organization_id = my_organization();
        perform audit_development('turnedOn');
    end if;
    perform follow_teams();
    return entry.turned_on_at is null;
end $$;

-- turn_off_development: removes everything in the environment but its name and its audit trail; its tokens become
-- void. False if it was off.
create or replace function turn_off_development() returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    development constant uuid := lock_development(my_organization());
begin
    if development is null then
        return false;
    end if;
    perform pg_notify('school_revocation', 'person:' || development || '/' || person_id)
       from person where organization_id = development;
    perform empty_development(development, '{organization, audit_event, audit_unsealed, audit_seal}');
    update development_directory set turned_on_at = null where organization_id = my_organization();
    perform audit_development('turnedOff');
    return true;
end $$;

-- reset_development: removes handouts, work on them, and native contexts, and seats everyone in the class; the
-- catalog and the tokens stay. False if it is off.
create or replace function reset_development() returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    development constant uuid := lock_development(my_organization());
begin
    if development is null then
        return false;
    end if;
    perform empty_development(development, '{organization, domain_directory, organization_domain,
        managed_id_directory, location, class, person, person_role, access_token, developer_team,
        developer_bundle, context, thumbnail, thumbnail_upload, audit_event, audit_unsealed, audit_seal}');
    delete from context where organization_id = development and kind = 'native';
    perform seat_made_up_people(development);
    perform audit_development('reset');
    return true;
end $$;

-- development_environment: the state of the environment; no row if it is off.
create or replace function development_environment()
    returns table (organization_id uuid, name text, turned_on_at timestamptz, class_id uuid, people json)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select o.organization_id, o.name, d.turned_on_at::timestamptz,
           (select c.class_id from class as c where c.organization_id = o.organization_id),
           (select json_agg(json_build_object('id', m.person_id, 'role', m.role, 'givenName', m.given_name,
                                              'familyName', m.family_name)
                            order by m.role desc, m.given_name)
              from made_up_people(o.organization_id) as m)
      from development_directory as d
      join organization as o on o.organization_id = d.development_id
     where d.organization_id = my_organization() and d.development_id = my_development();
end $$;

-- create_development_token: a token for a made-up person, either the one named or the first with the role. With an
-- app it is the app's token; for a developer, the app must be one of the team's. Returns 'off', 'unknownApp',
-- 'unknownPerson', or 'created' with the person.
create or replace function create_development_token(
    p_digest bytea, p_role text, p_person_id uuid, p_app text, p_expires_at timestamptz)
    returns table (outcome text, person json)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    development constant uuid := lock_development(my_organization());
    made_up     record;
begin
    if development is null then
        return query select 'off', null::json;
        return;
    end if;
    if my_standing() = 'developer' and p_app is not null and not exists (
        select from developer_bundle
         where organization_id = my_organization() and team_id = my_team() and bundle_id = p_app) then
        return query select 'unknownApp', null::json;
        return;
    end if;
    select * into made_up from made_up_people(development) as m
     where m.role = p_role and (p_person_id is null or m.person_id = p_person_id)
     order by m.given_name limit 1;
    if not found then
        return query select 'unknownPerson', null::json;
        return;
    end if;
    insert into access_token (organization_id, digest, person_id, standing, app, environment, expires_at)
    values (development, p_digest, made_up.person_id, case when p_app is null then p_role else 'app' end, p_app,
            'development', p_expires_at);
    perform audit_development('token', jsonb_strip_nulls(jsonb_build_object('role', p_role, 'app', p_app)));
    return query
    select 'created', json_build_object('id', made_up.person_id, 'role', made_up.role,
                                        'givenName', made_up.given_name, 'familyName', made_up.family_name);
end $$;

grant execute on function turn_on_development(), turn_off_development(), reset_development(),
    development_environment(), create_development_token(bytea, text, uuid, text, timestamptz)
    to school_administrator, school_developer;
grant execute on function follow_teams() to school_administrator;
