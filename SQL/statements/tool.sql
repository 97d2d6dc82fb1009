-- What the service asks of tool, printed by a test: never edited by hand.

-- list
select tool.tool_id as id,
       tool.name,
       tool.login_url,
       tool.redirect_uris,
       tool.launch_url,
       tool.deep_linking_url,
       tool.key_set_url,
       tool.key_set,
       tool.location_id,
       tool.is_telling_names as shares_names,
       tool.is_telling_emails as shares_emails,
       tool.tool_id as client_id,
       deployment_id,
       removed_at,
       tool.created_at,
       tool.updated_at
  from school.tool
 where tool.organization_id = $1
       and tool.tool_id > $2
 order by tool.tool_id limit $3

-- find
select tool.tool_id as id,
       tool.name,
       tool.login_url,
       tool.redirect_uris,
       tool.launch_url,
       tool.deep_linking_url,
       tool.key_set_url,
       tool.key_set,
       tool.location_id,
       tool.is_telling_names as shares_names,
       tool.is_telling_emails as shares_emails,
       tool.tool_id as client_id,
       deployment_id,
       removed_at,
       tool.created_at,
       tool.updated_at,
       tool.version as version
  from school.tool
 where tool.organization_id = $1 and tool.tool_id = $2
   and tool.removed_at is null

-- lock
select tool.tool_id as id,
       tool.name,
       tool.login_url,
       tool.redirect_uris,
       tool.launch_url,
       tool.deep_linking_url,
       tool.key_set_url,
       tool.key_set,
       tool.location_id,
       tool.is_telling_names as shares_names,
       tool.is_telling_emails as shares_emails,
       tool.version as version
  from school.tool
 where tool.organization_id = $1 and tool.tool_id = $2
   and tool.removed_at is null
   for update of tool

-- create
insert into school.tool
       (organization_id, tool_id, name, login_url, redirect_uris, launch_url, deep_linking_url, key_set_url, key_set, location_id, is_telling_names, is_telling_emails)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)

-- replace and change
update school.tool
   set name = $1, login_url = $2, redirect_uris = $3, launch_url = $4, deep_linking_url = $5, key_set_url = $6, key_set = $7, location_id = $8, is_telling_names = $9, is_telling_emails = $10
 where organization_id = $11 and tool_id = $12

-- remove
update school.tool set removed_at = school.moment()
 where organization_id = $1 and tool_id = $2
