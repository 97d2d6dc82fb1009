-- What the service asks of developer_team, printed by a test: never edited by hand.

-- list
select developer_team.team_id as id,
       developer_team.team_id,
       developer_team.name,
       (select coalesce(json_agg(b.bundle_id order by b.bundle_id), '[]')
   from school.developer_bundle as b
  where b.organization_id = developer_team.organization_id
    and b.team_id = developer_team.team_id) as bundle_ids,
       (select coalesce(json_agg(json_build_object('keyId', k.key_id, 'publicKey', k.public_key)
                          order by k.key_id), '[]')
   from school.developer_key as k
  where k.organization_id = developer_team.organization_id
    and k.team_id = developer_team.team_id) as keys,
       origin,
       developer_team.created_at,
       developer_team.updated_at
  from school.developer_team
 where developer_team.organization_id = $1
       and developer_team.team_id > $2
 order by developer_team.team_id limit $3

-- find
select developer_team.team_id as id,
       developer_team.team_id,
       developer_team.name,
       (select coalesce(json_agg(b.bundle_id order by b.bundle_id), '[]')
   from school.developer_bundle as b
  where b.organization_id = developer_team.organization_id
    and b.team_id = developer_team.team_id) as bundle_ids,
       (select coalesce(json_agg(json_build_object('keyId', k.key_id, 'publicKey', k.public_key)
                          order by k.key_id), '[]')
   from school.developer_key as k
  where k.organization_id = developer_team.organization_id
    and k.team_id = developer_team.team_id) as keys,
       origin,
       developer_team.created_at,
       developer_team.updated_at,
       developer_team.version as version
  from school.developer_team
 where developer_team.organization_id = $1 and developer_team.team_id = $2

-- lock
select developer_team.team_id as id,
       developer_team.team_id,
       developer_team.name,
       developer_team.version as version
  from school.developer_team
 where developer_team.organization_id = $1 and developer_team.team_id = $2
   for update of developer_team

-- create
insert into school.developer_team
       (organization_id, team_id, name)
values ($1, $2, $3)

-- replace and change
update school.developer_team
   set name = $1
 where organization_id = $2 and team_id = $3

-- remove
delete from school.developer_team
 where organization_id = $1 and team_id = $2
