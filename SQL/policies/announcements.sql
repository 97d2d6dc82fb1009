-- Who may do what with announcements.
--
--   teacher   reads, posts, changes and removes those of the classes he or she teaches
--   student   reads those of the classes in which he or she sits
--   others    nothing
--
-- The announcements of an archived class stay as they are: no one posts, changes or removes any there.

grant select on announcement to school_teacher, school_student;
grant insert (organization_id, announcement_id, class_id, author_id, text),
      update (class_id, text), delete on announcement to school_teacher;

create policy "teachers read the announcements of their classes" on announcement
    for select to school_teacher
    using (organization_id = (select my_organization())
       and class_id = any ((select my_taught_class_ids())::uuid[]));
create policy "students read the announcements of their classes" on announcement
    for select to school_student
    using (organization_id = (select my_organization())
       and class_id = any ((select my_class_ids())::uuid[]));
create policy "teachers post to their classes" on announcement
    for insert to school_teacher
    with check (organization_id = (select my_organization()) and author_id = (select my_person())
       and class_id = any ((select my_taught_class_ids())::uuid[]) and exists (
               select from class as c
                where c.organization_id = announcement.organization_id
                  and c.class_id = announcement.class_id and c.archived_at is null));
create policy "teachers change the announcements of their classes" on announcement
    for update to school_teacher
    using (organization_id = (select my_organization())
       and class_id = any ((select my_taught_class_ids())::uuid[]) and exists (
               select from class as c
                where c.organization_id = announcement.organization_id
                  and c.class_id = announcement.class_id and c.archived_at is null));
create policy "teachers remove the announcements of their classes" on announcement
    for delete to school_teacher
    using (organization_id = (select my_organization())
       and class_id = any ((select my_taught_class_ids())::uuid[]) and exists (
               select from class as c
                where c.organization_id = announcement.organization_id
                  and c.class_id = announcement.class_id and c.archived_at is null));

create or replace trigger bump_version before update on announcement
    for each row execute function bump_version();
