-- What the service asks of location, printed by a test: never edited by hand.

-- list
select location.location_id as id,
       location.name,
       location.source_id,
       location.time_zone,
       location.password_policy,
       location.created_at,
       location.updated_at
  from school.location
 where location.organization_id = $1
       and location.location_id > $2
 order by location.location_id limit $3

-- find
select location.location_id as id,
       location.name,
       location.source_id,
       location.time_zone,
       location.password_policy,
       location.created_at,
       location.updated_at,
       location.version as version
  from school.location
 where location.organization_id = $1 and location.location_id = $2

-- lock
select location.location_id as id,
       location.name,
       location.source_id,
       location.time_zone,
       location.password_policy,
       location.version as version
  from school.location
 where location.organization_id = $1 and location.location_id = $2
   for update of location

-- create
insert into school.location
       (organization_id, location_id, name, source_id, time_zone, password_policy)
values ($1, $2, $3, $4, $5, $6)

-- replace and change
update school.location
   set name = $1, source_id = $2, time_zone = $3, password_policy = $4
 where organization_id = $5 and location_id = $6

-- remove
delete from school.location
 where organization_id = $1 and location_id = $2

-- what refers to it
select (select count(*) from school.person_role
         where organization_id = $1 and location_id = $2) as "roles of people",
       (select count(*) from school.course
         where organization_id = $3 and location_id = $4) as "courses",
       (select count(*) from school.class
         where organization_id = $5 and location_id = $6) as "classes"

-- batch
with sent as (
    select * from jsonb_to_recordset($1)
        as s (position integer, id uuid, name text, source_id text, time_zone text, password_policy text)
), known as materialized (
    select s.position, t.location_id as id,
           (t.name, t.source_id, t.time_zone, t.password_policy) is distinct from (s.name, s.source_id, s.time_zone, s.password_policy) as differs
      from sent as s
      join school.location as t
        on t.organization_id = $2 and t.source_id = s.source_id
     order by t.location_id for no key update of t
), changed as (
    update school.location as t
       set name = s.name, source_id = s.source_id, time_zone = s.time_zone, password_policy = s.password_policy
      from sent as s join known as k using (position)
     where t.organization_id = $3 and t.location_id = k.id and k.differs
), made as (
    insert into school.location
           (organization_id, location_id, name, source_id, time_zone, password_policy)
    select $4, s.id, s.name, s.source_id, s.time_zone, s.password_policy from sent as s
     where s.position not in (select k.position from known as k)
     order by s.source_id
    on conflict on constraint location_source_id_is_unique do nothing
    returning location_id as id
)
select k.position, k.id, case when k.differs then 'updated' else 'unchanged' end as outcome
  from known as k
union all
select s.position, m.id, 'created' from made as m join sent as s on s.id = m.id
