-- Who may do what with the directory.
--
--                      locations  people and roles      courses  classes              seats
--   administrator      all        all                   all      all                  all
--   site, people mgr   all        all but admin. role   all      all                  all
--   provisioner        all        staff, teach., stud.  all      all                  all
--   manager            reads      staff, teach., stud.  reads    see classes.sql      see classes.sql
--   content manager    reads      reads                 reads    reads                reads
--   teacher            reads      reads of own classes  reads    reads own            reads own classes
--   student            reads      reads self            reads    reads own            reads own seats
--   staff              reads      reads self            nothing  nothing              nothing
--   exporter           reads      reads, no managed IDs reads    reads                reads
--   developer, app     nothing    nothing               nothing  nothing              nothing
--
-- Students read the names of the teachers of their classes with teachers_of_my_classes(), and nothing else of them.
--
-- A caller may not change a person with a role that the caller may not give (protect_higher_roles() in
-- functions/directory/people.sql). No one deletes people, classes or seats with statements: people are deactivated,
-- or deleted with delete_person(); seats end.

-- Locations

grant select on location to school_directory_reader, school_person, school_exporter;
grant insert (organization_id, location_id, source_id, name, time_zone, password_policy),
      update (source_id, name, time_zone, password_policy), delete on location to school_directory_manager;

create policy "everybody reads the locations of their organization" on location
    for select to school_directory_reader, school_person, school_exporter
    using (organization_id = (select my_organization()));
create policy "directory managers add locations" on location
    for insert to school_directory_manager with check (organization_id = (select my_organization()));
create policy "directory managers change locations" on location
    for update to school_directory_manager using (organization_id = (select my_organization()));
create policy "directory managers remove locations" on location
    for delete to school_directory_manager using (organization_id = (select my_organization()));

-- People

grant select on person to school_directory_reader, school_person;
grant select (organization_id, person_id, source_id, given_name, middle_name, family_name,
              person_number, grade, is_progress_paused, deactivated_at, status, version, created_at,
              updated_at, xmin) on person to school_exporter;
grant insert (organization_id, person_id, source_id, given_name, middle_name, family_name,
              person_number, managed_id, email, grade, password_policy, name_order, origin),
      update (source_id, given_name, middle_name, family_name, person_number, managed_id, email,
              grade, password_policy, name_order, origin, deactivated_at)
    on person to school_directory_manager, school_manager;

create policy "directory readers read the people of their organization" on person
    for select to school_directory_reader, school_exporter
    using (organization_id = (select my_organization()));
create policy "everybody reads himself or herself" on person
    for select to school_person
    using (organization_id = (select my_organization()) and person_id = (select my_person()));
create policy "teachers read the people of their classes" on person
    for select to school_teacher
    using (organization_id = (select my_organization())
       and person_id = any ((select my_taught_person_ids())::uuid[]));
create policy "directory managers add people" on person
    for insert to school_directory_manager, school_manager
    with check (organization_id = (select my_organization()));
create policy "directory managers change people" on person
    for update to school_directory_manager, school_manager
    using (organization_id = (select my_organization()));

grant select on person_role to school_directory_reader, school_person, school_exporter;
grant insert (organization_id, person_id, location_id, role, origin), delete
    on person_role to school_directory_manager, school_manager;

create policy "directory readers read roles" on person_role
    for select to school_directory_reader, school_exporter
    using (organization_id = (select my_organization()));
create policy "everybody reads their own roles" on person_role
    for select to school_person
    using (organization_id = (select my_organization()) and person_id = (select my_person()));
create policy "teachers read the roles of the people of their classes" on person_role
    for select to school_teacher
    using (organization_id = (select my_organization())
       and person_id = any ((select my_taught_person_ids())::uuid[]));
create policy "directory managers give roles that are theirs to give" on person_role
    for insert to school_directory_manager, school_manager
    with check (organization_id = (select my_organization()) and may_give_role(role));
create policy "directory managers take roles that are theirs to give" on person_role
    for delete to school_directory_manager, school_manager
    using (organization_id = (select my_organization()) and may_give_role(role));

-- Courses and classes

grant select on course to school_directory_reader, school_teacher, school_student, school_exporter;
grant insert (organization_id, course_id, source_id, location_id, name, number),
      update (source_id, location_id, name, number), delete on course to school_directory_manager;

create policy "everybody reads the courses of their organization" on course
    for select to school_directory_reader, school_teacher, school_student, school_exporter
    using (organization_id = (select my_organization()));
create policy "directory managers add courses" on course
    for insert to school_directory_manager with check (organization_id = (select my_organization()));
create policy "directory managers change courses" on course
    for update to school_directory_manager using (organization_id = (select my_organization()));
create policy "directory managers remove courses" on course
    for delete to school_directory_manager using (organization_id = (select my_organization()));

grant select on class to school_directory_reader, school_teacher, school_student, school_exporter;
grant insert (organization_id, class_id, source_id, location_id, course_id, term_id, name, number,
              display_name, room, origin),
      update (source_id, location_id, course_id, term_id, name, number, display_name, room)
    on class to school_directory_manager, school_manager;
grant update (origin, archived_at) on class to school_directory_manager;

create policy "directory readers read the classes of their organization" on class
    for select to school_directory_reader, school_exporter
    using (organization_id = (select my_organization()));
create policy "teachers read the classes they teach" on class
    for select to school_teacher
    using (organization_id = (select my_organization())
       and class_id = any ((select my_taught_class_ids())::uuid[]));
create policy "students read the classes they sit in" on class
    for select to school_student
    using (organization_id = (select my_organization())
       and class_id = any ((select my_class_ids())::uuid[]));
create policy "directory managers add classes" on class
    for insert to school_directory_manager with check (organization_id = (select my_organization()));
create policy "directory managers change classes" on class
    for update to school_directory_manager using (organization_id = (select my_organization()));

-- Seats: one that began earlier than now must be recorded as of now.

grant select on seat to school_directory_reader, school_teacher, school_student, school_exporter;
grant insert (organization_id, class_id, person_id, role, joined_at, left_at, recorded_at, source_id),
      update (joined_at, left_at, source_id) on seat to school_directory_manager;

create policy "directory readers read the seats of their organization" on seat
    for select to school_directory_reader, school_exporter
    using (organization_id = (select my_organization()));
create policy "teachers read the seats of their classes" on seat
    for select to school_teacher
    using (organization_id = (select my_organization())
       and class_id = any ((select my_taught_class_ids())::uuid[]));
create policy "students read their own seats" on seat
    for select to school_student
    using (organization_id = (select my_organization()) and person_id = (select my_person()));
create policy "directory managers seat people" on seat
    for insert to school_directory_manager
    with check (organization_id = (select my_organization())
       and coalesce(recorded_at, joined_at) >= (select moment()));
create policy "directory managers end seats" on seat
    for update to school_directory_manager using (organization_id = (select my_organization()));
