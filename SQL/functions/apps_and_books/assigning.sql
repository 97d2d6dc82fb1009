-- Functions of Apps and Books: how a device manager assigns licences and takes them back, with its own rights. Each
-- request is one transaction and leaves one event, which says what became of it. What the rules of licences refuse is a
-- failure of the event, for one asset; the others go on.
--
-- They lock pools before licences, as all do that change licences (functions/licences).

-- lock_content_pools: locks the pools of the caller's location, of some apps or of all. Definer, since locking takes
-- the right to change.
create or replace function lock_content_pools(p_adam_ids text[]) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform from pool
      where organization_id = my_organization() and location_id = my_content_location()
        and (p_adam_ids is null or adam_id = any (p_adam_ids))
      order by organization_id, adam_id, location_id
        for no key update;
end $$;

-- content_holders: whom the names of a device manager mean: 'registered', 'former' (registered, but deactivated by now,
-- or without a role at the location), 'holder' (not registered, named by our id and with a licence of the location, as
-- the list of assignments shows it) or 'unknown'. Definer, because a device manager reads no people.
create or replace function content_holders(p_client_user_ids text[])
    returns table (client_user_id text, person_id uuid, outcome text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    here constant uuid := my_content_location();
begin
    return query
    select w.name, coalesce(u.person_id, l.person_id),
           case when u.person_id is not null and is_content_person(u.person_id) then 'registered'
                when u.person_id is not null then 'former'
                when l.person_id is not null then 'holder' else 'unknown' end
      from unnest(p_client_user_ids) as w (name)
      left join content_user as u
        on u.organization_id = my_organization() and u.location_id = here and u.client_user_id = w.name
       and u.retired_at is null
      left join lateral (
           select x.person_id from licence as x
            where u.person_id is null and x.organization_id = my_organization() and x.location_id = here
              and x.person_id = case when w.name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then w.name::uuid end
            limit 1) as l on true;
end $$;

-- content_failures (internal): failures in the form of an event: what a number is about, under the name of a list.
create or replace function content_failures(p_number integer, p_list text, p_values text[]) returns jsonb
    language sql immutable parallel safe
    return case when cardinality(p_values) > 0
                then jsonb_build_array(jsonb_build_object('errorNumber', p_number, 'errorInfo',
                                                          jsonb_build_object(p_list, to_jsonb(p_values))))
                else '[]' end;

-- forget_content_events (internal): removes at most p_limit events of more than a week ago; returns how many.
create or replace function forget_content_events(p_limit integer) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    forgotten bigint;
begin
    delete from content_event where ctid = any (array(
        select e.ctid from content_library as l
          join content_event as e on e.organization_id = l.organization_id and e.location_id = l.location_id
         where e.created_at < (select removal_moment()) - interval '7 days' and not is_at_rest(e.organization_id)
         limit p_limit for update of e skip locked));
    get diagnostics forgotten = row_count;
    return forgotten;
end $$;

-- note_content_event: what became of a request.
create or replace function note_content_event(
    p_kind text, p_requested integer, p_completed integer, p_failures jsonb) returns uuid
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    id constant uuid := new_id();
begin
    insert into content_event (organization_id, event_id, location_id, kind, requested_count, completed_count, failures)
    values (my_organization(), id, my_content_location(), p_kind, p_requested, p_completed, p_failures);
    return id;
end $$;

-- audit_content: the audit event of licences that were assigned or taken back, as the API writes it for people.
create or replace function audit_content(p_adam_id text, p_word text, p_people uuid[], p_serial_numbers text[])
    returns void
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    people  constant uuid[] := array_remove(p_people, null);
    devices constant text[] := array_remove(p_serial_numbers, null);
begin
    if cardinality(people) + cardinality(devices) > 0 then
        perform audit('licenceChange', case when cardinality(people) = 1 then 'person' end,
                      case when cardinality(people) = 1 then people[1]::text end,
                      jsonb_build_object('adamId', p_adam_id, p_word, cardinality(people) + cardinality(devices),
                                         'personIds', to_jsonb(people), 'serialNumbers', to_jsonb(devices)));
    end if;
end $$;

-- associate_content: gives every registered user and device a licence of each app, all of an app's or none; those who
-- have one keep it. Returns the id of the event.
create or replace function associate_content(p_adam_ids text[], p_client_user_ids text[], p_serial_numbers text[])
    returns uuid language plpgsql
    set search_path = school, pg_temp as $$
declare
    here     constant uuid := my_content_location();
    people   uuid[];
    names    text[];
    failures jsonb;
    done     integer := 0;
    asset    text;
    granted  record;
    refusal  text;
begin
    select coalesce(array_agg(h.person_id order by h.person_id) filter (where h.outcome = 'registered'), '{}'),
           coalesce(array_agg(h.client_user_id) filter (where h.outcome = 'registered'), '{}'),
           content_failures(9609, 'clientUserIds', array_agg(h.client_user_id order by h.client_user_id)
                                                       filter (where h.outcome <> 'registered'))
      into people, names, failures
      from content_holders(p_client_user_ids) as h;
    perform lock_content_pools(p_adam_ids);
    for asset in select distinct a from unnest(p_adam_ids) as a order by a loop
        begin
            with made as (
                insert into licence (organization_id, licence_id, adam_id, location_id, person_id, serial_number)
                select my_organization(), new_id(), asset, here, w.person_id, w.serial_number
                  from (select p as person_id, null::text as serial_number from unnest(people) as p
                        union all
                        select null, s from unnest(p_serial_numbers) as s) as w
                 order by w.person_id, w.serial_number
                    on conflict do nothing
                returning person_id, serial_number)
            select array_agg(m.person_id) as people, array_agg(m.serial_number) as devices into granted from made as m;
            perform audit_content(asset, 'granted', coalesce(granted.people, '{}'), coalesce(granted.devices, '{}'));
            done := done + cardinality(people) + cardinality(p_serial_numbers);
        exception when check_violation or foreign_key_violation then
            get stacked diagnostics refusal = constraint_name;
            case refusal
                when 'pool_is_never_oversold', 'licence_pool' then
                    failures := failures || content_failures(9709, 'assets', array[asset]);
                when 'licence_is_of_an_app_for_devices' then
                    failures := failures || content_failures(9707, 'assets', array[asset]);
                when 'licence_holder_is_active' then
                    failures := failures || content_failures(9609, 'clientUserIds', names);
                else raise;
            end case;
        end;
    end loop;
    return note_content_event(
        'ASSOCIATE',
        cardinality(p_adam_ids) * (cardinality(p_client_user_ids) + cardinality(p_serial_numbers)), done, failures);
end $$;

-- take_content_back: removes the licences of some apps (null: of every app that is revocable) that people and devices
-- have out of the caller's location. The policy of licences leaves those that are not revocable.
create or replace function take_content_back(p_adam_ids text[], p_people uuid[], p_serial_numbers text[]) returns void
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    taken record;
begin
    perform lock_content_pools(p_adam_ids);
    for taken in
        with held as (
            select l.licence_id from licence as l
             where l.organization_id = my_organization() and l.person_id = any (p_people)
            union
            select l.licence_id from licence as l
             where l.organization_id = my_organization() and l.device_adam_id is not null
               and l.serial_number = any (p_serial_numbers)
        ), gone as (
            delete from licence as l
             using held as h
             where l.organization_id = my_organization() and l.licence_id = h.licence_id
               and l.location_id = my_content_location() and (p_adam_ids is null or l.adam_id = any (p_adam_ids))
            returning l.adam_id, l.person_id, l.serial_number)
        select g.adam_id, array_agg(g.person_id) as people, array_agg(g.serial_number) as devices
          from gone as g group by g.adam_id order by g.adam_id
    loop
        perform audit_content(taken.adam_id, 'returned', taken.people, taken.devices);
    end loop;
end $$;

-- disassociate_content: takes licences back; of some apps, or of all that are revocable, which is an event of its own
-- kind. Counts those who have none as done, so that a repeated request gets the same answer. Returns the event's id.
create or replace function disassociate_content(p_adam_ids text[], p_client_user_ids text[], p_serial_numbers text[])
    returns uuid language plpgsql
    set search_path = school, pg_temp as $$
declare
    people   uuid[];
    failures jsonb;
    assets   constant integer := coalesce(cardinality(p_adam_ids), 1);
begin
    select coalesce(array_agg(h.person_id) filter (where h.outcome <> 'unknown'), '{}'),
           content_failures(9609, 'clientUserIds',
                            array_agg(h.client_user_id order by h.client_user_id) filter (where h.outcome = 'unknown'))
      into people, failures
      from content_holders(p_client_user_ids) as h;
    perform take_content_back(p_adam_ids, people, p_serial_numbers);
    return note_content_event(
        case when p_adam_ids is null then 'REVOKE' else 'DISASSOCIATE' end,
        assets * (cardinality(p_client_user_ids) + cardinality(p_serial_numbers)),
        assets * (cardinality(people) + cardinality(p_serial_numbers)), failures);
end $$;

grant execute on function lock_content_pools(text[]), content_holders(text[]),
    content_failures(integer, text, text[]), note_content_event(text, integer, integer, jsonb),
    audit_content(text, text, uuid[], text[]), associate_content(text[], text[], text[]),
    take_content_back(text[], uuid[], text[]), disassociate_content(text[], text[], text[]) to school_device_manager;
