-- What the service asks of grade, printed by a test: never edited by hand.

-- list
select grade.grade_id as id,
       grade.class_id,
       grade.person_id,
       grade.gradebook_item_id as item_id,
       status,
       score,
       text_score,
       scored_on,
       comment,
       is_late,
       is_missing,
       school.gradebook_system(grade.service_account_id) as system_name,
       (select coalesce(c.display_name, c.name) from school.class as c
         where c.organization_id = grade.organization_id and c.class_id = grade.class_id) as class_name,
       grade.created_at,
       grade.updated_at
  from school.grade
 where grade.organization_id = $1
       and grade.grade_id > $2
 order by grade.grade_id limit $3

-- list of a teacher
select grade.grade_id as id,
       grade.class_id,
       grade.person_id,
       grade.gradebook_item_id as item_id,
       status,
       score,
       text_score,
       scored_on,
       comment,
       is_late,
       is_missing,
       school.gradebook_system(grade.service_account_id) as system_name,
       (select coalesce(c.display_name, c.name) from school.class as c
         where c.organization_id = grade.organization_id and c.class_id = grade.class_id) as class_name,
       grade.created_at,
       grade.updated_at
  from (select distinct value from unnest(school.my_taught_class_ids()) as value order by value) as reached
 cross join lateral (
       select * from school.grade
        where grade.organization_id = $1
          and grade.class_id = reached.value
               and grade.grade_id > $2
        order by grade.grade_id limit $3) as grade
 
 order by grade.grade_id limit $4

-- list of a student
select grade.grade_id as id,
       grade.class_id,
       grade.person_id,
       grade.gradebook_item_id as item_id,
       status,
       score,
       text_score,
       scored_on,
       comment,
       is_late,
       is_missing,
       school.gradebook_system(grade.service_account_id) as system_name,
       (select coalesce(c.display_name, c.name) from school.class as c
         where c.organization_id = grade.organization_id and c.class_id = grade.class_id) as class_name,
       grade.created_at,
       grade.updated_at
  from (select distinct value from unnest(array[school.my_person()]) as value order by value) as reached
 cross join lateral (
       select * from school.grade
        where grade.organization_id = $1
          and grade.person_id = reached.value
               and grade.grade_id > $2
        order by grade.grade_id limit $3) as grade
 
 order by grade.grade_id limit $4

-- find
select grade.grade_id as id,
       grade.class_id,
       grade.person_id,
       grade.gradebook_item_id as item_id,
       status,
       score,
       text_score,
       scored_on,
       comment,
       is_late,
       is_missing,
       grade.created_at,
       grade.updated_at,
       grade.version as version
  from school.grade
 where grade.organization_id = $1 and grade.grade_id = $2

-- lock
select grade.grade_id as id,
       grade.class_id,
       grade.person_id,
       grade.version as version
  from school.grade
 where grade.organization_id = $1 and grade.grade_id = $2
   for update of grade

-- create
insert into school.grade
       (organization_id, grade_id, class_id, person_id)
values ($1, $2, $3, $4)
