-- What the service asks of course, printed by a test: never edited by hand.

-- list
select course.course_id as id,
       course.name,
       course.source_id,
       course.number,
       course.location_id,
       course.created_at,
       course.updated_at
  from school.course
 where course.organization_id = $1
       and course.course_id > $2
 order by course.course_id limit $3

-- find
select course.course_id as id,
       course.name,
       course.source_id,
       course.number,
       course.location_id,
       course.created_at,
       course.updated_at,
       course.version as version
  from school.course
 where course.organization_id = $1 and course.course_id = $2

-- lock
select course.course_id as id,
       course.name,
       course.source_id,
       course.number,
       course.location_id,
       course.version as version
  from school.course
 where course.organization_id = $1 and course.course_id = $2
   for update of course

-- create
insert into school.course
       (organization_id, course_id, name, source_id, number, location_id)
values ($1, $2, $3, $4, $5, $6)

-- replace and change
update school.course
   set name = $1, source_id = $2, number = $3, location_id = $4
 where organization_id = $5 and course_id = $6

-- remove
delete from school.course
 where organization_id = $1 and course_id = $2

-- what refers to it
select count(*) as "classes" from school.class
 where organization_id = $1 and course_id = $2

-- batch
with sent as (
    select * from jsonb_to_recordset($1)
        as s (position integer, id uuid, name text, source_id text, number text, location_id uuid)
), known as materialized (
    select s.position, t.course_id as id,
           (t.name, t.source_id, t.number, t.location_id) is distinct from (s.name, s.source_id, s.number, s.location_id) as differs
      from sent as s
      join school.course as t
        on t.organization_id = $2 and t.source_id = s.source_id
     order by t.course_id for no key update of t
), changed as (
    update school.course as t
       set name = s.name, source_id = s.source_id, number = s.number, location_id = s.location_id
      from sent as s join known as k using (position)
     where t.organization_id = $3 and t.course_id = k.id and k.differs
), made as (
    insert into school.course
           (organization_id, course_id, name, source_id, number, location_id)
    select $4, s.id, s.name, s.source_id, s.number, s.location_id from sent as s
     where s.position not in (select k.position from known as k)
     order by s.source_id
    on conflict on constraint course_source_id_is_unique do nothing
    returning course_id as id
)
select k.position, k.id, case when k.differs then 'updated' else 'unchanged' end as outcome
  from known as k
union all
select s.position, m.id, 'created' from made as m join sent as s on s.id = m.id
