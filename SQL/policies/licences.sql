-- Who may do what with apps, pools and licences.
--
--                      apps                     pools                    licences
--   administrator      all                      all                      grants, gives back
--   content manager    all                      all                      grants, gives back
--   other people       of their own licences    nothing                  read their own
--   others             nothing                  nothing                  nothing
--
-- Of handouts, administrators and content managers learn one number for each pool: how many students are given the app
-- and hold no licence (waiting_students()).
--
-- No one changes a licence: it is given back and granted anew. A licence that is not revocable (such as every book)
-- cannot be given back; it is removed with its person. How many licences of a pool are assigned is counted by
-- triggers (functions/licences/licences.sql), and that column cannot be written.

grant select, insert (organization_id, adam_id, bundle_id, name, product_type, is_device_assignable,
                      is_revocable, platforms),
      update (bundle_id, name, product_type, is_device_assignable, is_revocable, platforms), delete
    on app to school_administrator, school_content_manager;
grant select, insert (organization_id, adam_id, location_id, total_count), update (total_count), delete
    on pool to school_administrator, school_content_manager;
grant select, insert (organization_id, licence_id, adam_id, location_id, person_id, serial_number), delete
    on licence to school_administrator, school_content_manager;

grant select on app, licence to school_person;

create policy "content people keep the apps of their organization" on app
    for all to school_administrator, school_content_manager
    using (organization_id = (select my_organization()));
create policy "content people keep the pools of their organization" on pool
    for all to school_administrator, school_content_manager
    using (organization_id = (select my_organization()));
create policy "content people see the licences of their organization" on licence
    for select to school_administrator, school_content_manager
    using (organization_id = (select my_organization()));
create policy "content people grant licences" on licence
    for insert to school_administrator, school_content_manager
    with check (organization_id = (select my_organization()));
create policy "content people give back what is revocable" on licence
    for delete to school_administrator, school_content_manager
    using (organization_id = (select my_organization())
       and exists (select from app as a
                    where a.organization_id = licence.organization_id and a.adam_id = licence.adam_id
                      and a.is_revocable));
create policy "people see their own licences" on licence
    for select to school_person
    using (organization_id = (select my_organization()) and person_id = (select my_person()));
create policy "people see the apps of their own licences" on app
    for select to school_person
    using (organization_id = (select my_organization())
       and adam_id = any ((select my_licensed_adam_ids())::text[]));
