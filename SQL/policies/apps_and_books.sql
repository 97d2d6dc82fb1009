-- What a device manager (MDM) may do: assign the licences of the one location that its content token is for, and take
-- them back. It reads no people: it knows users by names of its own, and functions find who they are.
--
--                    organization, location  apps, pools      licences         libraries     users         events
--   device manager   reads their names       reads its own    gives and takes  its own: says registers,    adds, reads
--                                                             its own          who it is     retires
--   administrator    (access, directory)     (licences)       (licences)       reads         nothing       nothing
--
-- Its own are those of its location. Users are people with a role there: those who left get no licences, and can only
-- be retired. Content tokens are made with make_content_token(), and administrators read for which location each is.

grant select (organization_id, name) on organization to school_device_manager;
grant select (organization_id, location_id, name) on location to school_device_manager;
grant select on app, pool, licence, content_library, content_user, content_event to school_device_manager;
grant insert (organization_id, licence_id, adam_id, location_id, person_id, serial_number), delete
    on licence to school_device_manager;
grant update (mdm_id, mdm_name, mdm_metadata) on content_library to school_device_manager;
grant insert (organization_id, location_id, client_user_id, person_id, email),
      update (person_id, email, retired_at) on content_user to school_device_manager;
grant insert (organization_id, event_id, location_id, kind, requested_count, completed_count, failures)
    on content_event to school_device_manager;
grant select on content_library, content_token to school_administrator;

create policy "device managers read the name of their organization" on organization
    for select to school_device_manager
    using (organization_id = (select my_organization()));
create policy "device managers read their location" on location
    for select to school_device_manager
    using (organization_id = (select my_organization()) and location_id = (select my_content_location()));

create policy "device managers read the apps of their location" on app
    for select to school_device_manager
    using (organization_id = (select my_organization())
       and exists (select from pool as p
                    where p.organization_id = app.organization_id and p.adam_id = app.adam_id
                      and p.location_id = (select my_content_location())));
create policy "device managers read the pools of their location" on pool
    for select to school_device_manager
    using (organization_id = (select my_organization()) and location_id = (select my_content_location()));
create policy "device managers read the licences of their location" on licence
    for select to school_device_manager
    using (organization_id = (select my_organization()) and location_id = (select my_content_location()));
create policy "device managers assign licences to devices and their users" on licence
    for insert to school_device_manager
    with check (organization_id = (select my_organization()) and location_id = (select my_content_location())
       and (person_id is null or is_content_person(person_id) and exists (
               select from content_user as u
                where u.organization_id = licence.organization_id and u.location_id = licence.location_id
                  and u.person_id = licence.person_id and u.retired_at is null)));
create policy "device managers take back what is revocable" on licence
    for delete to school_device_manager
    using (organization_id = (select my_organization()) and location_id = (select my_content_location())
       and exists (select from app as a
                    where a.organization_id = licence.organization_id and a.adam_id = licence.adam_id
                      and a.is_revocable));

create policy "device managers read the library of their location" on content_library
    for select to school_device_manager
    using (organization_id = (select my_organization()) and location_id = (select my_content_location()));
create policy "device managers say who they are" on content_library
    for update to school_device_manager
    using (organization_id = (select my_organization()) and location_id = (select my_content_location()));
create policy "administrators read libraries" on content_library
    for select to school_administrator using (organization_id = (select my_organization()));
create policy "administrators read content tokens" on content_token
    for select to school_administrator using (organization_id = (select my_organization()));

create policy "device managers read their users" on content_user
    for select to school_device_manager
    using (organization_id = (select my_organization()) and location_id = (select my_content_location()));
create policy "device managers register users" on content_user
    for insert to school_device_manager
    with check (organization_id = (select my_organization()) and location_id = (select my_content_location())
       and is_content_person(person_id));
create policy "device managers change users" on content_user
    for update to school_device_manager
    using (organization_id = (select my_organization()) and location_id = (select my_content_location()))
    with check (organization_id = (select my_organization()) and location_id = (select my_content_location())
       and (retired_at is not null or is_content_person(person_id)));

create policy "device managers read their events" on content_event
    for select to school_device_manager
    using (organization_id = (select my_organization()) and location_id = (select my_content_location()));
create policy "device managers leave events" on content_event
    for insert to school_device_manager
    with check (organization_id = (select my_organization()) and location_id = (select my_content_location()));
