-- What the service asks of class, printed by a test: never edited by hand.

-- list
select class.class_id as id,
       class.name,
       class.source_id,
       class.number,
       class.display_name,
       class.room,
       class.location_id,
       class.course_id,
       class.term_id,
       case when class.archived_at is null then 'active' else 'archived' end as status,
       array(select s.person_id from school.seat as s
       where s.organization_id = class.organization_id and s.class_id = class.class_id
         and s.role = 'teacher'
         and school.is_seated(s, coalesce(class.archived_at, school.moment()))
       order by s.person_id) as teacher_ids,
       array(select s.person_id from school.seat as s
       where s.organization_id = class.organization_id and s.class_id = class.class_id
         and s.role = 'student'
         and school.is_seated(s, coalesce(class.archived_at, school.moment()))
       order by s.person_id) as student_ids,
       class.created_at,
       class.updated_at
  from school.class
 where class.organization_id = $1
       and class.class_id > $2
 order by class.class_id limit $3

-- list of a teacher
select class.class_id as id,
       class.name,
       class.source_id,
       class.number,
       class.display_name,
       class.room,
       class.location_id,
       class.course_id,
       class.term_id,
       case when class.archived_at is null then 'active' else 'archived' end as status,
       array(select s.person_id from school.seat as s
       where s.organization_id = class.organization_id and s.class_id = class.class_id
         and s.role = 'teacher'
         and school.is_seated(s, coalesce(class.archived_at, school.moment()))
       order by s.person_id) as teacher_ids,
       array(select s.person_id from school.seat as s
       where s.organization_id = class.organization_id and s.class_id = class.class_id
         and s.role = 'student'
         and school.is_seated(s, coalesce(class.archived_at, school.moment()))
       order by s.person_id) as student_ids,
       class.created_at,
       class.updated_at
  from (select distinct value from unnest(school.my_taught_class_ids()) as value order by value) as reached
 cross join lateral (
       select * from school.class
        where class.organization_id = $1
          and class.class_id = reached.value
               and class.class_id > $2
        order by class.class_id limit $3) as class
 
 order by reached.value limit $4

-- find
select class.class_id as id,
       class.name,
       class.source_id,
       class.number,
       class.display_name,
       class.room,
       class.location_id,
       class.course_id,
       class.term_id,
       case when class.archived_at is null then 'active' else 'archived' end as status,
       array(select s.person_id from school.seat as s
       where s.organization_id = class.organization_id and s.class_id = class.class_id
         and s.role = 'teacher'
         and school.is_seated(s, coalesce(class.archived_at, school.moment()))
       order by s.person_id) as teacher_ids,
       array(select s.person_id from school.seat as s
       where s.organization_id = class.organization_id and s.class_id = class.class_id
         and s.role = 'student'
         and school.is_seated(s, coalesce(class.archived_at, school.moment()))
       order by s.person_id) as student_ids,
       (select json_agg(json_build_object(
            'personId', s.person_id, 'givenName', p.given_name, 'familyName', p.family_name,
            'nameOrder', coalesce(p.name_order, (select school.my_name_order())),
            'joinedAt', school.rfc3339(s.joined_at), 'leftAt', school.rfc3339(s.left_at),
            'unusual', school.is_unusual_seat(s))
            order by s.joined_at, s.person_id)
   from school.seat as s
   join school.person as p
     on p.organization_id = s.organization_id and p.person_id = s.person_id
  where s.organization_id = class.organization_id and s.class_id = class.class_id
    and s.role = 'teacher' and s.joined_at <= coalesce(class.archived_at, school.moment())
    and (s.left_at is null or s.left_at > coalesce(class.archived_at, school.moment())
         or s.left_at > school.moment() - interval '30 days' and school.is_unusual_seat(s))) as teachers,
       class.created_at,
       class.updated_at,
       class.version as version
  from school.class
 where class.organization_id = $1 and class.class_id = $2

-- lock
select class.class_id as id,
       class.name,
       class.source_id,
       class.number,
       class.display_name,
       class.room,
       class.location_id,
       class.course_id,
       class.term_id,
       class.archived_at,
       class.version as version
  from school.class
 where class.organization_id = $1 and class.class_id = $2
   for update of class

-- create
insert into school.class
       (organization_id, class_id, name, source_id, number, display_name, room, location_id, course_id, term_id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)

-- replace and change
update school.class
   set name = $1, source_id = $2, number = $3, display_name = $4, room = $5, location_id = $6, course_id = $7, term_id = $8
 where organization_id = $9 and class_id = $10

-- remove
select school.delete_class($1)

-- what refers to it
select handouts as "handouts" from school.hanging_on_class($1)

-- batch
with sent as (
    select * from jsonb_to_recordset($1)
        as s (position integer, id uuid, name text, source_id text, number text, display_name text, room text, location_id uuid, course_id uuid, term_id uuid)
), known as materialized (
    select s.position, t.class_id as id,
           (t.name, t.source_id, t.number, t.display_name, t.room, t.location_id, t.course_id, t.term_id) is distinct from (s.name, s.source_id, s.number, s.display_name, s.room, s.location_id, s.course_id, s.term_id) as differs
      from sent as s
      join school.class as t
        on t.organization_id = $2 and t.source_id = s.source_id
     order by t.class_id for no key update of t
), changed as (
    update school.class as t
       set name = s.name, source_id = s.source_id, number = s.number, display_name = s.display_name, room = s.room, location_id = s.location_id, course_id = s.course_id, term_id = s.term_id
      from sent as s join known as k using (position)
     where t.organization_id = $3 and t.class_id = k.id and k.differs
), made as (
    insert into school.class
           (organization_id, class_id, name, source_id, number, display_name, room, location_id, course_id, term_id)
    select $4, s.id, s.name, s.source_id, s.number, s.display_name, s.room, s.location_id, s.course_id, s.term_id from sent as s
     where s.position not in (select k.position from known as k)
     order by s.source_id
    on conflict on constraint class_source_id_is_unique do nothing
    returning class_id as id
)
select k.position, k.id, case when k.differs then 'updated' else 'unchanged' end as outcome
  from known as k
union all
select s.position, m.id, 'created' from made as m join sent as s on s.id = m.id
