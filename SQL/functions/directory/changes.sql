-- Functions of the directory: the caller's relation to a class, and what follows when people change.

-- my_taught_class_ids: the classes that the caller teaches now; for an archived class, taught when it was archived.
-- Definer, because the policies of seat call it.
create or replace function my_taught_class_ids() returns uuid[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    organization constant uuid := my_organization();
    person       constant uuid := my_person();
begin
    return array(
        select s.class_id
          from seat as s
         -- Looked up for each seat; without this, PostgreSQL may read all classes of a district instead.
         cross join lateral (
               select c.archived_at from class as c
                where c.organization_id = organization and c.class_id = s.class_id
               offset 0) as c
         where s.organization_id = organization and s.person_id = person
           and s.role = 'teacher' and is_seated(s, coalesce(c.archived_at, moment())));
end $$;

-- my_class_ids: classes in which the caller sits now.
create or replace function my_class_ids() returns uuid[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    organization constant uuid := my_organization();
    person       constant uuid := my_person();
begin
    return array(
        select s.class_id from seat as s
         where s.organization_id = organization and s.person_id = person
           and s.role = 'student' and is_seated(s));
end $$;

-- my_taught_person_ids: everyone who sits in or teaches, or ever did, a class that the caller teaches: a report still
-- names people who left.
create or replace function my_taught_person_ids() returns uuid[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return array(
        select distinct person_id from seat
         where organization_id = my_organization() and class_id = any ((select my_taught_class_ids())::uuid[]));
end $$;

grant execute on function my_taught_class_ids(), my_taught_person_ids() to school_teacher;
grant execute on function my_class_ids() to school_student;

-- may_give_role: which roles the caller may give and take (Sources/facts/apple-school-manager.md).
create or replace function may_give_role(p_role text) returns boolean
    language sql stable parallel safe
    return case my_standing()
        when 'administrator' then true
        when 'peopleManager' then p_role <> 'administrator'
        when 'siteManager'   then p_role <> 'administrator'
        when 'provisioner'   then p_role in ('staff', 'teacher', 'student')
        when 'directoryWriter' then p_role in ('staff', 'teacher', 'student')
        when 'manager'       then p_role in ('staff', 'teacher', 'student')
        else false end;
grant execute on function may_give_role(text) to school_directory_manager, school_manager;

-- end_sessions: signs out people of the caller's organization when they are deactivated or their roles change.
create or replace function end_sessions(p_person_ids uuid[], p_reason text default 'deactivated')
    returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform end_sessions_of(my_organization(), array(
        select person_id from person
         where organization_id = my_organization() and person_id = any (p_person_ids)), p_reason);
end $$;
grant execute on function end_sessions(uuid[], text) to school_directory_manager;

-- set_student_progress: the organization's switch. Turning it off drops all further activities, and p_delete also
-- deletes the stored ones.
create or replace function set_student_progress(p_is_enabled boolean, p_delete boolean) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update organization set is_student_progress_enabled = p_is_enabled
     where organization_id = my_organization();
    if p_delete and not p_is_enabled then
        perform delete_activities(my_organization(), null);
        perform expire_exports_of(my_organization(), 'progressDeleted');
    end if;
    perform audit('studentProgressChange', 'organization', my_organization()::text,
                  jsonb_build_object('enabled', p_is_enabled, 'deleted', p_delete and not p_is_enabled));
end $$;

-- set_progress_pause: the switch of one student; pausing deletes his or her activities. False if there is no such
-- person. Does nothing if the switch is already set that way.
create or replace function set_progress_pause(p_person_id uuid, p_is_paused boolean) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update person set is_progress_paused = p_is_paused
     where organization_id = my_organization() and person_id = p_person_id
       and is_progress_paused <> p_is_paused;
    if not found then
        return exists (select from person
                        where organization_id = my_organization() and person_id = p_person_id);
    end if;
    if p_is_paused then
        perform delete_activities(my_organization(), p_person_id);
        perform expire_exports_of(my_organization(), 'progressDeleted');
    end if;
    perform audit('studentProgressChange', 'person', p_person_id::text,
                  jsonb_build_object('paused', p_is_paused));
    return true;
end $$;
grant execute on function set_student_progress(boolean, boolean) to school_administrator;
grant execute on function set_progress_pause(uuid, boolean)
    to school_administrator, school_people_manager, school_site_manager;

-- announce_people: notifies every process to drop its cached data about people whose roles or status changed. This
-- only makes the change visible sooner: identify() reads the current state each time.
create or replace function announce_people() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform pg_notify('school_revocation', 'person:' || c.organization_id || '/' || c.person_id)
       from (select distinct organization_id, person_id from changed) as c
      where exists (select from access_token as t
                     where t.organization_id = c.organization_id and t.person_id = c.person_id
                       and t.revoked_at is null and t.expires_at > moment());
    return null;
end $$;

-- note_who_prolongs: extending a teacher's seat counts as seating the teacher.
create or replace function note_who_prolongs() returns trigger language plpgsql
    set search_path = school, pg_temp as $$
begin
    new.seated_by := my_person();
    return new;
end $$;
create or replace trigger note_who_prolongs before update of left_at on seat
    for each row when (new.role = 'teacher' and old.left_at is not null
                       and (new.left_at is null or new.left_at > old.left_at))
    execute function note_who_prolongs();

create or replace trigger bump_version before update on location
    for each row execute function bump_version();
create or replace trigger bump_version before update on person
    for each row execute function bump_version();
create or replace trigger bump_version before update on course
    for each row execute function bump_version();
create or replace trigger bump_version before update on class
    for each row execute function bump_version();
create or replace trigger touch before update on seat
    for each row execute function touch();

create or replace trigger announce_person after update on person
    referencing new table as changed for each statement execute function announce_people();
create or replace trigger announce_given_roles after insert on person_role
    referencing new table as changed for each statement execute function announce_people();
create or replace trigger announce_taken_roles after delete on person_role
    referencing old table as changed for each statement execute function announce_people();

create or replace trigger bump_organization_of_new_domain after insert on organization_domain
    referencing new table as changed for each statement
    execute function bump_parent('organization', 'organization_id');
create or replace trigger bump_organization_of_old_domain after delete on organization_domain
    referencing old table as changed for each statement
    execute function bump_parent('organization', 'organization_id');
create or replace trigger bump_person_of_given_role after insert on person_role
    referencing new table as changed for each statement execute function bump_parent('person', 'person_id');
create or replace trigger bump_person_of_taken_role after delete on person_role
    referencing old table as changed for each statement execute function bump_parent('person', 'person_id');
create or replace trigger bump_class_of_new_seat after insert on seat
    referencing new table as changed for each statement execute function bump_parent('class', 'class_id');
create or replace trigger bump_class_of_changed_seat after update on seat
    referencing new table as changed for each statement execute function bump_parent('class', 'class_id');
create or replace trigger bump_class_of_old_seat after delete on seat
    referencing old table as changed for each statement execute function bump_parent('class', 'class_id');
