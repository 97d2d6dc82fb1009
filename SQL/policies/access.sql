-- Who may do what with organizations, domains, managed IDs and credentials.
--
--                      organization              domains              managed IDs          credentials, tokens
--   administrator      reads, changes            adds, removes        reserves, frees      nothing
--   site, people mgr   reads, changes            reads                reserves, frees      nothing
--   provisioner        reads                     reads                reserves, frees      nothing
--   any other person   reads                     reads                nothing              nothing
--   exporter           reads                     nothing              nothing              nothing
--   developer, app     nothing                   nothing              nothing              nothing
--
-- Credentials, sessions, devices and tokens are accessed through functions only (functions/access), student progress
-- through set_student_progress().

grant select on organization to school_person, school_provisioner, school_exporter;
grant update (name, managed_id_format, time_zone, is_reclaiming_licences, class_students_max,
              class_teachers_max, shared_device_idle_minutes, own_device_idle_hours, name_order,
              import_left_out_percent)
    on organization to school_administrator, school_site_manager, school_people_manager;
grant update (allows_passwords_in_apps, is_without_passwords) on organization to school_administrator;

create policy "everybody reads their organization" on organization
    for select to school_person, school_provisioner, school_exporter
    using (organization_id = (select my_organization()));
create policy "directory people change their organization" on organization
    for update to school_administrator, school_site_manager, school_people_manager
    using (organization_id = (select my_organization()));

grant select on organization_domain to school_person, school_provisioner;
grant insert (organization_id, domain, position), update (position), delete
    on organization_domain to school_administrator;
grant select, insert (organization_id, domain), delete on domain_directory to school_administrator;

create policy "everybody reads the domains of their organization" on organization_domain
    for select to school_person, school_provisioner
    using (organization_id = (select my_organization()));
create policy "administrators add domains" on organization_domain
    for insert to school_administrator with check (organization_id = (select my_organization()));
create policy "administrators order domains" on organization_domain
    for update to school_administrator using (organization_id = (select my_organization()));
create policy "administrators remove domains" on organization_domain
    for delete to school_administrator using (organization_id = (select my_organization()));
create policy "administrators see what they reserved" on domain_directory
    for select to school_administrator using (organization_id = my_organization());
create policy "administrators reserve domains" on domain_directory
    for insert to school_administrator with check (organization_id = my_organization());
create policy "administrators free domains" on domain_directory
    for delete to school_administrator using (organization_id = my_organization());

grant select, insert (organization_id, managed_id, person_id), delete
    on managed_id_directory to school_directory_manager;

create policy "directory managers see the managed IDs of their organization" on managed_id_directory
    for select to school_directory_manager using (organization_id = (select my_organization()));
create policy "directory managers reserve managed IDs" on managed_id_directory
    for insert to school_directory_manager
    with check (organization_id = (select my_organization()));
create policy "directory managers free managed IDs" on managed_id_directory
    for delete to school_directory_manager using (organization_id = (select my_organization()));
