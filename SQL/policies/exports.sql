-- Who may do what with the memory of exports.
--
--   exporter   reads and adds snapshots, reads deletions
--   others     nothing

set local role school_owner;
set local search_path = school, pg_temp;

grant select, insert (organization_id, exported_on, sequence, taken_at, since, snapshot, system_id, is_full)
    on export_snapshot to school_exporter;
grant select on deletion to school_exporter;

create policy "exporters read what they exported" on export_snapshot
    for select to school_exporter using (organization_id = my_organization());
create policy "exporters add what they exported" on export_snapshot
    for insert to school_exporter with check (organization_id = my_organization());
create policy "exporters read what is gone" on deletion
    for select to school_exporter using (organization_id = (select my_organization()));
