-- Functions of teams for the whole deployment. The operator registers a team once, and every organization gets it,
-- including those made later. In an organization it is a team like any other, maintained by the deployment. The
-- administrator may remove it, or replace it, which makes it the organization's own. What an organization registers
-- itself takes precedence over what the deployment has.

-- take_deployment_team (internal): adds a deployment team, with what it published, to an organization, or updates it
-- there. False if the organization has its own team with that id. A bundle id that belongs to another team of the
-- organization stays with that team.
create or replace function take_deployment_team(p_organization_id uuid, p_team_id text) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into developer_team (organization_id, team_id, name, origin)
    select p_organization_id, t.team_id, t.name, 'deployment' from deployment_team as t where t.team_id = p_team_id
        on conflict on constraint developer_team_pkey
        do update set name = excluded.name where developer_team.origin = 'deployment';
    if not found then
        return false;
    end if;
    delete from developer_key where organization_id = p_organization_id and team_id = p_team_id;
    insert into developer_key (organization_id, team_id, key_id, public_key)
    select p_organization_id, k.team_id, k.key_id, k.public_key from deployment_key as k where k.team_id = p_team_id;
    delete from developer_bundle as b
     where b.organization_id = p_organization_id and b.team_id = p_team_id
       and b.bundle_id not in (select d.bundle_id from deployment_bundle as d where d.team_id = p_team_id);
    insert into developer_bundle (organization_id, team_id, bundle_id)
    select p_organization_id, d.team_id, d.bundle_id from deployment_bundle as d
     where d.team_id = p_team_id and not exists (
           select from developer_bundle as b
            where b.organization_id = p_organization_id and b.bundle_id = d.bundle_id);
    perform adopt_contexts_of(p_organization_id, p_team_id);
    perform follow_teams_of(p_organization_id);
    perform write_audit_event(p_organization_id, 'developerTeamChange', 'server', null, null, null, null, null,
        jsonb_build_object(
            'teamId', p_team_id, 'origin', 'deployment',
            'keyIds', (select json_agg(k.key_id order by k.key_id) from developer_key as k
                        where k.organization_id = p_organization_id and k.team_id = p_team_id),
            'bundleIds', (select json_agg(b.bundle_id order by b.bundle_id) from developer_bundle as b
                           where b.organization_id = p_organization_id and b.team_id = p_team_id)));
    return true;
end $$;

-- take_deployment_teams (internal): adds all of them to a new organization. Waits for a team that is being registered
-- at the same time.
create or replace function take_deployment_teams(p_organization_id uuid) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    lock table deployment_team in share row exclusive mode;
    perform take_deployment_team(p_organization_id, t.team_id) from deployment_team as t;
end $$;

-- register_deployment_team: registers or replaces a team for the whole deployment; for the command. Returns how many
-- organizations have it now, and how many have their own team with that id.
create or replace function register_deployment_team(
    p_team_id text, p_name text, p_bundle_ids text[], p_key_ids text[], p_public_keys text[])
    returns table (organizations bigint, passed_over bigint)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    lock table deployment_team in share row exclusive mode;
    insert into deployment_team (team_id, name) values (p_team_id, p_name)
        on conflict on constraint deployment_team_pkey do update set name = excluded.name;
    delete from deployment_key where team_id = p_team_id;
    insert into deployment_key (team_id, key_id, public_key)
    select p_team_id, k.key_id, k.public_key from unnest(p_key_ids, p_public_keys) as k (key_id, public_key);
    delete from deployment_bundle where team_id = p_team_id;
    insert into deployment_bundle (bundle_id, team_id) select b, p_team_id from unnest(p_bundle_ids) as b;
    return query
    select count(*) filter (where t.is_taken), count(*) filter (where not t.is_taken)
      from (select take_deployment_team(o.organization_id, p_team_id) as is_taken
              from (select organization_id from organization order by organization_id) as o
             where not is_development(o.organization_id) and not is_at_rest(o.organization_id)) as t;
end $$;
grant execute on function register_deployment_team(text, text, text[], text[], text[]) to school_server;
