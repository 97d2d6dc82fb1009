-- Functions of classes that teachers make with the privilege to make classes.
--
-- They run with the owner's rights and check for themselves: a teacher has no right to write classes or seats. Those
-- who change them first wait for changes of the privilege, the caller's roles and the class, and then look again.

-- is_made_class (internal): whether teachers made the class. One that an import brought, or that has a source_id, is
-- the school's own, even if a teacher made it.
create or replace function is_made_class(p_class class) returns boolean
    language sql immutable parallel safe
    return p_class.origin = 'teacher' and p_class.source_id is null;

-- made_class_outcome (internal): what changing a class would result in: 'unknown' (the caller does not teach it),
-- 'forbidden', 'archived' or 'held'.
create or replace function made_class_outcome(p_class_id uuid) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    target class;
begin
    select c.* into target from class as c
     where c.organization_id = my_organization() and c.class_id = p_class_id and exists (
           select from seat as s
            where s.organization_id = c.organization_id and s.class_id = c.class_id and s.person_id = my_person()
              and s.role = 'teacher' and is_seated(s, coalesce(c.archived_at, latest_moment())));
    return case when target.class_id is null                 then 'unknown'
                when not is_made_class(target)
                  or not may_make_classes(target.location_id) then 'forbidden'
                when target.archived_at is not null           then 'archived'
                else 'held' end;
end $$;

-- hold_privileges_of_caller (internal): until the transaction ends, no one withdraws a privilege, takes a role from the
-- caller or deactivates him or her.
create or replace function hold_privileges_of_caller() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform from person where organization_id = my_organization() and person_id = my_person() for share;
    perform from organization where organization_id = my_organization() for share;
    perform from person_role
      where organization_id = my_organization() and person_id = my_person() and role = 'teacher'
      order by location_id for share;
end $$;

-- hold_made_class: locks a class that the caller is about to change, with everything the right to do so depends on.
-- Returns what made_class_outcome() returns, and the version of the class.
create or replace function hold_made_class(p_class_id uuid) returns table (outcome text, version bigint)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    perform hold_privileges_of_caller();
    perform from class as c
      where c.organization_id = my_organization() and c.class_id = p_class_id
        and c.class_id = any ((select my_taught_class_ids())::uuid[]) for no key update;
    perform from seat
      where organization_id = my_organization() and class_id = p_class_id and person_id = my_person()
        and role = 'teacher' order by joined_at for share;
    return query select made_class_outcome(p_class_id), (
        select c.version from class as c where c.organization_id = my_organization() and c.class_id = p_class_id);
end $$;

-- audit_made_class (internal): writes an event about a class that a teacher made. Teachers cannot write such events
-- by themselves.
create or replace function audit_made_class(p_kind text, p_class_id uuid, p_details jsonb) returns void
    language sql
begin atomic
    select write_audit_event(my_organization(), p_kind, my_standing(), my_person(), my_app(), null,
                             'class', p_class_id::text, p_details);
end;

-- make_class: makes a class at a location, and seats the caller as its teacher. Outcomes: made, forbidden,
-- unknownTerm, termClosed, tooMany (fifty classes of the caller that are not archived).
create or replace function make_class(p_class_id uuid, p_location_id uuid, p_term_id uuid, p_name text, p_number text,
                                      p_room text) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    own       constant uuid := my_organization();
    is_closed boolean;
begin
    -- Two calls of a teacher at once count one after the other.
    perform from person where organization_id = own and person_id = my_person() for no key update;
    perform hold_privileges_of_caller();
    if not may_make_classes(p_location_id) then
        return 'forbidden';
    end if;
    if p_term_id is not null then
        select closed_at is not null into is_closed from term
         where organization_id = own and term_id = p_term_id for share;
        if is_closed is null then
            return 'unknownTerm';
        elsif is_closed then
            return 'termClosed';
        end if;
    end if;
    if (select count(*) from class
         where organization_id = own and made_by = my_person() and archived_at is null) >= 50 then
        return 'tooMany';
    end if;
    perform add_rows('class', own, jsonb_build_array(jsonb_build_object(
        'id', p_class_id, 'location_id', p_location_id, 'term_id', p_term_id, 'name', p_name, 'number', p_number,
        'room', p_room, 'origin', 'teacher', 'made_by', my_person())));
    -- The class is the teacher's own: that no one else seated him or her is not unusual.
    insert into seat (organization_id, class_id, person_id, role, seated_by)
    values (own, p_class_id, my_person(), 'teacher', null);
    perform audit_made_class('classChange', p_class_id, '{"change": "made"}');
    perform audit_made_class('rosterChange', p_class_id, jsonb_build_object(
        'role', 'teacher', 'joined', jsonb_build_array(my_person()), 'left', '[]'::jsonb));
    return 'made';
end $$;

-- change_made_class: changes the fields of a class that p_changes has: name, number, room. Outcomes: those of
-- made_class_outcome().
create or replace function change_made_class(p_class_id uuid, p_changes jsonb) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    found constant text := (select outcome from hold_made_class(p_class_id));
begin
    if found <> 'held' then
        return found;
    end if;
    perform change_rows('class', my_organization(), jsonb_build_array(
        only_columns(p_changes, '{name,number,room}') || jsonb_build_object('id', p_class_id)));
    perform audit_made_class('classChange', p_class_id, jsonb_build_object(
        'change', 'changed', 'fields', (select jsonb_agg(k order by k) from jsonb_object_keys(p_changes) as k)));
    return found;
end $$;

-- delete_made_class: deletes a class that the caller made, with its seats. Handouts prevent that through their
-- foreign key. Outcomes: those of made_class_outcome().
create or replace function delete_made_class(p_class_id uuid) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    found constant text := (select outcome from hold_made_class(p_class_id));
begin
    if found <> 'held' then
        return found;
    elsif not exists (select from class
                       where organization_id = my_organization() and class_id = p_class_id
                         and made_by = my_person()) then
        return 'forbidden';
    end if;
    delete from seat where organization_id = my_organization() and class_id = p_class_id;
    delete from class where organization_id = my_organization() and class_id = p_class_id;
    perform audit_made_class('removal', p_class_id, '{}');
    return found;
end $$;

grant execute on function hold_made_class(uuid), make_class(uuid, uuid, uuid, text, text, text),
    change_made_class(uuid, jsonb), delete_made_class(uuid) to school_teacher;
