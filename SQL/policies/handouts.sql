-- Who may do what with handouts, their tasks and assignments.
--
--                      handouts                        tasks, recipients       assignments
--   teacher            own classes; drafts: author     as the handout          reads own classes
--   student            reads own, published            reads own               reads, writes own
--   exporter           reads published                 reads                   reads
--   others             nothing                         nothing                 nothing
--
-- Teachers and students see handouts of their token's environment, exporters those of production. A student's own
-- handouts are published, of a class in which he or she sits now, and for the class or for him or her. Handouts are
-- deleted with delete_handout(); an app marks done with complete_assignments(). No one reads past locks
-- (handout_lock) and past recipients (former_recipient): only what is recorded depends on them.

grant select on handout to school_teacher, school_student, school_exporter;
grant insert (organization_id, handout_id, class_id, author_id, environment, title, instructions,
              recipients, publish_at, due_at, maximum_points),
      update (title, instructions, recipients, publish_at, due_at, maximum_points, locked_at, completed_at,
              archived_at)
    on handout to school_teacher;

create policy "teachers read the handouts of their classes, drafts their own" on handout
    for select to school_teacher
    using (organization_id = (select my_organization()) and deleted_at is null
       and environment = (select my_environment())
       and class_id = any ((select my_taught_class_ids())::uuid[])
       and (publish_at is not null or author_id = (select my_person())));
create policy "students read what is given to them" on handout
    for select to school_student
    using (organization_id = (select my_organization()) and deleted_at is null
       and environment = (select my_environment()) and publish_at <= moment()
       and class_id = any ((select my_class_ids())::uuid[])
       and (recipients = 'class'
            or handout_id = any ((select my_chosen_handout_ids())::uuid[])));
create policy "exporters read what was published" on handout
    for select to school_exporter
    using (organization_id = (select my_organization()) and deleted_at is null
       and environment = 'production' and publish_at <= moment());
create policy "teachers give handouts to their classes" on handout
    for insert to school_teacher
    with check (organization_id = (select my_organization()) and author_id = (select my_person())
       and environment = (select my_environment())
       and class_id = any ((select my_taught_class_ids())::uuid[])
       and exists (select from class as c
                    where c.organization_id = handout.organization_id
                      and c.class_id = handout.class_id and c.archived_at is null));
create policy "teachers change handouts of their classes, drafts their own" on handout
    for update to school_teacher
    using (organization_id = (select my_organization()) and deleted_at is null
       and environment = (select my_environment())
       and class_id = any ((select my_taught_class_ids())::uuid[])
       and (publish_at is not null or author_id = (select my_person())));

grant select on handout_recipient to school_teacher, school_student, school_exporter;
grant insert (organization_id, handout_id, person_id), delete on handout_recipient to school_teacher;

create policy "teachers and exporters see recipients of handouts they see" on handout_recipient
    for select to school_teacher, school_exporter
    using (organization_id = (select my_organization()) and exists (
               select from handout as h
                where h.organization_id = handout_recipient.organization_id
                  and h.handout_id = handout_recipient.handout_id));
create policy "students see that they are chosen" on handout_recipient
    for select to school_student
    using (organization_id = (select my_organization()) and person_id = (select my_person())
       and exists (select from handout as h
                    where h.organization_id = handout_recipient.organization_id
                      and h.handout_id = handout_recipient.handout_id));
create policy "teachers choose students of the class" on handout_recipient
    for insert to school_teacher
    with check (organization_id = (select my_organization()) and exists (
               select from handout as h
                 join seat as s on s.organization_id = h.organization_id and s.class_id = h.class_id
                where h.organization_id = handout_recipient.organization_id
                  and h.handout_id = handout_recipient.handout_id
                  and s.person_id = handout_recipient.person_id
                  and s.role = 'student' and is_open_seat(s)));
create policy "teachers take students back" on handout_recipient
    for delete to school_teacher
    using (organization_id = (select my_organization()) and exists (
               select from handout as h
                where h.organization_id = handout_recipient.organization_id
                  and h.handout_id = handout_recipient.handout_id));

grant select on task to school_teacher, school_student, school_exporter;
grant insert (organization_id, task_id, handout_id, class_id, position, kind, title, bundle_id,
              identifier_path, url, minutes, context_owner_id, titles, tool_id, custom, score_maximum,
              tool_resource_id, tool_tag, maximum_points),
      update (position, title, url, minutes, maximum_points), delete on task to school_teacher;

create policy "readers of a handout read its tasks" on task
    for select to school_teacher, school_student, school_exporter
    using (organization_id = (select my_organization()) and exists (
               select from handout as h
                where h.organization_id = task.organization_id and h.handout_id = task.handout_id));
create policy "teachers add tasks, of contexts and tools that they may give" on task
    for insert to school_teacher
    with check (organization_id = (select my_organization())
       and (tool_id is null or may_give_tool(tool_id, class_id)) and exists (
               select from handout as h
                where h.organization_id = task.organization_id and h.handout_id = task.handout_id
                  and (task.context_owner_id is null
                       or may_assign_context(task.context_owner_id, task.bundle_id, h.environment,
                                             task.identifier_path))));
create policy "teachers change tasks" on task
    for update to school_teacher
    using (organization_id = (select my_organization()) and exists (
               select from handout as h
                where h.organization_id = task.organization_id and h.handout_id = task.handout_id));
create policy "teachers remove tasks" on task
    for delete to school_teacher
    using (organization_id = (select my_organization()) and exists (
               select from handout as h
                where h.organization_id = task.organization_id and h.handout_id = task.handout_id));

grant select on assignment to school_teacher, school_student, school_exporter;
grant insert (organization_id, task_id, person_id, opened_at, done_at), update (opened_at, done_at)
    on assignment to school_student;

create policy "teachers read the assignments of the tasks of their classes" on assignment
    for select to school_teacher
    using (organization_id = (select my_organization()) and task_id in (
               select t.task_id from task as t
                where t.organization_id = (select my_organization())
                  and t.class_id = any ((select my_taught_class_ids())::uuid[])));
create policy "exporters read the assignments of tasks" on assignment
    for select to school_exporter
    using (organization_id = (select my_organization()) and exists (
               select from task as t
                where t.organization_id = assignment.organization_id
                  and t.task_id = assignment.task_id));
create policy "students read their assignments" on assignment
    for select to school_student
    using (organization_id = (select my_organization()) and person_id = (select my_person()));
create policy "students begin their assignments" on assignment
    for insert to school_student
    with check (organization_id = (select my_organization()) and person_id = (select my_person())
       and exists (select from task as t
                    where t.organization_id = assignment.organization_id
                      and t.task_id = assignment.task_id));
create policy "students carry on with their assignments" on assignment
    for update to school_student
    using (organization_id = (select my_organization()) and person_id = (select my_person())
       and exists (select from task as t
                    where t.organization_id = assignment.organization_id
                      and t.task_id = assignment.task_id));
