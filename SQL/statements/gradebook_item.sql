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
