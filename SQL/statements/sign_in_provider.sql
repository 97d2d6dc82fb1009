-- What the service asks of sign_in_provider, printed by a test: never edited by hand.

-- list
select sign_in_provider.sign_in_provider_id as id,
       sign_in_provider.kind,
       sign_in_provider.name,
       sign_in_provider.issuer,
       sign_in_provider.tenant,
       sign_in_provider.client_id,
       sign_in_provider.matching,
       sign_in_provider.email_domains,
       sign_in_provider.created_at,
       sign_in_provider.updated_at
  from school.sign_in_provider
 where sign_in_provider.organization_id = $1
       and sign_in_provider.sign_in_provider_id > $2
 order by sign_in_provider.sign_in_provider_id limit $3

-- find
select sign_in_provider.sign_in_provider_id as id,
       sign_in_provider.kind,
       sign_in_provider.name,
       sign_in_provider.issuer,
       sign_in_provider.tenant,
       sign_in_provider.client_id,
       sign_in_provider.matching,
       sign_in_provider.email_domains,
       sign_in_provider.created_at,
       sign_in_provider.updated_at,
       sign_in_provider.version as version
  from school.sign_in_provider
 where sign_in_provider.organization_id = $1 and sign_in_provider.sign_in_provider_id = $2

-- lock
select sign_in_provider.sign_in_provider_id as id,
       sign_in_provider.kind,
       sign_in_provider.name,
       sign_in_provider.issuer,
       sign_in_provider.tenant,
       sign_in_provider.client_id,
       sign_in_provider.matching,
       sign_in_provider.email_domains,
       sign_in_provider.version as version
  from school.sign_in_provider
 where sign_in_provider.organization_id = $1 and sign_in_provider.sign_in_provider_id = $2
   for update of sign_in_provider

-- create
insert into school.sign_in_provider
       (organization_id, sign_in_provider_id, kind, name, issuer, tenant, client_id, matching, email_domains)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)

-- replace and change
update school.sign_in_provider
   set kind = $1, name = $2, issuer = $3, tenant = $4, client_id = $5, matching = $6, email_domains = $7
 where organization_id = $8 and sign_in_provider_id = $9

-- remove
delete from school.sign_in_provider
 where organization_id = $1 and sign_in_provider_id = $2
