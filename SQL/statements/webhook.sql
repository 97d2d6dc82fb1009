-- What the service asks of webhook, printed by a test: never edited by hand.

-- list
select webhook.webhook_id as id,
       webhook.name,
       webhook.url,
       webhook.kinds,
       webhook.is_enabled as enabled,
       disabled_because,
       failing_since,
       secret_changed_at,
       webhook.former_until as former_secret_until,
       webhook.created_at,
       webhook.updated_at
  from school.webhook
 where webhook.organization_id = $1
       and webhook.webhook_id > $2
 order by webhook.webhook_id limit $3

-- find
select webhook.webhook_id as id,
       webhook.name,
       webhook.url,
       webhook.kinds,
       webhook.is_enabled as enabled,
       disabled_because,
       failing_since,
       secret_changed_at,
       webhook.former_until as former_secret_until,
       webhook.created_at,
       webhook.updated_at,
       webhook.version as version
  from school.webhook
 where webhook.organization_id = $1 and webhook.webhook_id = $2

-- lock
select webhook.webhook_id as id,
       webhook.name,
       webhook.url,
       webhook.kinds,
       webhook.is_enabled as enabled,
       webhook.version as version
  from school.webhook
 where webhook.organization_id = $1 and webhook.webhook_id = $2
   for update of webhook

-- create
insert into school.webhook
       (organization_id, webhook_id, name, url, kinds, is_enabled)
values ($1, $2, $3, $4, $5, $6)

-- replace and change
update school.webhook
   set name = $1, url = $2, kinds = $3, is_enabled = $4
 where organization_id = $5 and webhook_id = $6

-- remove
delete from school.webhook
 where organization_id = $1 and webhook_id = $2
