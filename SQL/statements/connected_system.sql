-- What the service asks of connected_system, printed by a test: never edited by hand.

-- list
select connected_system.connected_system_id as id,
       connected_system.name,
       connected_system.redirect_uris,
       connected_system.scopes,
       connected_system.id_token_signed_response_alg,
       connected_system.requires_pkce,
       connected_system.post_logout_redirect_uris,
       connected_system.connected_system_id as client_id,
       removed_at,
       secret_changed_at,
       connected_system.created_at,
       connected_system.updated_at
  from school.connected_system
 where connected_system.organization_id = $1
       and connected_system.connected_system_id > $2
 order by connected_system.connected_system_id limit $3

-- find
select connected_system.connected_system_id as id,
       connected_system.name,
       connected_system.redirect_uris,
       connected_system.scopes,
       connected_system.id_token_signed_response_alg,
       connected_system.requires_pkce,
       connected_system.post_logout_redirect_uris,
       connected_system.connected_system_id as client_id,
       removed_at,
       secret_changed_at,
       connected_system.created_at,
       connected_system.updated_at,
       connected_system.version as version
  from school.connected_system
 where connected_system.organization_id = $1 and connected_system.connected_system_id = $2
   and connected_system.removed_at is null

-- lock
select connected_system.connected_system_id as id,
       connected_system.name,
       connected_system.redirect_uris,
       connected_system.scopes,
       connected_system.id_token_signed_response_alg,
       connected_system.requires_pkce,
       connected_system.post_logout_redirect_uris,
       connected_system.version as version
  from school.connected_system
 where connected_system.organization_id = $1 and connected_system.connected_system_id = $2
   and connected_system.removed_at is null
   for update of connected_system

-- create
insert into school.connected_system
       (organization_id, connected_system_id, name, redirect_uris, scopes, id_token_signed_response_alg, requires_pkce, post_logout_redirect_uris)
values ($1, $2, $3, $4, $5, $6, $7, $8)

-- replace and change
update school.connected_system
   set name = $1, redirect_uris = $2, scopes = $3, id_token_signed_response_alg = $4, requires_pkce = $5, post_logout_redirect_uris = $6
 where organization_id = $7 and connected_system_id = $8

-- remove
update school.connected_system set removed_at = school.moment()
 where organization_id = $1 and connected_system_id = $2
