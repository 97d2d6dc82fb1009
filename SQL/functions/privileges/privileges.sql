-- Functions of privileges: where a teacher holds which.

-- privilege_is_granted (internal): whether the school grants a privilege to the teachers of a location. Teachers reset
-- the passwords of their students unless the school withdraws that: it is part of teaching, as it is for Apple's
-- Instructor. They make classes only where the school says so.
create or replace function privilege_is_granted(p_name text, p_location_id uuid) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return coalesce(
        (select is_granted from privilege
          where organization_id = my_organization() and name = p_name and location_id = p_location_id),
        (select is_granted from privilege
          where organization_id = my_organization() and name = p_name and location_id is null),
        p_name = 'resetPasswords');
end $$;

-- may_make_classes (internal): whether the caller is a teacher at the location, and the school grants the privilege
-- there.
create or replace function may_make_classes(p_location_id uuid) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return my_standing() = 'teacher' and privilege_is_granted('makeClasses', p_location_id) and exists (
        select from person_role as r
          join person as p on p.organization_id = r.organization_id and p.person_id = r.person_id
         where r.organization_id = my_organization() and r.person_id = my_person()
           and r.location_id = p_location_id and r.role = 'teacher' and p.deactivated_at is null);
end $$;

-- privileges_of_locations: each privilege, where it is granted. Without a location: the organization's setting.
-- is_own: whether it is set there, not inherited.
create or replace function privileges_of_locations()
    returns table (name text, location_id uuid, is_granted boolean, is_own boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select k.name, l.location_id, privilege_is_granted(k.name, l.location_id), exists (
               select from privilege as p
                where p.organization_id = my_organization() and p.name = k.name
                  and p.location_id is not distinct from l.location_id)
      from (values ('makeClasses'), ('resetPasswords')) as k (name)
     cross join (select null::uuid as location_id
                  union all
                 select location_id from location where organization_id = my_organization()) as l;
end $$;

-- my_privileges: which privileges the caller, a teacher, holds at which locations.
create or replace function my_privileges() returns table (name text, location_id uuid)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select k.name, r.location_id
      from person_role as r
     cross join (values ('makeClasses'), ('resetPasswords')) as k (name)
     where r.organization_id = my_organization() and r.person_id = my_person() and r.role = 'teacher'
       and privilege_is_granted(k.name, r.location_id);
end $$;

-- hold_privileges: a privilege changes only while no one acts on it. hold_made_class() locks the same row.
create or replace function hold_privileges() returns trigger
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform from organization where organization_id = my_organization() for no key update;
    return null;
end $$;

create or replace trigger hold_privileges before insert or update or delete on privilege
    for each statement execute function hold_privileges();

grant execute on function privileges_of_locations() to school_administrator;
grant execute on function my_privileges() to school_teacher;
