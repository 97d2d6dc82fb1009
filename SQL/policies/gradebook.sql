-- Who may do what with the gradebook.
--
--                   grants              items, categories, scales, grades         handouts' tasks and what they came to
--   administrator   makes, withdraws    nothing                                   nothing
--   roster reader   its own             its own: reads, writes, removes.          reads, of classes whose results it
--                                       Others': as the handouts' tasks           was granted
--   teacher         of own classes      reads items and grades of own classes     see handouts.sql, activities.sql
--   student         nothing             reads own grades and their items          see handouts.sql, activities.sql
--
-- A roster reader has all of this only in classes for which an administrator granted it the gradebook. Teachers and
-- students do not see what was removed. Without the grant of results, nothing of a handout shows.

grant select, insert (organization_id, service_account_id, location_id, class_id, reads_results), delete
    on gradebook_grant to school_administrator;
grant select on gradebook_grant to school_roster_reader, school_teacher;

create policy "administrators read grants" on gradebook_grant
    for select to school_administrator using (organization_id = (select my_organization()));
create policy "administrators grant the gradebook to roster readers" on gradebook_grant
    for insert to school_administrator
    with check (organization_id = (select my_organization()) and exists (
                    select from service_account as a
                     where a.organization_id = gradebook_grant.organization_id
                       and a.service_account_id = gradebook_grant.service_account_id
                       and a.role = 'rosterReader' and a.revoked_at is null));
create policy "administrators withdraw grants" on gradebook_grant
    for delete to school_administrator using (organization_id = (select my_organization()));
create policy "roster readers read their grants" on gradebook_grant
    for select to school_roster_reader
    using (organization_id = (select my_organization()) and service_account_id = (select my_service_account()));
create policy "teachers read the grants of their classes" on gradebook_grant
    for select to school_teacher
    using (organization_id = (select my_organization()) and exists (
               select from class as c
                where c.organization_id = gradebook_grant.organization_id
                  and c.class_id = any ((select my_taught_class_ids())::uuid[])
                  and (gradebook_grant.class_id is null or gradebook_grant.class_id = c.class_id)
                  and (gradebook_grant.location_id is null or gradebook_grant.location_id = c.location_id)));

-- What roster readers wrote

grant select on gradebook_category, gradebook_scale, gradebook_item, grade to school_roster_reader;
grant insert (organization_id, gradebook_category_id, service_account_id, source_id, title, weight, more, deleted_at),
      update (title, weight, more, deleted_at) on gradebook_category to school_roster_reader;
grant insert (organization_id, gradebook_scale_id, service_account_id, source_id, class_id, title, kind, entries, more,
              deleted_at),
      update (class_id, title, kind, entries, more, deleted_at) on gradebook_scale to school_roster_reader;
grant insert (organization_id, gradebook_item_id, service_account_id, source_id, class_id, gradebook_category_id,
              gradebook_scale_id, term_id, title, description, assigned_at, due_at, value_min, value_max, more,
              deleted_at),
      update (class_id, gradebook_category_id, gradebook_scale_id, term_id, title, description, assigned_at, due_at,
              value_min, value_max, more, deleted_at) on gradebook_item to school_roster_reader;
grant insert (organization_id, grade_id, service_account_id, source_id, gradebook_item_id, class_id, person_id,
              gradebook_scale_id, status, score, text_score, scored_on, comment, is_in_progress, is_incomplete,
              is_late, is_missing, more, deleted_at),
      update (gradebook_item_id, class_id, person_id, gradebook_scale_id, status, score, text_score, scored_on, comment,
              is_in_progress, is_incomplete, is_late, is_missing, more, deleted_at) on grade to school_roster_reader;

-- Each table has one policy of what is a roster reader's own, which it reads, makes and changes, and one of what else
-- it reads: PostgreSQL shows a row that either lets through.

create policy "roster readers keep their categories" on gradebook_category
    for all to school_roster_reader
    using (organization_id = (select my_organization())
       and service_account_id = (select my_service_account())
       and cardinality((select my_gradebook_class_ids(false))::uuid[]) > 0);
create policy "roster readers read categories of items they read" on gradebook_category
    for select to school_roster_reader
    using (organization_id = (select my_organization())
       and exists (select from gradebook_item as i
                    where i.organization_id = gradebook_category.organization_id
                      and i.gradebook_category_id = gradebook_category.gradebook_category_id));

create policy "roster readers keep their scales" on gradebook_scale
    for all to school_roster_reader
    using (organization_id = (select my_organization())
       and service_account_id = (select my_service_account())
       and class_id = any ((select my_gradebook_class_ids(false))::uuid[]));
create policy "roster readers read scales of classes granted to them" on gradebook_scale
    for select to school_roster_reader
    using (organization_id = (select my_organization())
       and class_id = any ((select my_gradebook_class_ids(true))::uuid[]));

create policy "roster readers keep their items" on gradebook_item
    for all to school_roster_reader
    using (organization_id = (select my_organization())
       and service_account_id = (select my_service_account())
       and class_id = any ((select my_gradebook_class_ids(false))::uuid[]));
create policy "roster readers read items of classes granted to them" on gradebook_item
    for select to school_roster_reader
    using (organization_id = (select my_organization())
       and class_id = any ((select my_gradebook_class_ids(true))::uuid[]));

create policy "roster readers keep their grades, of students of the class" on grade
    for all to school_roster_reader
    using (organization_id = (select my_organization())
       and service_account_id = (select my_service_account())
       and class_id = any ((select my_gradebook_class_ids(false))::uuid[]))
    with check (organization_id = (select my_organization())
       and service_account_id = (select my_service_account())
       and class_id = any ((select my_gradebook_class_ids(false))::uuid[])
       and exists (select from seat as s
                    where s.organization_id = grade.organization_id and s.class_id = grade.class_id
                      and s.person_id = grade.person_id and s.role = 'student')
       and exists (select from gradebook_item as i
                    where i.organization_id = grade.organization_id
                      and i.gradebook_item_id = grade.gradebook_item_id
                      and i.service_account_id = (select my_service_account())));
create policy "roster readers read grades of classes granted to them" on grade
    for select to school_roster_reader
    using (organization_id = (select my_organization())
       and class_id = any ((select my_gradebook_class_ids(true))::uuid[]));

-- Teachers and students

grant select on gradebook_item, grade to school_teacher, school_student;

create policy "teachers read what is graded in their classes" on gradebook_item
    for select to school_teacher
    using (organization_id = (select my_organization()) and deleted_at is null
       and class_id = any ((select my_taught_class_ids())::uuid[]));
create policy "teachers read the grades of their classes" on grade
    for select to school_teacher
    using (organization_id = (select my_organization()) and deleted_at is null
       and class_id = any ((select my_taught_class_ids())::uuid[]));
create policy "students read their grades" on grade
    for select to school_student
    using (organization_id = (select my_organization()) and deleted_at is null
       and person_id = (select my_person()));
create policy "students read what their grades are for" on gradebook_item
    for select to school_student
    using (organization_id = (select my_organization()) and deleted_at is null and exists (
               select from grade as g
                where g.organization_id = gradebook_item.organization_id
                  and g.gradebook_item_id = gradebook_item.gradebook_item_id));

-- Handouts, of classes whose results were granted

grant select (organization_id, handout_id, class_id, title, publish_at, due_at, updated_at) on handout
    to school_roster_reader;
grant select (organization_id, task_id, handout_id, class_id, position, title, updated_at) on task
    to school_roster_reader;
grant select (organization_id, task_id, person_id, done_at, updated_at) on assignment to school_roster_reader;
grant select (organization_id, task_id, person_id, handout_id, class_id, share, positive, quantity, started_at,
              latest_activity_id) on assignment_figures to school_roster_reader;
grant select (organization_id, task_id, handout_id, class_id, person_id, activity_id, updated_at) on activity_assignment
    to school_roster_reader;

create policy "roster readers read handouts whose results they were granted" on handout
    for select to school_roster_reader
    using (organization_id = (select my_organization()) and deleted_at is null
       and environment = 'production' and publish_at <= moment()
       and class_id = any ((select my_gradebook_class_ids(true))::uuid[]));
create policy "roster readers read the tasks of handouts they read" on task
    for select to school_roster_reader
    using (organization_id = (select my_organization())
       and class_id = any ((select my_gradebook_class_ids(true))::uuid[])
       and exists (select from handout as h
                    where h.organization_id = task.organization_id and h.handout_id = task.handout_id));
create policy "roster readers read assignments of tasks they read" on assignment
    for select to school_roster_reader
    using (organization_id = (select my_organization())
       and exists (select from task as t
                    where t.organization_id = assignment.organization_id and t.task_id = assignment.task_id));
create policy "roster readers read what attempts at tasks they read come to" on assignment_figures
    for select to school_roster_reader
    using (organization_id = (select my_organization())
       and class_id = any ((select my_gradebook_class_ids(true))::uuid[])
       and exists (select from handout as h
                    where h.organization_id = assignment_figures.organization_id
                      and h.handout_id = assignment_figures.handout_id));
create policy "roster readers read what counts for tasks they read" on activity_assignment
    for select to school_roster_reader
    using (organization_id = (select my_organization()) and is_shown
       and class_id = any ((select my_gradebook_class_ids(true))::uuid[])
       and exists (select from handout as h
                    where h.organization_id = activity_assignment.organization_id
                      and h.handout_id = activity_assignment.handout_id));

create or replace trigger touch before update on gradebook_category for each row execute function touch();
create or replace trigger touch before update on gradebook_scale for each row execute function touch();
create or replace trigger bump_version before update on gradebook_item
    for each row execute function bump_version();
create or replace trigger bump_version before update on grade
    for each row execute function bump_version();
