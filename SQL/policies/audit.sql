-- Who may do what with audit events.
--
--   administrator, site and people manager   read those of their organization
--   everyone                                 adds own ones with audit()
--   no one                                   changes or removes one
--   no one                                   sees seals, or what waits for one: functions make and verify them
--
-- No rights are granted on partitions: they are accessed through audit_event only.

grant select on audit_event to school_administrator, school_site_manager, school_people_manager;

create policy "directory people read the events of their organization" on audit_event
    for select to school_administrator, school_site_manager, school_people_manager
    using (organization_id = (select my_organization()));
