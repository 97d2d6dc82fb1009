-- Who may do what with the records of earlier exports, and with exports ordered by a call.
--
--   exporter                      reads and adds snapshots, reads deletions, orders exports and runs them
--   administrator, site manager,
--   people manager                reads when a nightly export was taken, and nothing of what it holds
--   others                        nothing

grant select, insert (organization_id, exported_on, sequence, taken_at, since, snapshot, system_id, is_full,
                      seal_number, seal_digest)
    on export_snapshot to school_exporter;
grant select (organization_id, exported_on, sequence, taken_at, is_full) on export_snapshot
    to school_administrator, school_site_manager, school_people_manager;
grant select on deletion to school_exporter;

create policy "exporters read what they exported" on export_snapshot
    for select to school_exporter using (organization_id = my_organization());
create policy "those who run the directory read when it was exported" on export_snapshot
    for select to school_administrator, school_site_manager, school_people_manager
    using (organization_id = my_organization());
create policy "exporters add what they exported" on export_snapshot
    for insert to school_exporter with check (organization_id = my_organization());
create policy "exporters read what is gone" on deletion
    for select to school_exporter using (organization_id = (select my_organization()));

grant select, insert (organization_id, export_id, since_export_id),
      update (status, attempts, exported_on, since, taken_at, snapshot, system_id, row_count, files, failure,
              started_at, finished_at, expires_at) on export to school_exporter;

create policy "exporters see exports that were ordered" on export
    for select to school_exporter using (organization_id = my_organization());
create policy "exporters order exports" on export
    for insert to school_exporter with check (organization_id = my_organization());
create policy "exporters carry on with exports" on export
    for update to school_exporter using (organization_id = my_organization());
