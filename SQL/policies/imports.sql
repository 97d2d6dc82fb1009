-- Who may do what with imports.
--
--   directory managers   order and run them, read what became of them
--   others               nothing

set local role school_owner;
set local search_path = school, pg_temp;

grant select, insert (organization_id, import_id, mode, status, format, standing, person_id, archive,
                      archive_bytes, archive_sha256),
      update (status, format, progress, started_at, finished_at) on import to school_directory_manager;
grant select, insert, update, delete on import_file, import_problem to school_directory_manager;

create policy "directory managers keep imports" on import
    for all to school_directory_manager using (organization_id = (select my_organization()));
create policy "directory managers keep files of imports" on import_file
    for all to school_directory_manager using (organization_id = (select my_organization()));
create policy "directory managers keep problems of imports" on import_problem
    for all to school_directory_manager using (organization_id = (select my_organization()));
