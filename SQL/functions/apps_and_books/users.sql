-- Functions of Apps and Books: the users of a device manager. Each is a person with a role at its location.

-- content_person: the active person at the caller's location with a managed ID or, without one, the only one with an
-- email address; null if there is none. Definer, because a device manager reads no people.
create or replace function content_person(p_managed_id text, p_email text) returns uuid
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    found uuid[];
begin
    select array_agg(p.person_id) into found
      from (select x.person_id from managed_id_directory as d
              join person as x on x.organization_id = d.organization_id and x.person_id = d.person_id
             where d.managed_id = lower(p_managed_id) and x.managed_id_key = d.managed_id
               and x.organization_id = my_organization() and x.deactivated_at is null
            union all
            select x.person_id from person as x
             where p_managed_id is null and x.organization_id = my_organization() and lower(x.email) = lower(p_email)
               and x.deactivated_at is null) as p
     where exists (select from person_role as r
                    where r.organization_id = my_organization() and r.person_id = p.person_id
                      and r.location_id = my_content_location());
    return case when cardinality(found) = 1 then found[1] end;
end $$;

-- is_content_person: whether a person is active and has a role at the caller's location. Definer, because a device
-- manager reads no people, and policies ask it.
create or replace function is_content_person(p_person_id uuid) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from person as p
                     join person_role as r on r.organization_id = p.organization_id and r.person_id = p.person_id
                    where p.organization_id = my_organization() and p.person_id = p_person_id
                      and p.deactivated_at is null and r.location_id = my_content_location());
end $$;

-- failed_content_users (internal): the failures of an event about users: the names behind each number.
create or replace function failed_content_users(p_failed jsonb) returns jsonb
    language sql immutable parallel safe
begin atomic
    select coalesce(jsonb_agg(jsonb_build_object('errorNumber', f.number, 'errorInfo',
                                                 jsonb_build_object('clientUserIds', f.names)) order by f.number), '[]')
      from (select (e ->> 0)::integer as number, jsonb_agg(e -> 1) as names
              from jsonb_array_elements(p_failed) as e group by 1) as f;
end;

-- create_content_users: registers users, [{clientUserId, managedAppleId, email}]. Refuses names and people that are
-- registered already, and everyone without a role at the location. Returns the event's id.
create or replace function create_content_users(p_users jsonb) returns uuid
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    wanted jsonb;
    name   text;
    person uuid;
    made   uuid;
    failed jsonb := '[]';
begin
    for wanted in select u from jsonb_array_elements(p_users) as u loop
        name := wanted ->> 'clientUserId';
        person := content_person(wanted ->> 'managedAppleId', wanted ->> 'email');
        made := null;
        if person is null then
            failed := failed || jsonb_build_array(jsonb_build_array(9602, name));
            continue;
        end if;
        begin
            insert into content_user as u (organization_id, location_id, client_user_id, person_id, email)
            values (my_organization(), my_content_location(), name, person, wanted ->> 'email')
                on conflict (organization_id, location_id, client_user_id)
                   do update set person_id = excluded.person_id, email = excluded.email, retired_at = null
                       where u.retired_at is not null
            returning u.person_id into made;
        exception when unique_violation then
            made := null;
        end;
        if made is null then
            failed := failed || jsonb_build_array(jsonb_build_array(9716, name));
        end if;
    end loop;
    return note_content_event('CREATE', jsonb_array_length(p_users),
                              jsonb_array_length(p_users) - jsonb_array_length(failed), failed_content_users(failed));
end $$;

-- update_content_users: changes what the device manager knows of users. A user stays the same person. To use a name for
-- somebody else, the device manager retires the user first; that takes the licences back. Those who left can only be
-- retired. Returns the event's id.
create or replace function update_content_users(p_users jsonb) returns uuid
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    wanted jsonb;
    name   text;
    person uuid;
    failed jsonb := '[]';
begin
    for wanted in select u from jsonb_array_elements(p_users) as u loop
        name := wanted ->> 'clientUserId';
        select u.person_id into person from content_user as u
         where u.organization_id = my_organization() and u.location_id = my_content_location()
           and u.client_user_id = name and u.retired_at is null
           for no key update;
        if not found or not is_content_person(person) then
            failed := failed || jsonb_build_array(jsonb_build_array(9609, name));
        elsif wanted ? 'managedAppleId'
              and content_person(wanted ->> 'managedAppleId', null) is distinct from person then
            failed := failed || jsonb_build_array(jsonb_build_array(9602, name));
        elsif wanted ? 'email' then
            update content_user set email = wanted ->> 'email'
             where organization_id = my_organization() and location_id = my_content_location()
               and client_user_id = name;
        end if;
    end loop;
    return note_content_event('UPDATE', jsonb_array_length(p_users),
                              jsonb_array_length(p_users) - jsonb_array_length(failed), failed_content_users(failed));
end $$;

-- retire_content_users: takes back what is revocable, and frees the names. Returns the id of the event.
create or replace function retire_content_users(p_client_user_ids text[]) returns uuid
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    people uuid[];
    names  text[];
begin
    select coalesce(array_agg(h.person_id), '{}'), coalesce(array_agg(h.client_user_id), '{}') into people, names
      from content_holders(p_client_user_ids) as h where h.outcome in ('registered', 'former');
    perform take_content_back(null, people, '{}');
    update content_user set retired_at = moment()
     where organization_id = my_organization() and location_id = my_content_location()
       and client_user_id = any (names) and retired_at is null;
    return note_content_event(
        'RETIRE', cardinality(p_client_user_ids), cardinality(names),
        content_failures(9609, 'clientUserIds', array(
            select w from unnest(p_client_user_ids) as w where w <> all (names) order by w)));
end $$;

grant execute on function content_person(text, text), is_content_person(uuid), failed_content_users(jsonb),
    create_content_users(jsonb), update_content_users(jsonb), retire_content_users(text[]) to school_device_manager;
