-- What the service asks of gradebook_item, printed by a test: never edited by hand.

-- list
select gradebook_item.gradebook_item_id as id,
       gradebook_item.class_id,
       title,
       description,
       assigned_at,
       due_at,
       value_min,
       value_max,
       school.gradebook_system(gradebook_item.service_account_id) as system_name,
       gradebook_item.created_at,
       gradebook_item.updated_at
  from school.gradebook_item
 where gradebook_item.organization_id = $1
       and gradebook_item.gradebook_item_id > $2
 order by gradebook_item.gradebook_item_id limit $3

-- list of a teacher
select gradebook_item.gradebook_item_id as id,
       gradebook_item.class_id,
       title,
       description,
       assigned_at,
       due_at,
       value_min,
       value_max,
       school.gradebook_system(gradebook_item.service_account_id) as system_name,
       gradebook_item.created_at,
       gradebook_item.updated_at
  from (select distinct value from unnest(school.my_taught_class_ids()) as value order by value) as reached
 cross join lateral (
       select * from school.gradebook_item
        where gradebook_item.organization_id = $1
          and gradebook_item.class_id = reached.value
               and gradebook_item.gradebook_item_id > $2
        order by gradebook_item.gradebook_item_id limit $3) as gradebook_item
 
 order by gradebook_item.gradebook_item_id limit $4

-- list of a student
select gradebook_item.gradebook_item_id as id,
       gradebook_item.class_id,
       title,
       description,
       assigned_at,
       due_at,
       value_min,
       value_max,
       school.gradebook_system(gradebook_item.service_account_id) as system_name,
       gradebook_item.created_at,
       gradebook_item.updated_at
  from (select distinct value from unnest(array(select g.gradebook_item_id from school.grade as g
                 where g.organization_id = (select school.my_organization())
                   and g.person_id = (select school.my_person()))) as value order by value) as reached
 cross join lateral (
       select * from school.gradebook_item
        where gradebook_item.organization_id = $1
          and gradebook_item.gradebook_item_id = reached.value
               and gradebook_item.gradebook_item_id > $2
        order by gradebook_item.gradebook_item_id limit $3) as gradebook_item
 
 order by reached.value limit $4

-- find
select gradebook_item.gradebook_item_id as id,
       gradebook_item.class_id,
       title,
       description,
       assigned_at,
       due_at,
       value_min,
       value_max,
       gradebook_item.created_at,
       gradebook_item.updated_at,
       gradebook_item.version as version
  from school.gradebook_item
 where gradebook_item.organization_id = $1 and gradebook_item.gradebook_item_id = $2

-- lock
select gradebook_item.gradebook_item_id as id,
       gradebook_item.class_id,
       gradebook_item.version as version
  from school.gradebook_item
 where gradebook_item.organization_id = $1 and gradebook_item.gradebook_item_id = $2
   for update of gradebook_item

-- create
insert into school.gradebook_item
       (organization_id, gradebook_item_id, class_id)
values ($1, $2, $3)
