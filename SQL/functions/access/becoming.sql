-- Functions of access: who can become whom.
--
-- A password lets its writer sign in as the person. So do an email and a managed ID: a sign-in provider's account is
-- found by them. One map says who may write which of someone's, and one function asks it.

-- ways_in (internal): the map. A standing without a row may not. The reach says whose:
--
--   everyone  everyone's
--   untaught  that of people all of whose roles the caller may give; of those who teach or ever taught only the first
--   first     the first of people all of whose roles the caller may give
--   students  that of people who are only students, never taught, and sit now in a class that the caller teaches now,
--             at a location where the school has not withdrawn the privilege. A class that a teacher made does not
--             count: its teachers choose the students, and could choose anyone
--   pupils    that of people who are only students and never taught
--
-- First: the person never signed in, with a password or a provider; and for a password, has none. Taught: has or had a
-- seat as a teacher, or has the role. So removing the role for a moment does not help.
--
-- In a school without passwords, nobody sets anyone's but an administrator's (temporary_password_outcome()), and there
-- are no badges. So who makes badges could set a password for each of their students.
--
-- Signing in with a provider makes a link; the callers below forget it. Roles and seats show a teacher's reports too,
-- but let nobody sign in as another. may_give_role() and the policies of seats decide on them.
create or replace function ways_in() returns table (way text, standing text, reach text)
    language sql immutable parallel safe
begin atomic
    values
        ('password',  'administrator',   'everyone'),
        ('password',  'siteManager',     'untaught'),
        ('password',  'peopleManager',   'untaught'),
        ('password',  'manager',         'untaught'),
        ('password',  'provisioner',     'first'),
        ('password',  'teacher',         'students'),
        ('email',     'administrator',   'everyone'),
        ('email',     'siteManager',     'untaught'),
        ('email',     'peopleManager',   'untaught'),
        ('email',     'manager',         'untaught'),
        ('email',     'provisioner',     'untaught'),
        ('email',     'directoryWriter', 'untaught'),
        ('managedId', 'administrator',   'everyone'),
        ('managedId', 'siteManager',     'untaught'),
        ('managedId', 'peopleManager',   'untaught'),
        ('managedId', 'manager',         'untaught'),
        ('managedId', 'provisioner',     'untaught'),
        ('managedId', 'directoryWriter', 'untaught'),
        ('badge',     'administrator',   'pupils'),
        ('badge',     'teacher',         'students'),
        ('link',      'administrator',   'everyone'),
        ('link',      'siteManager',     'untaught'),
        ('link',      'peopleManager',   'untaught');
end;

-- has_signed_in (internal): whether the person ever signed in, with a password or with a sign-in provider.
create or replace function has_signed_in(p_organization_id uuid, p_person_id uuid) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from person
                    where organization_id = p_organization_id and person_id = p_person_id
                      and first_sign_in_at is not null)
        or exists (select from sign_in_link
                    where organization_id = p_organization_id and person_id = p_person_id);
end $$;

-- has_taught (internal): whether the person teaches, or ever had a seat as a teacher.
create or replace function has_taught(p_person_id uuid) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from person_role
                    where organization_id = my_organization() and person_id = p_person_id and role = 'teacher')
        or exists (select from seat
                    where organization_id = my_organization() and person_id = p_person_id and role = 'teacher');
end $$;

-- out_of_reach: those of these people whose password, email or managed ID ways_in() does not let the caller write, or
-- whose links it does not let the caller forget. For all of them at once: an import may change 100,000 emails. Made-up
-- people (functions/development/environments.sql) have no password, since nobody signs in as one.
create or replace function out_of_reach(p_way text, p_person_ids uuid[]) returns setof uuid
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    organization constant uuid := my_organization();
    reach        constant text := (select w.reach from ways_in() as w
                                    where w.way = p_way and w.standing = my_standing());
begin
    if reach is null or p_way in ('password', 'badge') and is_development(organization) then
        return query select unnest(p_person_ids);
    elsif reach = 'pupils' then
        return query select a.person_id from unnest(p_person_ids) as a (person_id)
                      where not is_only_a_student(organization, a.person_id);
    elsif reach = 'students' then
        return query select a.person_id from unnest(p_person_ids) as a (person_id)
                      where not is_own_student(a.person_id);
    elsif reach <> 'everyone' then
        return query
        with asked as (
            select distinct a.person_id from unnest(p_person_ids) as a (person_id)
        ), taught as (
            select r.person_id from person_role as r
             where r.organization_id = organization and r.person_id = any (p_person_ids) and r.role = 'teacher'
            union
            select s.person_id from seat as s
             where s.organization_id = organization and s.person_id = any (p_person_ids) and s.role = 'teacher'
        )
        select a.person_id from asked as a
         where a.person_id in (select r.person_id from person_role as r
                                where r.organization_id = organization and r.person_id = any (p_person_ids)
                                  and not may_give_role(r.role))
            or (reach <> 'untaught' or a.person_id in (select t.person_id from taught as t))
               and (has_signed_in(organization, a.person_id)
                    or p_way = 'password' and exists (
                           select from credential as c
                            where c.organization_id = organization and c.person_id = a.person_id));
    end if;
end $$;
grant execute on function out_of_reach(text, uuid[])
    to school_directory_manager, school_manager, school_directory_writer;

-- is_own_student (internal): whether the person is a student and nothing else, never taught, and sits now in a class
-- that the caller teaches now, at a location where teachers may reset passwords.
create or replace function is_own_student(p_person_id uuid) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return not exists (select from person_role as r
                        where r.organization_id = my_organization() and r.person_id = p_person_id
                          and r.role <> 'student')
       and exists (select from person_role as r
                    where r.organization_id = my_organization() and r.person_id = p_person_id)
       and not has_taught(p_person_id) and exists (
               select from seat as s
                 join class as c on c.organization_id = s.organization_id and c.class_id = s.class_id
                where s.organization_id = my_organization() and s.person_id = p_person_id
                  and s.role = 'student' and s.class_id = any ((select my_taught_class_ids())::uuid[])
                  and c.archived_at is null and not is_made_class(c)
                  and privilege_is_granted('resetPasswords', c.location_id) and is_seated(s));
end $$;

-- may_become: the same for one person.
create or replace function may_become(p_way text, p_person_id uuid) returns boolean
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return not exists (select from out_of_reach(p_way, array[p_person_id]));
end $$;
grant execute on function may_become(text, uuid)
    to school_directory_manager, school_manager, school_directory_writer;

-- tell_sign_in_changes (internal): keeps the last twenty changes by others, to show them to the person. For a linked
-- account p_provider_id is its provider; nobody else did it.
create or replace function tell_sign_in_changes(
    p_organization_id uuid, p_change text, p_person_ids uuid[], p_provider_id uuid default null) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into sign_in_change (organization_id, change_id, person_id, changed_at, change, standing, by_person_id,
                                by_service_account_id, by_sign_in_provider_id)
    select p_organization_id, new_id(), t.person_id, moment(), p_change,
           case when p_provider_id is null then coalesce(nullif(my_standing(), 'owner'), 'server') end,
           my_person(), my_service_account(), p_provider_id
      from unnest(p_person_ids) as t (person_id)
     where t.person_id is distinct from my_person();
    delete from sign_in_change as r
     where r.organization_id = p_organization_id and r.person_id = any (p_person_ids)
       and r.change_id not in (select l.change_id from sign_in_change as l
                                where l.organization_id = p_organization_id and l.person_id = r.person_id
                                order by l.changed_at desc, l.change_id desc limit 20);
end $$;

-- follow_sign_in_names: runs after people were changed. Refuses an email or managed ID that the caller may not write,
-- whatever statement wrote it; audits every other one, and tells the person. The server checks first, to refuse it in
-- words. The schema's owner may: it restores what an import replaced.
create or replace function follow_sign_in_names() returns trigger
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    renamed record;
begin
    for renamed in
        select c.organization_id, n.way, array_agg(c.person_id order by c.person_id) as persons,
               array_agg(c.person_id) filter (where lower(n.was) is distinct from lower(n.is_now)) as others
          from changed as c
          join former as f on f.organization_id = c.organization_id and f.person_id = c.person_id
         cross join lateral (values ('email', f.email, c.email),
                                    ('managedId', f.managed_id, c.managed_id)) as n (way, was, is_now)
         where n.was is distinct from n.is_now
         group by c.organization_id, n.way loop
        if my_standing() <> 'owner' and exists (select from out_of_reach(renamed.way, renamed.others)) then
            raise exception 'the sign-in of this person is not yours to change' using errcode = '42501';
        end if;
        perform write_audit_event(renamed.organization_id, 'personChange', coalesce(nullif(my_standing(), 'owner'), 'server'),
                                  my_person(), null, null, 'person', p.person_id::text,
                                  jsonb_build_object('change', renamed.way))
           from unnest(renamed.persons) as p (person_id);
        perform tell_sign_in_changes(renamed.organization_id, renamed.way, array(
            select p.person_id from unnest(renamed.persons) as p (person_id)
             where has_signed_in(renamed.organization_id, p.person_id)));
    end loop;
    return null;
end $$;
create or replace trigger check_sign_in_names after update on person
    referencing old table as former new table as changed for each statement
    execute function follow_sign_in_names();

-- sign_in_changes (internal): what others changed of a person's way to sign in, the latest first, to show it to the
-- person; null if nothing, or if the person has confirmed seeing it.
create or replace function sign_in_changes(p_organization_id uuid, p_person_id uuid) returns json
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (
        select json_agg(json_build_object(
                   'changedAt', rfc3339(r.changed_at), 'change', r.change, 'standing', r.standing,
                   'name', coalesce(full_name(p.given_name, p.family_name,
                                              coalesce(p.name_order, o.name_order)), a.name, s.name))
                   order by r.changed_at desc, r.change_id desc)
          from sign_in_change as r
          join organization as o on o.organization_id = r.organization_id
          left join person as p on p.organization_id = r.organization_id and p.person_id = r.by_person_id
          left join service_account as a on a.organization_id = r.organization_id
                                        and a.service_account_id = r.by_service_account_id
          left join sign_in_provider as s on s.organization_id = r.organization_id
                                         and s.sign_in_provider_id = r.by_sign_in_provider_id
         where r.organization_id = p_organization_id and r.person_id = p_person_id);
end $$;

-- confirm_sign_in_changes: the caller has seen what others changed. The audit trail still records it.
create or replace function confirm_sign_in_changes() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    seen bigint;
begin
    perform refuse_badge(my_session());
    delete from sign_in_change where organization_id = my_organization() and person_id = my_person();
    get diagnostics seen = row_count;
    if seen > 0 then
        perform audit('passwordChange', 'person', my_person()::text,
                      jsonb_build_object('confirmedChanges', seen));
    end if;
end $$;
grant execute on function confirm_sign_in_changes() to school_person;
