-- Who may do what with activities.
--
--                      activities and items              links, and what they come to
--   student            reads own                         reads of own activities
--   teacher            reads through links               reads of handouts that he or she reads
--   exporter           reads through links               reads links of handouts that exports hold
--   app                take_upload() only                nothing
--   others             nothing                           nothing
--
-- What an attempt came to is in its links alone. Of the activity itself teachers and exporters read what it was, but
-- not when it was changed, which would reveal what does not count for them. No one reads its parts.
--
-- A student sees activities of the token's environment. Administrators and managers run the directory and see no
-- progress. No one writes with statements, and no one sees uploads that are not stored yet.

grant select on activity_item, activity_assignment to school_student, school_teacher, school_exporter;
grant select on activity to school_student;
grant select (organization_id, person_id, activity_id, environment, bundle_id, identifier_path, arrived_at)
    on activity to school_teacher, school_exporter;

create policy "students read what counts for them" on activity_assignment
    for select to school_student
    using (organization_id = (select my_organization()) and is_shown and person_id = (select my_person())
       and exists (select from activity as a
                    where a.organization_id = activity_assignment.organization_id
                      and a.person_id = activity_assignment.person_id
                      and a.activity_id = activity_assignment.activity_id));
create policy "teachers read what counts for their handouts" on activity_assignment
    for select to school_teacher
    using (organization_id = (select my_organization()) and is_shown
       and class_id = any ((select my_taught_class_ids())::uuid[])
       and handout_id in (select h.handout_id from handout as h
                           where h.organization_id = (select my_organization())));
create policy "exporters read what counts for a handout" on activity_assignment
    for select to school_exporter
    using (organization_id = (select my_organization()) and is_shown
       and exists (select from handout as h
                    where h.organization_id = activity_assignment.organization_id
                      and h.handout_id = activity_assignment.handout_id));

-- Anyone who sees a student's attempts at a task sees what they come to: all of them count for one handout.
grant select on assignment_figures to school_student, school_teacher, school_exporter;

create policy "students read what their attempts come to" on assignment_figures
    for select to school_student
    using (organization_id = (select my_organization()) and person_id = (select my_person())
       and exists (select from activity_assignment as l
                    where l.organization_id = assignment_figures.organization_id
                      and l.person_id = assignment_figures.person_id
                      and l.activity_id = assignment_figures.latest_activity_id
                      and l.task_id = assignment_figures.task_id));
create policy "teachers read what attempts at their handouts come to" on assignment_figures
    for select to school_teacher
    using (organization_id = (select my_organization())
       and class_id = any ((select my_taught_class_ids())::uuid[])
       and handout_id in (select h.handout_id from handout as h
                           where h.organization_id = (select my_organization())));

create policy "exporters read what attempts at a handout come to" on assignment_figures
    for select to school_exporter
    using (organization_id = (select my_organization())
       and exists (select from handout as h
                    where h.organization_id = assignment_figures.organization_id
                      and h.handout_id = assignment_figures.handout_id));

create policy "students read their activities" on activity
    for select to school_student
    using (organization_id = (select my_organization()) and person_id = (select my_person())
       and environment = (select my_environment()));
create policy "teachers and exporters read activities through links" on activity
    for select to school_teacher, school_exporter
    using (organization_id = (select my_organization()) and exists (
               select from activity_assignment as l
                where l.organization_id = activity.organization_id
                  and l.person_id = activity.person_id and l.activity_id = activity.activity_id));

create policy "students read their items" on activity_item
    for select to school_student
    using (organization_id = (select my_organization()) and person_id = (select my_person())
       and exists (select from activity as a
                    where a.organization_id = activity_item.organization_id
                      and a.person_id = activity_item.person_id
                      and a.activity_id = activity_item.activity_id));
create policy "teachers and exporters read items through links" on activity_item
    for select to school_teacher, school_exporter
    using (organization_id = (select my_organization()) and exists (
               select from activity_assignment as l
                where l.organization_id = activity_item.organization_id
                  and l.person_id = activity_item.person_id
                  and l.activity_id = activity_item.activity_id
                  and l.task_id = activity_item.task_id));
