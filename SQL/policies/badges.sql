-- Who may do what with badges. Digests are nobody's to read, and all writing is by functions (functions/access/badges).
--
--                   when and where they work   badges                  secrets
--   administrator   reads; set_badge_rule()    reads those of all      nothing
--   teacher         reads                      of classes taught now   nothing
--   others          nothing                    nothing                 nothing

grant select on badge_rule to school_administrator, school_teacher;
grant select (organization_id, badge_id, class_id, person_id, created_at, last_used_at, voided_at)
    on badge to school_administrator, school_teacher;

create policy "administrators and teachers read when badges work" on badge_rule
    for select to school_administrator, school_teacher
    using (organization_id = (select my_organization()));
create policy "administrators see the badges of their organization" on badge
    for select to school_administrator
    using (organization_id = (select my_organization()));
create policy "teachers see the badges of the classes they teach" on badge
    for select to school_teacher
    using (organization_id = (select my_organization())
       and class_id = any ((select my_taught_class_ids())::uuid[]));
