-- Who may do what with the pictures of contexts.
--
--                      thumbnails                       uploads           of native contexts
--   administrator, content manager, teacher
--                      read                             nothing           of those they read
--   student            reads of what own tasks name     nothing           of those he or she reads
--   developer          reads those of own bundle ids    reads its team's  nothing
--   app                reads those of its catalog       nothing           of those it reads
--   others             nothing                          nothing           nothing
--
-- No one writes them with statements: a developer uses accept_thumbnail() and remove_thumbnail(), an app
-- accept_native_thumbnail() and remove_native_thumbnail(), and the server, once it has read a picture,
-- finish_thumbnail_upload() and finish_native_thumbnail().

grant select on thumbnail
    to school_administrator, school_content_manager, school_teacher, school_student, school_developer, school_app;
grant select on thumbnail_upload to school_developer;

create policy "readers of the catalog see its pictures" on thumbnail
    for select to school_administrator, school_content_manager, school_teacher
    using (organization_id = (select my_organization()));
create policy "students see the pictures of what their tasks name" on thumbnail
    for select to school_student
    using (organization_id = (select my_organization()) and exists (
               select from context as c
                where c.organization_id = thumbnail.organization_id
                  and c.environment = thumbnail.environment and c.bundle_id = thumbnail.bundle_id
                  and c.thumbnail_id = thumbnail.thumbnail_id));
create policy "apps see the pictures of their catalog" on thumbnail
    for select to school_app
    using (organization_id = (select my_organization()) and bundle_id = (select my_app())
       and environment = (select my_environment()));
create policy "developers see the pictures of their apps" on thumbnail
    for select to school_developer
    using (organization_id = (select my_organization())
       and bundle_id in (select bundle_id from developer_bundle));
create policy "developers see what became of what they sent" on thumbnail_upload
    for select to school_developer
    using (organization_id = (select my_organization()) and team_id = (select my_team()));

grant select (organization_id, context_id, media_type, bytes) on native_thumbnail
    to school_administrator, school_content_manager, school_teacher, school_student, school_app;
create policy "who reads a native context sees its picture" on native_thumbnail
    for select to school_administrator, school_content_manager, school_teacher, school_student, school_app
    using (organization_id = (select my_organization()) and exists (
               select from context as c
                where c.organization_id = native_thumbnail.organization_id
                  and c.context_id = native_thumbnail.context_id));
