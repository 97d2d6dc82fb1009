-- Who may do what with imports.
--
--   directory managers   order them, run them, read what became of them
--   others               nothing
--
-- An import runs later with the rights of its orderer, so no one can order one in the name of a higher standing.
-- import_turn is for the worker's functions only.

grant select,
      insert (organization_id, import_id, mode, status, standing, person_id, service_account_id, is_approved,
              archive_bytes, file_name, is_strict),
      update (mode, status, is_approved, attempts, progress, error_count, warning_count, started_at, finished_at,
              format, ignored_files, plan_digest, removals, removes_much, tallies)
    on import to school_directory_manager;
grant select, insert, delete on import_archive, import_file, import_problem, import_change to school_directory_manager;

create policy "directory managers see imports" on import
    for select to school_directory_manager using (organization_id = (select my_organization()));
create policy "directory managers order imports in their own name" on import
    for insert to school_directory_manager
    with check (organization_id = (select my_organization())
       and person_id is not distinct from my_person()
       and service_account_id is not distinct from my_service_account() and standing = my_standing());
create policy "directory managers carry on with imports" on import
    for update to school_directory_manager using (organization_id = (select my_organization()));
create policy "directory managers keep archives of imports" on import_archive
    for all to school_directory_manager using (organization_id = (select my_organization()));
create policy "directory managers keep files of imports" on import_file
    for all to school_directory_manager using (organization_id = (select my_organization()));
create policy "directory managers keep problems of imports" on import_problem
    for all to school_directory_manager using (organization_id = (select my_organization()));
create policy "directory managers keep changes of imports" on import_change
    for all to school_directory_manager using (organization_id = (select my_organization()));
