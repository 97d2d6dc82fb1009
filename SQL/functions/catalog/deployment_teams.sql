-- Functions of teams for the whole deployment: the operator registers a team once, and every organization has it,
-- those that are made later, too. In an organization it is a team like any other, of which the deployment takes
-- care: the administrator may replace it, and then it is the organization's own, or remove it. What an
-- organization registers itself goes before what the deployment has.

-- take_deployment_team (internal): brings a team of the deployment into an organization, or up to date there, with
-- what it published. False: the organization has a team of its own by that id. A bundle id that another team of
-- the organization has stays with that one.
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

-- take_deployment_teams (internal): all of them, into an organization that is made. A team that is registered at
-- the same moment is waited for.
create or replace function take_deployment_teams(p_organization_id uuid) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    lock table deployment_team in share row exclusive mode;
    perform take_deployment_team(p_organization_id, t.team_id) from deployment_team as t;
end $$;

-- register_deployment_team: a team for the whole deployment, or in the place of what is registered of it; for the
-- command. Says how many organizations have it now, and how many have a team of their own by that id.
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
             where not is_development(o.organization_id)) as t;
end $$;
grant execute on function register_deployment_team(text, text, text[], text[], text[]) to school_server;
