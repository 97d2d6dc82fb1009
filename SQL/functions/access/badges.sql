-- Functions of access: making badges, voiding them, and when and from where they sign in (badge_sign_in.sql).

-- badge_class_outcome: what making badges for a class would result in: 'unknown' (a teacher does not teach it now),
-- 'off', 'withoutPasswords', 'archived', 'made' (a teacher made it, who could seat any student there) or 'ready'.
create or replace function badge_class_outcome(p_class_id uuid) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    target class;
begin
    select * into target from class as c
     where c.organization_id = my_organization() and c.class_id = p_class_id
       and (my_standing() = 'administrator'
            or my_standing() = 'teacher' and c.class_id = any ((select my_taught_class_ids())::uuid[]));
    return case when target.class_id is null         then 'unknown'
                when not exists (select from badge_rule as r
                                  where r.organization_id = my_organization() and r.is_on) then 'off'
                when exists (select from organization as o
                              where o.organization_id = my_organization()
                                and o.is_without_passwords)  then 'withoutPasswords'
                when target.archived_at is not null  then 'archived'
                when is_made_class(target)           then 'made'
                else 'ready' end;
end $$;

-- badge_outcome: what making a badge for a student of such a class would result in: 'unknown' (no seat there, or the class
-- is not the caller's), 'forbidden', 'deactivated' or 'ready'.
create or replace function badge_outcome(p_class_id uuid, p_person_id uuid) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return case when my_standing() <> 'administrator'
                     and p_class_id <> all ((select my_taught_class_ids())::uuid[])
                  or not exists (select from seat as s
                                  where s.organization_id = my_organization() and s.class_id = p_class_id
                                    and s.person_id = p_person_id and s.role = 'student' and is_seated(s))
                     then 'unknown'
                when not may_become('badge', p_person_id) then 'forbidden'
                when exists (select from person as p
                              where p.organization_id = my_organization() and p.person_id = p_person_id
                                and p.deactivated_at is not null) then 'deactivated'
                else 'ready' end;
end $$;

-- make_badges: makes one for each of these students, in the order of the people, and voids the ones that they had for
-- this class. False if one of them may no longer get one, or got one meanwhile where p_again is false; then none is
-- made. Digests are in hexadecimal. One audit event names all the students. Students who have signed in before are told.
create or replace function make_badges(
    p_class_id uuid, p_person_ids uuid[], p_digests text[], p_again boolean) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    former uuid[];
begin
    perform from person
      where organization_id = my_organization() and person_id = any (p_person_ids)
      order by person_id for no key update;
    if badge_class_outcome(p_class_id) <> 'ready'
       or exists (select from unnest(p_person_ids) as g (person_id)
                   where badge_outcome(p_class_id, g.person_id) <> 'ready')
       or not p_again and exists (select from badge as b
                                   where b.organization_id = my_organization() and b.class_id = p_class_id
                                     and b.person_id = any (p_person_ids) and b.voided_at is null) then
        return false;
    end if;
    with void as (
        update badge as b set voided_at = moment()
         where b.organization_id = my_organization() and b.class_id = p_class_id
           and b.person_id = any (p_person_ids) and b.voided_at is null
        returning b.badge_id)
    select array_agg(v.badge_id) into former from void as v;
    perform end_badge_sessions(my_organization(), coalesce(former, '{}'), 'badgeVoid');
    insert into badge (organization_id, badge_id, class_id, person_id, digest, created_at)
    select my_organization(), new_id(), p_class_id, g.person_id, decode(g.digest, 'hex'), moment()
      from unnest(p_person_ids, p_digests) as g (person_id, digest) order by g.person_id;
    perform tell_sign_in_changes(my_organization(), 'badge', array(
        select g.person_id from unnest(p_person_ids) as g (person_id)
         where has_signed_in(my_organization(), g.person_id)));
    perform audit('badgeChange', 'class', p_class_id::text,
                  jsonb_build_object('change', 'made', 'personIds', to_jsonb(p_person_ids)));
    return true;
end $$;

-- void_badges: voids the badge of one student of a class, or all of the class, and ends the sign-ins that they began.
-- How many were void before does not matter: nothing is left that works. False if the class is not the caller's.
create or replace function void_badges(p_class_id uuid, p_person_id uuid default null) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    badges  uuid[];
    persons uuid[];
begin
    if badge_class_outcome(p_class_id) = 'unknown' then
        return false;
    end if;
    with void as (
        update badge as b set voided_at = moment()
         where b.organization_id = my_organization() and b.class_id = p_class_id and b.voided_at is null
           and (p_person_id is null or b.person_id = p_person_id)
        returning b.badge_id, b.person_id)
    select array_agg(v.badge_id), array_agg(v.person_id order by v.person_id) into badges, persons from void as v;
    if badges is not null then
        perform end_badge_sessions(my_organization(), badges, 'badgeVoid');
        perform audit('badgeChange', 'class', p_class_id::text,
                      jsonb_build_object('change', 'void', 'personIds', to_jsonb(persons)));
    end if;
    return true;
end $$;
grant execute on function badge_class_outcome(uuid), badge_outcome(uuid, uuid),
    make_badges(uuid, uuid[], text[], boolean), void_badges(uuid, uuid)
    to school_administrator, school_teacher;

-- set_badge_rule: when and from where badges sign in. Each change ends the sign-ins that badges began, so that none goes
-- on by a former rule.
create or replace function set_badge_rule(
    p_is_on boolean, p_networks text[], p_days bigint[], p_begins_at text, p_ends_at text) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into badge_rule as r (organization_id, is_on, networks, days, begins_at, ends_at)
    values (my_organization(), p_is_on, p_networks::cidr[], p_days::smallint[], p_begins_at::time, p_ends_at::time)
    on conflict on constraint badge_rule_pkey do update
       set is_on = excluded.is_on, networks = excluded.networks, days = excluded.days,
           begins_at = excluded.begins_at, ends_at = excluded.ends_at;
    perform end_badge_sessions(my_organization(), null, 'badgeRule');
    perform audit('organizationChange', 'organization', my_organization()::text, jsonb_build_object(
        'change', 'badges', 'isOn', p_is_on, 'networks', to_jsonb(p_networks), 'days', to_jsonb(p_days),
        'from', p_begins_at, 'until', p_ends_at));
end $$;
grant execute on function set_badge_rule(boolean, text[], bigint[], text, text) to school_administrator;

-- forget_badges (internal): removes badges thirty days after they were voided, at most p_limit; returns how many.
create or replace function forget_badges(p_limit integer) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    removed bigint;
begin
    delete from badge where ctid = any (array(
        select b.ctid from badge as b
         where b.voided_at <= (select removal_moment()) - interval '30 days' and not is_at_rest(b.organization_id)
         limit p_limit for update skip locked));
    get diagnostics removed = row_count;
    return removed;
end $$;
