-- Functions of batches of people: up to a thousand created or replaced by their source ids at once.
--
-- They run with the caller's rights, so that the policies of person and person_role apply as usual.

-- plan_people_batch: what a batch would do to each person: "person", the id; "is_new"; "differs", in a field whose
-- change makes an imported person a manual one; "wants_id", a managed ID other than the present one; "given" and
-- "taken" roles; "refusal", if the caller may not change the person. Locks the people in the order of their ids, so
-- that two batches cannot deadlock.
--
-- p_rows: objects with the columns of person, "position", "id" (used if the person is new), and "roles" as {role,
-- locationId}. Absent fields are null; but an email that the caller may not change stays if none is sent, as scripts
-- often know none. A member that the statements below do not store is an error: the caller would lose it.
create or replace function plan_people_batch(p_rows jsonb) returns jsonb
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    if exists (select from jsonb_array_elements(p_rows) as r (item), jsonb_object_keys(r.item) as m (name)
                where m.name <> all ('{position,id,source_id,given_name,middle_name,family_name,person_number,managed_id,
                                       email,grade,password_policy,name_order,roles}')) then
        raise exception 'a row of people has a member that is not stored' using errcode = '22023';
    end if;
    perform from person as p
     where p.organization_id = my_organization()
       and p.source_id in (select r ->> 'source_id' from jsonb_array_elements(p_rows) as r)
     order by p.person_id for update;
    return (
        select jsonb_agg(s.item || jsonb_build_object(
                   'person', coalesce(p.person_id::text, s.item ->> 'id'), 'is_new', p.person_id is null,
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
            select p.person_id is not null
                   and (p.given_name, p.middle_name, p.family_name, p.person_number, p.email, p.grade)
                       is distinct from
                       (s.item ->> 'given_name', s.item ->> 'middle_name', s.item ->> 'family_name',
                        s.item ->> 'person_number', s.item ->> 'email', s.item ->> 'grade') as differs,
                   (p.password_policy, p.name_order)
                       is distinct from (s.item ->> 'password_policy', s.item ->> 'name_order') as rest_differs,
                   coalesce(s.item ->> 'managed_id' <> p.managed_id, s.item ->> 'managed_id' is not null)
                       as wants_id) as edit
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

    insert into person (organization_id, person_id, source_id, given_name, middle_name, family_name,
                        person_number, managed_id, email, grade, password_policy, name_order)
    select my_organization(), (w ->> 'person')::uuid, w ->> 'source_id', w ->> 'given_name',
           w ->> 'middle_name', w ->> 'family_name', w ->> 'person_number',
           coalesce(w ->> 'managed_id', ids ->> (w ->> 'person')), w ->> 'email', w ->> 'grade',
           w ->> 'password_policy', w ->> 'name_order'
      from jsonb_array_elements(plan) as w
     where (w -> 'is_new')::boolean and w ->> 'refusal' is null
     order by w ->> 'source_id'
        on conflict on constraint person_source_id_is_unique do nothing;
    with edited as materialized (
        select (w ->> 'person')::uuid as person_id, (w -> 'differs')::boolean as differs, w as item
          from jsonb_array_elements(plan) as w
         where not (w -> 'is_new')::boolean and w ->> 'refusal' is null
           and ((w -> 'differs')::boolean or (w -> 'wants_id')::boolean or (w -> 'rest_differs')::boolean))
    update person as p
       set given_name = e.item ->> 'given_name', middle_name = e.item ->> 'middle_name',
           family_name = e.item ->> 'family_name', person_number = e.item ->> 'person_number',
           managed_id = coalesce(e.item ->> 'managed_id', p.managed_id), email = e.item ->> 'email',
           grade = e.item ->> 'grade', password_policy = e.item ->> 'password_policy',
           name_order = e.item ->> 'name_order',
           origin = case when p_is_by_hand and e.differs then 'manual' else p.origin end
      from edited as e
     where p.organization_id = my_organization() and p.person_id = e.person_id;

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
    insert into person_role (organization_id, person_id, location_id, role)
    select my_organization(), (w ->> 'person')::uuid, (r ->> 'locationId')::uuid, r ->> 'role'
      from jsonb_array_elements(p_plan) as w
     cross join lateral jsonb_array_elements(w -> 'given') as r
     where w ->> 'refusal' is null
        on conflict do nothing;
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

grant execute on function plan_people_batch(jsonb), put_people(jsonb, boolean), made_managed_ids(jsonb),
    protect_last_administrator(jsonb), put_people_roles(jsonb) to school_directory_manager, school_manager;
