-- Functions of the contents of a development environment: its made-up people, and how it is emptied.

-- seat_made_up_people (internal): seats everyone in the environment in its class, from now on.
create or replace function seat_made_up_people(p_development_id uuid) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform from begin_seats(p_development_id, (
        select jsonb_agg(jsonb_build_object('class_id', c.class_id, 'role', r.role, 'person_ids', r.ids))
          from class as c
         cross join (select h.role, array_agg(h.person_id) as ids from person_role as h
                      where h.organization_id = p_development_id group by h.role) as r
         where c.organization_id = p_development_id));
end $$;

-- make_up_people (internal): a location, a class, a teacher and three students. Nobody can sign in as one of them:
-- none has a password, and their domain exists nowhere (RFC 6761, section 6.4).
create or replace function make_up_people(p_development_id uuid) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    place constant uuid := new_id();
    home  constant text := p_development_id || '.invalid';
    made  constant jsonb := (
        select jsonb_agg(jsonb_build_object(
                   'id', new_id(), 'role', m.role, 'given_name', m.name, 'family_name', 'Development',
                   'managed_id', m.account || '@' || home, 'first_sign_in_at', moment()))
          from (values ('teacher', 'Teacher', 'teacher'), ('student', 'Student 1', 'student-1'),
                       ('student', 'Student 2', 'student-2'), ('student', 'Student 3', 'student-3'))
               as m (role, name, account));
begin
    insert into domain_directory (domain, organization_id) values (home, p_development_id);
    insert into organization_domain (organization_id, domain) values (p_development_id, home);
    insert into location (organization_id, location_id, name) values (p_development_id, place, 'Development');
    perform add_rows('class', p_development_id, jsonb_build_array(jsonb_build_object(
        'id', new_id(), 'location_id', place, 'name', 'Development')));
    insert into managed_id_directory (managed_id, organization_id, person_id)
    select m.managed_id, p_development_id, m.id from jsonb_to_recordset(made) as m (id uuid, managed_id text);
    perform add_rows('person', p_development_id, (select jsonb_agg(m - 'role') from jsonb_array_elements(made) as m));
    perform give_roles(p_development_id, (
        select jsonb_agg(jsonb_build_object('person_id', m.id, 'location_id', place, 'role', m.role))
          from jsonb_to_recordset(made) as m (id uuid, role text)));
    perform seat_made_up_people(p_development_id);
end $$;

-- made_up_people (internal): the people of an environment.
create or replace function made_up_people(p_development_id uuid)
    returns table (person_id uuid, role text, given_name text, family_name text)
    language sql stable
begin atomic
    select p.person_id, r.role, p.given_name, p.family_name
      from person as p
      join person_role as r on r.organization_id = p.organization_id and r.person_id = p.person_id
     where p.organization_id = p_development_id;
end;

-- empty_development (internal): removes the contents of an environment from every table with an organization but
-- those named, including tables added later: referring rows first. It waits for concurrent writers; later ones find
-- the environment empty.
create or replace function empty_development(p_development_id uuid, p_kept text[]) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    remaining oid[] := array(
        select c.oid from pg_class as c
          join pg_attribute as a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
         where c.relnamespace = 'school'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
           and c.relname <> all (p_kept));
    doomed    oid;
begin
    if not is_development(p_development_id) then
        raise exception 'only what is made up can be emptied' using errcode = 'insufficient_privilege';
    end if;
    perform from organization where organization_id = p_development_id for update;
    perform from class where organization_id = p_development_id order by class_id for update;
    perform from person where organization_id = p_development_id order by person_id for update;
    -- Rows of a deleted handout record no deletion when they are removed, so those tables stay empty.
    update handout set deleted_at = coalesce(deleted_at, moment()) where organization_id = p_development_id;
    while remaining <> '{}' loop
        select r into strict doomed from unnest(remaining) as r
         where not exists (select from pg_constraint as k
                            where k.contype = 'f' and k.confrelid = r and k.conrelid <> r
                              and k.conrelid = any (remaining))
         limit 1;
        execute format('delete from %s where organization_id = $1', doomed::regclass) using p_development_id;
        remaining := array_remove(remaining, doomed);
    end loop;
end $$;
