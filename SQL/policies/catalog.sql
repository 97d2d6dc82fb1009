-- Who may do what with developer teams and contexts.
--
--                      teams, keys, bundles   contexts
--   administrator      all                    reads
--   content manager    nothing                reads
--   teacher            nothing                reads
--   student            nothing                reads what own tasks name
--   developer          reads own              reads those of own bundle ids
--   app                nothing                reads its own, catalog and of the person (catalog_native.sql)
--   others             nothing                nothing
--
-- No one writes contexts with statements: a developer publishes with publish_contexts() and withdraw_contexts().

grant select, insert (organization_id, team_id, name), update (name, origin), delete
    on developer_team to school_administrator;
grant select, insert (organization_id, team_id, key_id, public_key), delete
    on developer_key to school_administrator;
grant select, insert (organization_id, team_id, bundle_id), delete
    on developer_bundle to school_administrator;
grant select on developer_team, developer_bundle to school_developer;

create policy "administrators keep teams" on developer_team
    for all to school_administrator using (organization_id = my_organization());
create policy "administrators keep keys" on developer_key
    for all to school_administrator using (organization_id = my_organization());
create policy "administrators keep bundle ids" on developer_bundle
    for all to school_administrator using (organization_id = my_organization());
create policy "developers read their team" on developer_team
    for select to school_developer
    using (organization_id = my_organization() and team_id = my_team());
create policy "developers read their bundle ids" on developer_bundle
    for select to school_developer
    using (organization_id = my_organization() and team_id = my_team());

grant select on context to school_administrator, school_content_manager, school_teacher, school_student,
    school_developer, school_app;
create policy "the catalog is read" on context
    for select to school_administrator, school_content_manager, school_teacher
    using (organization_id = (select my_organization()) and kind = 'catalog' and deleted_at is null);
create policy "students read what their tasks name" on context
    for select to school_student
    using (organization_id = (select my_organization()) and kind = 'catalog' and deleted_at is null
       and exists (select from task as t
                     join handout as h on h.organization_id = t.organization_id
                                      and h.handout_id = t.handout_id
                    where t.organization_id = context.organization_id
                      and t.class_id = any ((select my_class_ids())::uuid[])
                      and t.bundle_id = context.bundle_id
                      and t.recorded_path = context.identifier_path
                      and h.environment = context.environment));
create policy "apps read their own" on context
    for select to school_app
    using (organization_id = (select my_organization()) and bundle_id = (select my_app())
       and environment = (select my_environment()) and deleted_at is null
       and (kind = 'catalog' or person_id = (select my_person())));
create policy "developers read what they publish" on context
    for select to school_developer
    using (organization_id = (select my_organization()) and kind = 'catalog'
       and bundle_id in (select bundle_id from developer_bundle));
