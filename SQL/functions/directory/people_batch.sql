-- Functions of batches of people: up to a thousand created or replaced by their source ids at once.
--
-- They run with the caller's rights, so that the policies of person and person_role apply as usual.

-- plan_people_batch: what a batch would do to each person: "person", the id; "is_new"; "differs", in a field whose
-- change makes an imported person a manual one; "wants_id", a managed ID other than the present one; "given" and
-- "taken" roles; "refusal", if the caller may not change the person. Locks the people in the order of their ids, so
-- that two batches cannot deadlock.
--
-- p_rows: objects with columns of person, "position", "id" (used if the person is new), and "roles" as {role,
-- locationId}. A managed ID that is not sent stays, and so does an email that the caller may not change, as scripts
-- often know none. A member that is not stored is an error: the caller would lose it.
create or replace function plan_people_batch(p_rows jsonb) returns jsonb
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    facts   constant text[] := person_facts();
    written constant text[] := array_remove(array_remove(written_columns('person'), 'origin'), 'managed_id');
    -- What the row has besides the facts, and besides what else is written.
    besides      constant text[] := array(select a.attname::text from pg_attribute as a
                                           where a.attrelid = 'person'::regclass and a.attname <> all (facts));
    besides_rest constant text[] := array(select a.attname::text from pg_attribute as a
                                           where a.attrelid = 'person'::regclass
                                             and (a.attname = any (facts) or a.attname <> all (written)));
begin
    if exists (select from jsonb_array_elements(p_rows) as r (item), jsonb_object_keys(r.item) as m (name)
                where m.name <> all (written || '{managed_id,position,id,roles}')) then
        raise exception 'a row of people has a member that is not stored' using errcode = '22023';
    end if;
    perform from person as p
     where p.organization_id = my_organization()
       and p.source_id in (select r ->> 'source_id' from jsonb_array_elements(p_rows) as r)
     order by p.person_id for update;
    return (
        select jsonb_agg(s.item || jsonb_build_object(
                   'person', coalesce(p.person_id::text, s.item ->> 'id'), 'is_new', p.person_id is null,
                   'managed_id', coalesce(s.item ->> 'managed_id', p.managed_id), 'origin', p.origin,
                   'differs', edit.differs, 'wants_id', edit.wants_id,
                   'rest_differs', edit.rest_differs,
                   'given', change.given, 'taken', change.taken,
                   'refusal', case when p.person_id is not null
                                        and (edit.differs or edit.wants_id or edit.rest_differs
                                             or change.given <> '[]' or change.taken <> '[]')
                                        and exists (select from person_role as r
                                                     where r.organization_id = my_organization()
                                                       and r.person_id = p.person_id
                                                       and not may_give_role(r.role))
                                   then 'forbidden'
                                   when p.person_id is not null
                                        and lower(s.item ->> 'email') is distinct from lower(p.email)
                                        and not may_become('email', p.person_id)
                                   then 'guardedEmail'
                                   when p.person_id is not null and edit.wants_id
                                        and lower(s.item ->> 'managed_id') <> lower(p.managed_id)
                                        and not may_become('managedId', p.person_id)
                                   then 'guardedManagedId' end))
          from jsonb_array_elements(p_rows) as r (sent)
          left join person as p
            on p.organization_id = my_organization() and p.source_id = r.sent ->> 'source_id'
         cross join lateral (
            select case when r.sent ->> 'email' is null and p.email is not null
                             and not may_become('email', p.person_id)
                        then r.sent || jsonb_build_object('email', p.email) else r.sent end as item) as s
         cross join lateral (
            select p as was, jsonb_populate_record(p, case when s.item ->> 'managed_id' is null
                                                           then s.item - 'managed_id' else s.item end) as becomes
            offset 0) as b
         cross join lateral (
            select p.person_id is not null and b.becomes is distinct from b.was as is_other) as o
         cross join lateral (
            select o.is_other and to_jsonb(b.was) - besides <> to_jsonb(b.becomes) - besides as differs,
                   o.is_other and to_jsonb(b.was) - besides_rest <> to_jsonb(b.becomes) - besides_rest
                       as rest_differs,
                   coalesce(s.item ->> 'managed_id' <> p.managed_id, s.item ->> 'managed_id' is not null)
                       as wants_id
            offset 0) as edit
         cross join lateral (
            select coalesce(jsonb_agg(w.role) filter (where h.role is null), '[]') as given,
                   coalesce(jsonb_agg(h.role) filter (where w.role is null), '[]') as taken
              from jsonb_array_elements(s.item -> 'roles') as w (role)
              full join (select jsonb_build_object('role', r.role, 'locationId', r.location_id) as role
                           from person_role as r
                          where r.organization_id = my_organization() and r.person_id = p.person_id) as h
                on h.role = w.role) as change);
end $$;

-- put_people: creates and replaces people. Outcomes: created, updated, unchanged; forbidden (the person holds a role
-- that the caller may not give), guardedEmail or guardedManagedId (the caller could become the person with it), taken
-- or foreignDomain (the requested managed ID), lastAdministrator (no administrator would be left). No row: another
-- transaction created the person at the same time, and a second try finds him or her.
create or replace function put_people(p_rows jsonb, p_is_by_hand boolean)
    returns table (place integer, id uuid, outcome text)
    language plpgsql
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    plan     jsonb := plan_people_batch(p_rows);
    refusals jsonb;
    ids      jsonb;
begin
    select jsonb_object_agg(r.person_id, r.outcome) filter (where r.outcome <> 'reserved') into refusals
      from (select array_agg((w ->> 'person')::uuid order by (w ->> 'position')::integer) as persons,
                   array_agg(w ->> 'managed_id' order by (w ->> 'position')::integer) as managed_ids
              from jsonb_array_elements(plan) as w
             where (w -> 'wants_id')::boolean and w ->> 'refusal' is null) as n
     cross join lateral reserve_managed_ids(my_organization(), n.persons, n.managed_ids) as r;
    select jsonb_agg(w || jsonb_build_object('refusal', coalesce(w ->> 'refusal', refusals ->> (w ->> 'person')))
                     order by (w ->> 'position')::integer)
      into plan from jsonb_array_elements(plan) as w;
    plan := protect_last_administrator(plan);
    ids := made_managed_ids(plan);

    perform add_rows('person', my_organization(), batch_rows((
        select jsonb_agg((w - 'origin') || jsonb_build_object(
                             'managed_id', coalesce(w ->> 'managed_id', ids ->> (w ->> 'person')))
                         order by w ->> 'source_id')
          from jsonb_array_elements(plan) as w
         where (w -> 'is_new')::boolean and w ->> 'refusal' is null)), true);
    perform change_rows('person', my_organization(), batch_rows((
        select jsonb_agg(w || case when p_is_by_hand and (w -> 'differs')::boolean
                                   then '{"origin": "manual"}' else '{}'::jsonb end)
          from jsonb_array_elements(plan) as w
         where not (w -> 'is_new')::boolean and w ->> 'refusal' is null
           and ((w -> 'differs')::boolean or (w -> 'wants_id')::boolean or (w -> 'rest_differs')::boolean))));

    -- Skips people created by another transaction meanwhile: they have no row with this id.
    select jsonb_agg(w order by (w ->> 'position')::integer) into plan
      from jsonb_array_elements(plan) as w
     where w ->> 'refusal' is not null
        or exists (select from person as p
                    where p.organization_id = my_organization() and p.person_id = (w ->> 'person')::uuid);
    perform release_managed_ids(my_organization(), array(
        select (w ->> 'person')::uuid from jsonb_array_elements(plan) as w where (w -> 'wants_id')::boolean
        union all
        select (s ->> 'id')::uuid from jsonb_array_elements(p_rows) as s));
    perform put_people_roles(plan);
    return query
    select (w ->> 'position')::integer, (w ->> 'person')::uuid,
           case when w ->> 'refusal' is not null then w ->> 'refusal'
                when (w -> 'is_new')::boolean then 'created'
                when (w -> 'differs')::boolean or (w -> 'wants_id')::boolean
                     or (w -> 'rest_differs')::boolean or w -> 'given' <> '[]' or w -> 'taken' <> '[]'
                then 'updated' else 'unchanged' end
      from jsonb_array_elements(plan) as w;
end $$;

-- batch_rows (internal): the rows of person that a plan writes.
create or replace function batch_rows(p_plan jsonb) returns jsonb
    language sql immutable
    return (select coalesce(jsonb_agg((w.item || jsonb_build_object('id', w.item -> 'person'))
                                      - '{person,position,roles,is_new,differs,rest_differs,wants_id}'::text[]
                                      - '{given,taken,refusal}'::text[] order by w.place), '[]')
              from jsonb_array_elements(p_plan) with ordinality as w (item, place));

-- protect_last_administrator (internal): if a plan would take the role from every active administrator, refuses it
-- for the last of them. Locks the organization as keep_an_administrator() does, so that no concurrent change takes
-- the role from the others.
create or replace function protect_last_administrator(p_plan jsonb) returns jsonb
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    last_one jsonb;
begin
    select w into last_one
      from jsonb_array_elements(p_plan) as w
     where w ->> 'refusal' is null and w -> 'taken' @> '[{"role": "administrator"}]'
     order by (w ->> 'position')::integer desc limit 1;
    if last_one is null then
        return p_plan;
    end if;
    perform hold_administrators();
    if exists (
        with sent as (
            select (w ->> 'person')::uuid as person_id, w -> 'given' as given, w -> 'taken' as taken
              from jsonb_array_elements(p_plan) as w where w ->> 'refusal' is null)
        select from sent as s left join person as p
                 on p.organization_id = my_organization() and p.person_id = s.person_id
         where s.given @> '[{"role": "administrator"}]' and p.deactivated_at is null
        union all
        select from person_role as r
          join person as p on p.organization_id = r.organization_id and p.person_id = r.person_id
         where r.organization_id = my_organization() and r.role = 'administrator' and p.deactivated_at is null
           and not exists (
               select from sent as s
                where s.person_id = r.person_id
                  and s.taken @> jsonb_build_array(jsonb_build_object('role', r.role, 'locationId', r.location_id)))) then
        return p_plan;
    end if;
    return (select jsonb_agg(case when w = last_one then w || '{"refusal": "lastAdministrator"}' else w end
                             order by (w ->> 'position')::integer)
              from jsonb_array_elements(p_plan) as w);
end $$;

-- made_managed_ids (internal): makes managed IDs, all at once, for the new people of a plan who were not given one.
create or replace function made_managed_ids(p_plan jsonb) returns jsonb
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    return (
        select jsonb_object_agg(m.person_id, m.managed_id)
          from (select array_agg((w ->> 'person')::uuid order by place) as persons,
                       array_agg(w ->> 'given_name' order by place) as given_names,
                       array_agg(w ->> 'middle_name' order by place) as middle_names,
                       array_agg(w ->> 'family_name' order by place) as family_names,
                       array_agg(w ->> 'person_number' order by place) as person_numbers,
                       array_agg(w ->> 'source_id' order by place) as source_ids,
                       array_agg(w ->> 'email' order by place) as emails,
                       array_agg(w ->> 'grade' order by place) as grades
                  from jsonb_array_elements(p_plan) with ordinality as n (w, place)
                 where (w -> 'is_new')::boolean and w ->> 'managed_id' is null
                   and w ->> 'refusal' is null) as n
         cross join lateral make_managed_ids(my_organization(), n.persons, n.given_names, n.middle_names,
                                             n.family_names, n.person_numbers, n.source_ids, n.emails,
                                             n.grades) as m
         where n.persons is not null);
end $$;

-- put_people_roles (internal): gives and then takes the roles of a plan, so that an administrator who moves to
-- another location is one all the time. Writes one event for each person.
create or replace function put_people_roles(p_plan jsonb) returns void
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    perform give_roles(my_organization(), (
        select coalesce(jsonb_agg(jsonb_build_object('person_id', w ->> 'person', 'location_id', r ->> 'locationId',
                                                     'role', r ->> 'role')), '[]')
          from jsonb_array_elements(p_plan) as w
         cross join lateral jsonb_array_elements(w -> 'given') as r
         where w ->> 'refusal' is null));
    with taken as materialized (
        select (w ->> 'person')::uuid as person_id, (r ->> 'locationId')::uuid as location_id, r ->> 'role' as role
          from jsonb_array_elements(p_plan) as w
         cross join lateral jsonb_array_elements(w -> 'taken') as r
         where w ->> 'refusal' is null)
    delete from person_role as h using taken as t
     where h.organization_id = my_organization() and h.person_id = t.person_id
       and h.location_id = t.location_id and h.role = t.role;
    perform audit('roleChange', 'person', w ->> 'person',
                  jsonb_build_object('given', w -> 'given', 'taken', w -> 'taken'))
       from jsonb_array_elements(p_plan) as w
      where w ->> 'refusal' is null and (w -> 'given' <> '[]' or w -> 'taken' <> '[]');
end $$;

grant execute on function
    plan_people_batch(jsonb), put_people(jsonb, boolean), batch_rows(jsonb), made_managed_ids(jsonb),
    protect_last_administrator(jsonb), put_people_roles(jsonb) to school_directory_manager, school_manager;
