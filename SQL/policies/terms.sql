-- Who may do what with terms.
--
--                      terms                classes in them
--   directory managers all; close, reopen   as policies/directory.sql says
--   manager, content   reads                nothing
--   teacher, student   reads                nothing
--   exporter           reads                nothing
--   others             nothing              nothing
--
-- A term says nothing about a person, so anyone who reads classes reads all terms. Closing and reopening are
-- functions, because they also archive classes and write audit events.

grant select on term to school_directory_reader, school_teacher, school_student, school_exporter;
grant insert (organization_id, term_id, source_id, parent_id, name, kind, starts_on, ends_on, origin),
      update (source_id, parent_id, name, kind, starts_on, ends_on, origin), delete
    on term to school_directory_manager;

create policy "everybody reads the terms of their organization" on term
    for select to school_directory_reader, school_teacher, school_student, school_exporter
    using (organization_id = (select my_organization()));
create policy "directory managers add terms" on term
    for insert to school_directory_manager with check (organization_id = (select my_organization()));
create policy "directory managers change terms" on term
    for update to school_directory_manager using (organization_id = (select my_organization()));
create policy "directory managers remove terms" on term
    for delete to school_directory_manager using (organization_id = (select my_organization()));
