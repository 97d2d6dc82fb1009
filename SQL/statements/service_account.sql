-- What the service asks of service_account, printed by a test: never edited by hand.

-- list
select service_account.service_account_id as id,
       service_account.name,
       service_account.role,
       service_account.expires_at,
       service_account.default_location_id,
       service_account.service_account_id as client_id,
       revoked_at,
       secret_changed_at,
       service_account.created_at,
       service_account.updated_at
  from school.service_account
 where service_account.organization_id = $1
       and service_account.service_account_id > $2
 order by service_account.service_account_id limit $3

-- find
select service_account.service_account_id as id,
       service_account.name,
       service_account.role,
       service_account.expires_at,
       service_account.default_location_id,
       service_account.service_account_id as client_id,
       revoked_at,
       secret_changed_at,
       service_account.created_at,
       service_account.updated_at,
       service_account.version as version
  from school.service_account
 where service_account.organization_id = $1 and service_account.service_account_id = $2
   and service_account.revoked_at is null

-- lock
select service_account.service_account_id as id,
       service_account.name,
       service_account.role,
       service_account.expires_at,
       service_account.default_location_id,
       service_account.version as version
  from school.service_account
 where service_account.organization_id = $1 and service_account.service_account_id = $2
   and service_account.revoked_at is null
   for update of service_account

-- create
insert into school.service_account
       (organization_id, service_account_id, name, role, expires_at, default_location_id)
values ($1, $2, $3, $4, $5, $6)

-- remove
update school.service_account set revoked_at = school.moment(), default_location_id = null
 where organization_id = $1 and service_account_id = $2
