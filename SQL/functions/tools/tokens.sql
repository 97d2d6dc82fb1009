-- Functions of what tools sign: how they get tokens, that nothing is sent twice, and when that is forgotten.

-- tool_client: the keys with which the server checks what a tool signed, and whose tool it is; no row if the tool does
-- not exist.
create or replace function tool_client(p_client_id uuid)
    returns table (organization_id uuid, key_set_url text, key_set text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    tenant constant uuid := organization_of_client(p_client_id);
begin
    return query
    select t.organization_id, t.key_set_url, t.key_set from tool as t
     where t.organization_id = tenant and t.tool_id = p_client_id and t.removed_at is null
       and not is_ending(tenant);
end $$;

-- use_tool_token_id (internal): notes what a tool signed; false if it was noted before.
create or replace function use_tool_token_id(p_organization_id uuid, p_tool_id uuid, p_digest bytea,
                                             p_expires_at timestamptz) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into tool_token_id (organization_id, tool_id, digest, expires_at)
    values (p_organization_id, p_tool_id, p_digest, p_expires_at)
        on conflict on constraint tool_token_id_pkey do nothing;
    return found;
end $$;

-- issue_tool_token: a token for a tool that proved who it is. Returns 'issued', 'client' (it was removed), 'replayed'
-- or 'tooMany': sixty a minute, as service accounts have. The tool is locked until the token is stored: a concurrent
-- removal waits, and then revokes the token, too.
create or replace function issue_tool_token(
    p_client_id uuid, p_once_digest bytea, p_once_expires_at timestamptz, p_token_digest bytea,
    p_expires_at timestamptz, p_scopes text[], p_address text) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    client tool;
begin
    select * into client from tool as t
     where t.organization_id = organization_of_client(p_client_id) and t.tool_id = p_client_id
       and t.removed_at is null and not is_ending(t.organization_id)
       for share;
    if not found then
        return 'client';
    elsif (select count(*) from access_token as t
            where t.organization_id = client.organization_id and t.tool_id = client.tool_id
              and t.created_at > moment() - interval '1 minute') >= 60 then
        return 'tooMany';
    elsif not use_tool_token_id(client.organization_id, client.tool_id, p_once_digest, p_once_expires_at) then
        return 'replayed';
    end if;
    insert into access_token (organization_id, digest, standing, tool_id, expires_at, scopes)
    values (client.organization_id, p_token_digest, 'tool', client.tool_id, p_expires_at, p_scopes);
    perform set_config('school.service_account', client.tool_id::text, true);
    perform write_audit_event(client.organization_id, 'signIn', 'server', null, null, p_address, 'tool',
                              client.tool_id::text, '{}');
    return 'issued';
end $$;

-- note_failed_tool: writes that somebody failed to prove to be a tool, or waits for the disk all the same, so that
-- timing does not tell whether there is such a tool.
create or replace function note_failed_tool(p_client_id uuid, p_address text) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    tenant constant uuid := (
        select t.organization_id from tool as t
         where t.organization_id = organization_of_client(p_client_id) and t.tool_id = p_client_id);
begin
    if tenant is null then
        perform pg_logical_emit_message(true, 'school', 'signInFailure');
    else
        perform write_audit_event(tenant, 'signInFailure', 'server', null, null, p_address, 'tool',
                                  p_client_id::text, '{}');
    end if;
end $$;

-- take_deep_links: what a tool answers to a teacher who chose content, signed and checked by the server. Returns the
-- launch and its handout; no row if the tool was not asked by this deployment, or has answered already. Writes nothing
-- then, however often a tool sends it.
create or replace function take_deep_links(
    p_client_id uuid, p_deployment_id text, p_once_digest bytea, p_once_expires_at timestamptz, p_digest bytea,
    p_items jsonb)
    returns table (launch_id uuid, handout_id uuid)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    tenant constant uuid := organization_of_client(p_client_id);
    asked  tool_launch;
begin
    if not exists (select from tool_client(p_client_id))
        or not exists (select from tool as t
                        where t.organization_id = tenant and t.tool_id = p_client_id
                          and t.deployment_id::text = p_deployment_id) then
        return;
    end if;
    select * into asked from tool_launch as l
     where l.organization_id = tenant and l.tool_id = p_client_id and l.digest = p_digest
       and l.handout_id is not null and l.used_at is not null and l.answered_at is null and l.expires_at > moment()
       for update;
    if asked.launch_id is null or not use_tool_token_id(tenant, p_client_id, p_once_digest, p_once_expires_at) then
        return;
    end if;
    return query
    update tool_launch as l set answered_at = moment(), items = p_items
     where l.organization_id = tenant and l.launch_id = asked.launch_id
    returning l.launch_id, l.handout_id;
end $$;

-- forget_tool_messages (internal): removes launches that nobody can finish, and the ids of tokens that have expired, at
-- most p_limit of each; how many of the kind of which there were most.
create or replace function forget_tool_messages(p_limit integer) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    launches bigint;
    ids      bigint;
begin
    delete from tool_launch where ctid = any (array(
        select ctid from tool_launch where expires_at <= (select removal_moment()) and not is_at_rest(organization_id)
         limit p_limit for update skip locked));
    get diagnostics launches = row_count;
    delete from tool_token_id where ctid = any (array(
        select ctid from tool_token_id where expires_at <= (select removal_moment()) and not is_at_rest(organization_id)
         limit p_limit for update skip locked));
    get diagnostics ids = row_count;
    return greatest(launches, ids);
end $$;
grant execute on function tool_client(uuid), note_failed_tool(uuid, text),
    issue_tool_token(uuid, bytea, timestamptz, bytea, timestamptz, text[], text),
    take_deep_links(uuid, text, bytea, timestamptz, bytea, jsonb) to school_server;
