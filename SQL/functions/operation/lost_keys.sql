-- Functions for an operator after a key was lost or stolen. Like all functions of the operator they are for the server
-- only, and no API call reaches them. Development environments are left out.

-- list_administrators: who administers an organization, including those who may no longer sign in.
create or replace function list_administrators(p_organization_id uuid)
    returns table (person_id uuid, managed_id text, is_deactivated boolean, last_sign_in_at timestamptz)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select p.person_id, p.managed_id, p.deactivated_at is not null, c.last_sign_in_at::timestamptz
      from person as p
      left join credential as c on c.organization_id = p.organization_id and c.person_id = p.person_id
     where p.organization_id = p_organization_id and not is_development(p_organization_id)
       and exists (select from person_role as r where r.organization_id = p.organization_id
                      and r.person_id = p.person_id and r.role = 'administrator')
     order by p.managed_id;
end $$;

-- create_administrator: makes the person with a managed ID an administrator at the organization's first location. A
-- new person gets a temporary password; one who is there keeps his or her own. Returns 'created', 'given', 'held' (the
-- role), 'unknownOrganization', 'foreignDomain', 'taken' (by another organization) or 'deactivated', and the person.
create or replace function create_administrator(
    p_organization_id uuid, p_person_id uuid, p_given_name text, p_family_name text, p_managed_id text,
    p_password_record text, p_password_expires_at timestamptz)
    returns table (outcome text, person_id uuid)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    known managed_id_directory;
    place uuid := (select l.location_id from location as l where l.organization_id = p_organization_id
                    order by l.created_at, l.location_id limit 1);
begin
    select * into known from managed_id_directory as m where m.managed_id = lower(p_managed_id);
    person_id := coalesce(known.person_id, p_person_id);
    outcome := case
        when place is null or is_development(p_organization_id) then 'unknownOrganization'
        when not exists (select from organization_domain as d where d.organization_id = p_organization_id
                            and d.domain = split_part(lower(p_managed_id), '@', 2)) then 'foreignDomain'
        when known.organization_id <> p_organization_id then 'taken'
        when exists (select from person as p where p.organization_id = p_organization_id
                        and p.person_id = known.person_id and p.deactivated_at is not null) then 'deactivated'
        when exists (select from person_role as r where r.organization_id = p_organization_id
                        and r.person_id = known.person_id and r.role = 'administrator') then 'held'
        when known.person_id is null then 'created' else 'given' end;
    if outcome not in ('created', 'given') then
        return next;
        return;
    end if;
    perform set_config('school.organization', p_organization_id::text, true);
    if outcome = 'created' then
        insert into managed_id_directory (managed_id, organization_id, person_id)
        values (lower(p_managed_id), p_organization_id, p_person_id);
        perform add_rows('person', p_organization_id, jsonb_build_array(jsonb_build_object(
            'id', p_person_id, 'given_name', p_given_name, 'family_name', p_family_name,
            'managed_id', p_managed_id)));
        perform write_temporary_passwords(p_organization_id, array[p_person_id], array[p_password_record],
                                          p_password_expires_at);
    end if;
    perform give_roles(p_organization_id, jsonb_build_array(jsonb_build_object(
        'person_id', person_id, 'location_id', place, 'role', 'administrator')));
    perform write_audit_event(p_organization_id, 'roleChange', 'server', null, null, null, 'person', person_id::text,
                              jsonb_build_object('given', jsonb_build_array('administrator'), 'by', 'command'));
    return next;
end $$;

-- expire_passwords: everyone of an organization has to choose a new password at the next sign-in, until p_expires_at;
-- sign-ins and people's tokens end now. Returns how many people have a password; null if the organization is unknown.
create or replace function expire_passwords(p_organization_id uuid, p_expires_at timestamptz) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    people uuid[];
begin
    if is_development(p_organization_id)
       or not exists (select from organization as o where o.organization_id = p_organization_id) then
        return null;
    end if;
    perform end_sessions_of(p_organization_id, array(
        select p.person_id from person as p where p.organization_id = p_organization_id), 'temporaryPassword');
    with expired as (
        update credential as c set is_temporary = true, expires_at = least(c.expires_at, p_expires_at)
         where c.organization_id = p_organization_id
        returning c.person_id)
    select coalesce(array_agg(e.person_id), '{}') into people from expired as e;
    perform write_audit_event(p_organization_id, 'temporaryPassword', 'server', null, null, null, 'organization',
                              p_organization_id::text,
                              jsonb_build_object('by', 'command', 'people', cardinality(people)));
    return cardinality(people);
end $$;

-- replace_signing_keys: forgets the keys that sign ID tokens and messages to tools, so that the server makes new ones
-- at once; returns how many there were. Systems that keep the published keys sign people in again once they read them
-- anew.
create or replace function replace_signing_keys() returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    removed bigint;
begin
    lock table signing_key in share row exclusive mode;
    delete from signing_key;
    get diagnostics removed = row_count;
    return removed;
end $$;

grant execute on function
    list_administrators(uuid), create_administrator(uuid, uuid, text, text, text, text, timestamptz),
    expire_passwords(uuid, timestamptz), replace_signing_keys()
    to school_server;
