-- What the service asks of app, printed by a test: never edited by hand.

-- list
select app.adam_id as id,
       app.adam_id,
       app.name,
       app.product_type,
       app.bundle_id,
       app.is_device_assignable as device_assignable,
       app.is_revocable as revocable,
       app.platforms,
       contexts.works as works_with_schoolwork,
       seats.total as total_count,
       seats.assigned as assigned_count,
       seats.total - seats.assigned as available_count,
       coalesce(((select jsonb_object_agg(w.adam_id, w.student_count)
             from school.waiting_students(null) as w where w.location_id is null)
          ->> app.adam_id)::integer, 0) as waiting_count,
       app.created_at,
       app.updated_at
  from school.app
 cross join lateral (
       select coalesce(sum(p.total_count), 0)::bigint as total,
              coalesce(sum(p.assigned_count), 0)::bigint as assigned
         from school.pool as p
        where p.organization_id = app.organization_id and p.adam_id = app.adam_id) as seats
 cross join lateral (
       select exists (select from school.context as c
                       where c.organization_id = app.organization_id
                         and c.bundle_id = app.bundle_id
                         and c.environment = (select school.my_environment())
                         and c.kind = 'catalog' and c.deleted_at is null)
           or exists (select from school.context as c
                       where c.organization_id = app.organization_id
                         and c.bundle_id = app.bundle_id
                         and c.environment = (select school.my_environment())
                         and c.kind = 'native' and c.person_id = (select school.my_person())
                         and c.deleted_at is null)
           -- Many books have none.
           or coalesce(app.bundle_id = any ((select school.assigned_native_apps())::text[]), false)
           as works) as contexts
 where app.organization_id = $1
       and app.adam_id > $2
 order by app.adam_id limit $3

-- find
select app.adam_id as id,
       app.adam_id,
       app.name,
       app.product_type,
       app.bundle_id,
       app.is_device_assignable as device_assignable,
       app.is_revocable as revocable,
       app.platforms,
       contexts.works as works_with_schoolwork,
       seats.total as total_count,
       seats.assigned as assigned_count,
       seats.total - seats.assigned as available_count,
       app.created_at,
       app.updated_at,
       app.version * 2 + contexts.works::integer as version
  from school.app
 cross join lateral (
       select coalesce(sum(p.total_count), 0)::bigint as total,
              coalesce(sum(p.assigned_count), 0)::bigint as assigned
         from school.pool as p
        where p.organization_id = app.organization_id and p.adam_id = app.adam_id) as seats
 cross join lateral (
       select exists (select from school.context as c
                       where c.organization_id = app.organization_id
                         and c.bundle_id = app.bundle_id
                         and c.environment = (select school.my_environment())
                         and c.kind = 'catalog' and c.deleted_at is null)
           or exists (select from school.context as c
                       where c.organization_id = app.organization_id
                         and c.bundle_id = app.bundle_id
                         and c.environment = (select school.my_environment())
                         and c.kind = 'native' and c.person_id = (select school.my_person())
                         and c.deleted_at is null)
           -- Many books have none.
           or coalesce(app.bundle_id = any ((select school.assigned_native_apps())::text[]), false)
           as works) as contexts
 where app.organization_id = $1 and app.adam_id = $2

-- lock
select app.adam_id as id,
       app.adam_id,
       app.name,
       app.product_type,
       app.bundle_id,
       app.is_device_assignable as device_assignable,
       app.is_revocable as revocable,
       app.platforms,
       app.version * 2 + contexts.works::integer as version
  from school.app
 cross join lateral (
       select coalesce(sum(p.total_count), 0)::bigint as total,
              coalesce(sum(p.assigned_count), 0)::bigint as assigned
         from school.pool as p
        where p.organization_id = app.organization_id and p.adam_id = app.adam_id) as seats
 cross join lateral (
       select exists (select from school.context as c
                       where c.organization_id = app.organization_id
                         and c.bundle_id = app.bundle_id
                         and c.environment = (select school.my_environment())
                         and c.kind = 'catalog' and c.deleted_at is null)
           or exists (select from school.context as c
                       where c.organization_id = app.organization_id
                         and c.bundle_id = app.bundle_id
                         and c.environment = (select school.my_environment())
                         and c.kind = 'native' and c.person_id = (select school.my_person())
                         and c.deleted_at is null)
           -- Many books have none.
           or coalesce(app.bundle_id = any ((select school.assigned_native_apps())::text[]), false)
           as works) as contexts
 where app.organization_id = $1 and app.adam_id = $2
   for no key update of app

-- create
insert into school.app
       (organization_id, adam_id, name, product_type, bundle_id, is_device_assignable, is_revocable, platforms)
values ($1, $2, $3, $4, $5, $6, $7, $8)

-- replace and change
update school.app
   set name = $1, product_type = $2, bundle_id = $3, is_device_assignable = $4, is_revocable = $5, platforms = $6
 where organization_id = $7 and adam_id = $8
