-- Functions of people: who may change whom, what follows when roles and status change, who is locked out, and finding
-- people by name.

-- protect_higher_roles: a caller may not change, by any statement, a person with a role that the caller may not give.
-- The server checks first, and gives a readable refusal.
--
-- For statement triggers on person and person_role with a transition table named changed. By name they fire first, so
-- that theirs is the refusal reported. With the argument 'telling' and a table named former, a row that only got a new
-- version did not change: something that the person's record refers to did (bump_referrers).
create or replace function protect_higher_roles() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    is_refused boolean;
begin
    if my_standing() is null
       or my_standing() not in ('siteManager', 'peopleManager', 'provisioner', 'manager', 'directoryWriter') then
        return null;
    end if;
    if tg_argv[0] = 'telling' then
        is_refused := exists (
            select from changed as c
              join person_role as r on r.organization_id = c.organization_id and r.person_id = c.person_id
              join former as f on f.organization_id = c.organization_id and f.person_id = c.person_id
             where not may_give_role(r.role)
               and to_jsonb(c) - '{version,updated_at}'::text[] <> to_jsonb(f) - '{version,updated_at}'::text[]);
    else
        is_refused := exists (
            select from changed as c
              join person_role as r on r.organization_id = c.organization_id and r.person_id = c.person_id
             where not may_give_role(r.role));
    end if;
    if is_refused then
        raise exception 'this person holds a role that is not yours to give' using errcode = '42501';
    end if;
    return null;
end $$;

-- spared_person_ids: the people whom the caller may not change, for the plan of an import.
create or replace function spared_person_ids() returns setof uuid
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return query
    select distinct r.person_id from person_role as r
     where r.organization_id = my_organization() and not may_give_role(r.role);
end $$;
grant execute on function spared_person_ids() to school_directory_manager;

-- keep_an_administrator (internal): refuses a change that leaves an organization without an active administrator, unless
-- it is to be deleted.
--
-- Two administrators who take each other's role at once wait here for each other, and the second sees the first
-- change.
create or replace function keep_an_administrator(p_organization_id uuid) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform from organization where organization_id = p_organization_id for no key update;
    if not exists (
        select from person_role as r
          join person as p on p.organization_id = r.organization_id and p.person_id = r.person_id
         where r.organization_id = p_organization_id and r.role = 'administrator'
           and p.deactivated_at is null) and not is_ending(p_organization_id) then
        raise exception 'an organization keeps an active administrator' using errcode = 'check_violation',
            constraint = 'organization_has_an_administrator';
    end if;
end $$;

-- hold_administrators: until the transaction ends no other one can leave the caller's organization without an
-- administrator.
create or replace function hold_administrators() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform from organization where organization_id = my_organization() for no key update;
end $$;
grant execute on function hold_administrators() to school_directory_manager, school_manager;

-- keep_an_administrator_of_roles: runs after roles were taken.
create or replace function keep_an_administrator_of_roles() returns trigger
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform keep_an_administrator(c.organization_id)
       from (select distinct organization_id from changed where role = 'administrator') as c;
    return null;
end $$;

-- follow_deactivation: runs after people were changed. Signs out everyone who was deactivated, and refuses to
-- deactivate the last administrator.
create or replace function follow_deactivation() returns trigger
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    leaving record;
begin
    for leaving in
        select c.organization_id, array_agg(c.person_id) as persons
          from changed as c
          join former as f on f.organization_id = c.organization_id and f.person_id = c.person_id
         where c.deactivated_at is not null and f.deactivated_at is null
         group by c.organization_id loop
        perform end_sessions_of(leaving.organization_id, leaving.persons, 'deactivated');
        if exists (select from person_role as r
                    where r.organization_id = leaving.organization_id and r.role = 'administrator'
                      and r.person_id = any (leaving.persons)) then
            perform keep_an_administrator(leaving.organization_id);
        end if;
    end loop;
    return null;
end $$;

-- follow_roles: runs after roles were given or taken. Signs out everyone who gained or lost a role (at any location):
-- a token does not outlive the roles it was issued for.
create or replace function follow_roles() returns trigger
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    concerned record;
begin
    for concerned in
        select c.organization_id, array_agg(distinct c.person_id) as persons
          from changed as c
         where (exists (select from session as s
                         where s.organization_id = c.organization_id and s.person_id = c.person_id
                           and s.ended_at is null)
                or exists (select from access_token as t
                            where t.organization_id = c.organization_id and t.person_id = c.person_id
                              and t.revoked_at is null and t.expires_at > moment()))
           and not exists (
               select from person_role as r
                where r.organization_id = c.organization_id and r.person_id = c.person_id
                  and r.role = c.role
                  and not exists (select from changed as same
                                   where same.organization_id = r.organization_id
                                     and same.person_id = r.person_id
                                     and same.location_id = r.location_id and same.role = r.role))
         group by c.organization_id loop
        perform end_sessions_of(concerned.organization_id, concerned.persons, 'roleChange');
    end loop;
    return null;
end $$;

create or replace trigger check_higher after update on person
    referencing old table as former new table as changed for each statement
    execute function protect_higher_roles('telling');
create or replace trigger follow_deactivation after update on person
    referencing old table as former new table as changed for each statement
    execute function follow_deactivation();
create or replace trigger check_higher_of_given_roles after insert on person_role
    referencing new table as changed for each statement execute function protect_higher_roles();
create or replace trigger check_higher_of_taken_roles after delete on person_role
    referencing old table as changed for each statement execute function protect_higher_roles();
create or replace trigger check_higher_of_changed_roles after update on person_role
    referencing old table as changed for each statement execute function protect_higher_roles();
create or replace trigger keep_an_administrator after delete on person_role
    referencing old table as changed for each statement execute function keep_an_administrator_of_roles();
create or replace trigger keep_an_administrator_of_changed_roles after update on person_role
    referencing old table as changed for each statement execute function keep_an_administrator_of_roles();
create or replace trigger follow_given_roles after insert on person_role
    referencing new table as changed for each statement execute function follow_roles();
create or replace trigger follow_taken_roles after delete on person_role
    referencing old table as changed for each statement execute function follow_roles();
create or replace trigger follow_former_roles after update on person_role
    referencing old table as changed for each statement execute function follow_roles();
create or replace trigger follow_changed_roles after update on person_role
    referencing new table as changed for each statement execute function follow_roles();
create or replace trigger announce_changed_roles after update on person_role
    referencing new table as changed for each statement execute function announce_people();
create or replace trigger bump_person_of_changed_role after update on person_role
    referencing new table as changed for each statement execute function bump_parent('person', 'person_id');

-- locked_person_ids: the people locked out now by too many wrong tries; a teacher sees those in his or her own
-- classes.
create or replace function locked_person_ids() returns uuid[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return array(
        select person_id from credential
         where organization_id = my_organization() and locked_until > moment()
           and (my_standing() <> 'teacher' or person_id = any ((select my_taught_person_ids())::uuid[])));
end $$;
grant execute on function locked_person_ids() to school_directory_reader, school_teacher;

-- last_sign_in_at: when a person last signed in, with the password, a sign-in provider or a badge; null if never, and
-- for callers who do not manage people.
create or replace function last_sign_in_at(p_person_id uuid) returns timestamptz
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    if my_standing() not in ('administrator', 'siteManager', 'peopleManager', 'manager', 'provisioner') then
        return null;
    end if;
    return greatest((select last_sign_in_at from credential
                      where organization_id = my_organization() and person_id = p_person_id),
                    (select max(last_sign_in_at) from sign_in_link
                      where organization_id = my_organization() and person_id = p_person_id),
                    (select max(last_used_at) from badge
                      where organization_id = my_organization() and person_id = p_person_id));
end $$;
grant execute on function last_sign_in_at(uuid) to school_directory_reader, school_teacher;

-- delete_person: deletes a person nothing refers to, with the sign-in, the managed ID and corrections. No row means
-- that it is done. Otherwise it returns how many rows of which tables refer to the person, found through the foreign
-- keys in the system catalog: a feature that adds a table for people is respected without being named here.
--
-- Only for people who are new or deactivated, whom the server has found and locked before.
create or replace function delete_person(p_person_id uuid) returns table (kind text, total bigint)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    hanging record;
    found_rows bigint;
    is_free boolean := true;
begin
    perform from person as p
     where p.organization_id = my_organization() and p.person_id = p_person_id
       and p.status in ('new', 'deactivated')
       and not exists (select from person_role as r
                        where r.organization_id = p.organization_id and r.person_id = p.person_id
                          and not may_give_role(r.role))
       for update;
    if not found then
        raise exception 'this person is not yours to remove' using errcode = 'insufficient_privilege';
    end if;
    for hanging in
        select c.relname::text as kind, string_agg(distinct a.attname::text, ',') as columns
          from pg_constraint as f
          join pg_class as c on c.oid = f.conrelid
          join pg_attribute as a on a.attrelid = f.conrelid and a.attnum = any (f.conkey)
         where f.contype = 'f' and f.confrelid = 'person'::regclass and a.attname <> 'organization_id'
           and c.relname not in ('credential', 'sign_in_change', 'session', 'access_token', 'sign_in_device',
                                 'badge', 'person_role', 'person_correction', 'external_id')
           and not c.relispartition
         group by c.relname order by c.relname loop
        execute format('select count(*) from %I where organization_id = $1 and $2 in (%s)',
                       hanging.kind, hanging.columns)
           into found_rows using my_organization(), p_person_id;
        if found_rows > 0 then
            is_free := false;
            return query select hanging.kind, found_rows;
        end if;
    end loop;
    if is_free then
        delete from refresh_token as t using session as s
         where s.organization_id = my_organization() and s.person_id = p_person_id
           and t.organization_id = s.organization_id and t.session_id = s.session_id;
        delete from access_token where organization_id = my_organization() and person_id = p_person_id;
        delete from person where organization_id = my_organization() and person_id = p_person_id;
        delete from managed_id_directory
         where organization_id = my_organization() and person_id = p_person_id;
        perform audit('personChange', 'person', p_person_id::text, '{"change": "deleted"}');
    end if;
end $$;
grant execute on function delete_person(uuid) to school_directory_manager, school_manager;

-- search_people: people whose names contain every word of the query, ignoring accents and case. A teacher finds
-- people of his or her own classes. In the order of ids, after p_after, at most p_limit (null: all). Definer, because
-- with row-level security LIKE cannot use the index; so it checks organization and standing itself.
--
-- A part of many names is found fastest by walking in the order of ids, a part of few names by the trigram index. The
-- planner knows too little about parts of names to choose (it walked past 22,000 people for a part that occurs in 500
-- names). So a short walk comes first. If that was not enough, the part is in so few names that the index can read
-- all of them. 200 times the square root of the limit makes both equally long at 100,000 people.
create or replace function search_people(p_query text, p_after uuid, p_limit bigint) returns uuid[]
    language plpgsql stable security definer
    set search_path = school, pg_temp set plan_cache_mode = force_custom_plan set jit = off as $$
declare
    patterns  text[] := name_patterns(p_query);
    taught    uuid[] := case my_standing() when 'teacher' then my_taught_person_ids() end;
    found_ids uuid[];
begin
    if taught is null and p_limit is not null then
        found_ids := array(
            select w.person_id
              from (select p.person_id, p.name_text from person as p
                     where p.organization_id = my_organization() and (p_after is null or p.person_id > p_after)
                     order by p.person_id limit ceil(200 * sqrt(p_limit))) as w
             where w.name_text like all (patterns)
             limit p_limit);
        if cardinality(found_ids) >= p_limit then
            return found_ids;
        end if;
    end if;
    return array(
        with named as materialized (
            select p.person_id from person as p
             where p.organization_id = my_organization()
               and p.name_text like patterns[1]
               and (patterns[2] is null or p.name_text like patterns[2])
               and (patterns[3] is null or p.name_text like patterns[3])
               and (patterns[4] is null or p.name_text like patterns[4])
               and (patterns[5] is null or p.name_text like patterns[5])
               and (patterns[6] is null or p.name_text like patterns[6])
               and (taught is null or p.person_id = any (taught)))
        select n.person_id from named as n
         where p_after is null or n.person_id > p_after
         order by n.person_id
         limit p_limit);
end $$;
grant execute on function search_people(text, uuid, bigint) to school_directory_reader, school_teacher;
