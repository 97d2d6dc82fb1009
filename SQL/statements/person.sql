-- What the service asks of person, printed by a test: never edited by hand.

-- list
select person.person_id as id,
       person.given_name,
       person.family_name,
       person.source_id,
       person.middle_name,
       person.person_number,
       person.email,
       person.grade,
       person.password_policy,
       coalesce(person.name_order, (select school.my_name_order())) as name_order,
       managed_id,
       case when (person.deactivated_at is null
 and person.person_id = any ((select school.locked_person_ids())::uuid[])) then 'locked' else person.status end as status,
       (select coalesce(json_agg(json_build_object('role', r.role, 'locationId', r.location_id)
                          order by r.role, r.location_id), '[]')
   from school.person_role as r
  where r.organization_id = person.organization_id and r.person_id = person.person_id) as roles,
       person.is_progress_paused as progress_paused,
       person.created_at,
       person.updated_at
  from school.person
 where person.organization_id = $1
       and person.person_id > $2
 order by person.person_id limit $3

-- list of a teacher
select person.person_id as id,
       person.given_name,
       person.family_name,
       person.source_id,
       person.middle_name,
       person.person_number,
       person.email,
       person.grade,
       person.password_policy,
       coalesce(person.name_order, (select school.my_name_order())) as name_order,
       managed_id,
       case when (person.deactivated_at is null
 and person.person_id = any ((select school.locked_person_ids())::uuid[])) then 'locked' else person.status end as status,
       (select coalesce(json_agg(json_build_object('role', r.role, 'locationId', r.location_id)
                          order by r.role, r.location_id), '[]')
   from school.person_role as r
  where r.organization_id = person.organization_id and r.person_id = person.person_id) as roles,
       person.is_progress_paused as progress_paused,
       person.created_at,
       person.updated_at
  from (select distinct value from unnest(school.my_taught_person_ids() || school.my_person()) as value order by value) as reached
 cross join lateral (
       select * from school.person
        where person.organization_id = $1
          and person.person_id = reached.value
               and person.person_id > $2
        order by person.person_id limit $3) as person
 
 order by reached.value limit $4

-- find
select person.person_id as id,
       person.given_name,
       person.family_name,
       person.source_id,
       person.middle_name,
       person.person_number,
       person.email,
       person.grade,
       person.password_policy,
       coalesce(person.name_order, (select school.my_name_order())) as name_order,
       managed_id,
       case when (person.deactivated_at is null
 and person.person_id = any ((select school.locked_person_ids())::uuid[])) then 'locked' else person.status end as status,
       (select coalesce(json_agg(json_build_object('role', r.role, 'locationId', r.location_id)
                          order by r.role, r.location_id), '[]')
   from school.person_role as r
  where r.organization_id = person.organization_id and r.person_id = person.person_id) as roles,
       person.is_progress_paused as progress_paused,
       school.last_sign_in_at(person.person_id) as last_sign_in_at,
       person.created_at,
       person.updated_at,
       (person.version + coalesce(extract(epoch from school.last_sign_in_at(person.person_id)) * 1000, 0)::bigint) * 4
    + (person.deactivated_at is null
 and person.person_id = any ((select school.locked_person_ids())::uuid[]))::integer
    + (coalesce(person.name_order, (select school.my_name_order())) = 'familyFirst')::integer * 2 as version
  from school.person
 where person.organization_id = $1 and person.person_id = $2

-- lock
select person.person_id as id,
       person.given_name,
       person.family_name,
       person.source_id,
       person.middle_name,
       person.person_number,
       person.email,
       person.grade,
       person.password_policy,
       person.name_order,
       person.status,
       person.managed_id,
       (person.deactivated_at is null
 and person.person_id = any ((select school.locked_person_ids())::uuid[])) as is_locked,
       (person.version + coalesce(extract(epoch from school.last_sign_in_at(person.person_id)) * 1000, 0)::bigint) * 4
    + (person.deactivated_at is null
 and person.person_id = any ((select school.locked_person_ids())::uuid[]))::integer
    + (coalesce(person.name_order, (select school.my_name_order())) = 'familyFirst')::integer * 2 as version
  from school.person
 where person.organization_id = $1 and person.person_id = $2
   for update of person

-- create
insert into school.person
       (organization_id, person_id, given_name, family_name, source_id, middle_name, person_number, email, grade, password_policy, name_order)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)

-- replace and change
update school.person
   set given_name = $1, family_name = $2, source_id = $3, middle_name = $4, person_number = $5, email = $6, grade = $7, password_policy = $8, name_order = $9
 where organization_id = $10 and person_id = $11
