-- Who may do what with native contexts: those that an app saved for a person.
--
--   owner              reads (as someone who browses the catalog or as student, and as the app that saved them)
--   teacher            reads what a handout assigns that he or she sees
--   student            reads what a handout assigns that is given to him or her, and so does the app
--   others             nothing
--
-- An app writes with save_native_contexts() and remove_native_contexts(); no one writes with statements. What apps
-- read is in catalog.sql: the catalog of their bundle, and what they saved for the person.

create policy "people read the native contexts they own" on context
    for select to school_teacher, school_student, school_administrator, school_content_manager
    using (organization_id = (select my_organization()) and kind = 'native' and deleted_at is null
       and person_id = (select my_person()));
create policy "apps read native contexts that are assigned to their person" on context
    for select to school_app
    using (organization_id = (select my_organization()) and kind = 'native' and deleted_at is null
       and context_id = any ((select my_assigned_context_ids())::uuid[]));
create policy "a handout shows the native contexts that it assigns" on context
    for select to school_teacher, school_student
    using (organization_id = (select my_organization()) and kind = 'native' and deleted_at is null
       and exists (select from task as t
                     join handout as h on h.organization_id = t.organization_id
                                      and h.handout_id = t.handout_id
                    where t.organization_id = context.organization_id
                      and t.context_owner_id = context.person_id
                      and t.bundle_id = context.bundle_id
                      and t.recorded_path = context.identifier_path
                      and h.environment = context.environment));
