-- Who may do what with audit events.
--
--   administrator, site and people manager   read those of the own organization
--   everybody                                adds own ones by audit()
--   nobody                                   changes or removes one
--   nobody                                   sees seals, or what waits for one: functions make and verify them
--
-- No rights are granted on partitions: they are accessed through audit_event only.

grant select on audit_event to school_administrator, school_site_manager, school_people_manager;

create policy "directory people read the own events" on audit_event
    for select to school_administrator, school_site_manager, school_people_manager
    using (organization_id = (select my_organization()));
