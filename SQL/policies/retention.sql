-- Who may do what with the end of data.
--
--                  rules                              holds                corrections    deletions and moves of
--                                                                                         organizations, audit cuts
--   administrator  reads them, and what the last      reads, places and    reads them     nothing
--                  night removed; sets them with      lifts them
--                  set_retention()
--   others         nothing                            nothing              nothing        nothing: functions only
--
-- A hold never changes: it is lifted and placed again, and both write an event.

grant select on retention_rule, retention_night, person_correction to school_administrator;
grant select, insert (organization_id, hold_id, person_id, class_id, reason), delete
    on retention_hold to school_administrator;

create policy "administrators read rules" on retention_rule
    for select to school_administrator using (organization_id = (select my_organization()));
create policy "administrators read the last night" on retention_night
    for select to school_administrator using (organization_id = (select my_organization()));
create policy "administrators read corrections" on person_correction
    for select to school_administrator using (organization_id = (select my_organization()));
create policy "administrators read holds" on retention_hold
    for select to school_administrator using (organization_id = (select my_organization()));
create policy "administrators place holds" on retention_hold
    for insert to school_administrator with check (organization_id = (select my_organization()));
create policy "administrators lift holds" on retention_hold
    for delete to school_administrator using (organization_id = (select my_organization()));
