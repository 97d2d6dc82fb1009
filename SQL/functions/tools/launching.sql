-- Functions of launches: how a person gets from a task, or a handout, into a tool.
--
-- A launch begins with begin_tool_launch() or begin_deep_linking(), in the person's name and under the policies of
-- handouts: what is not assigned cannot be opened. The tool sends the browser back with the launch's secret, and
-- take_tool_launch() lets it be used once, by the same person.

-- is_tool_for (internal): whether a class may use a tool: it was not removed, and is not limited to another location.
create or replace function is_tool_for(p_tool tool, p_class_id uuid) returns boolean
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return p_tool.removed_at is null and (p_tool.location_id is null or exists (
               select from class as c
                where c.organization_id = p_tool.organization_id and c.class_id = p_class_id
                  and c.location_id = p_tool.location_id));
end $$;

-- class_of_launch (internal): for which class something is opened.
create or replace function class_of_launch(p_launch tool_launch) returns uuid
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return coalesce(
        (select t.class_id from task as t
          where t.organization_id = p_launch.organization_id and t.task_id = p_launch.task_id),
        (select h.class_id from handout as h
          where h.organization_id = p_launch.organization_id and h.handout_id = p_launch.handout_id));
end $$;

-- tool_login: where a launch that the caller just began goes on; no row if the class may not use the tool any more.
create or replace function tool_login(p_launch_id uuid)
    returns table (tool_id uuid, deployment_id uuid, login_url text, target text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select o.tool_id, o.deployment_id, o.login_url,
           case when l.task_id is null then o.deep_linking_url else coalesce(t.url, o.launch_url) end
      from tool_launch as l
      join tool as o on o.organization_id = l.organization_id and o.tool_id = l.tool_id
      left join task as t on t.organization_id = l.organization_id and t.task_id = l.task_id
     where l.organization_id = my_organization() and l.launch_id = p_launch_id and l.person_id = my_person()
       and l.used_at is null and l.expires_at > moment() and is_tool_for(o, class_of_launch(l));
end $$;

-- begin_tool_launch: begins to open the tool of a task that the caller sees, as its student or its teacher. Returns
-- 'begun', 'removed' (the tool, or for this class) or, for a task that the caller does not see or that is not a tool's,
-- no row.
create or replace function begin_tool_launch(p_launch_id uuid, p_digest bytea, p_task_id uuid) returns text
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    wanted constant uuid := (
        select t.tool_id from task as t
         where t.organization_id = my_organization() and t.task_id = p_task_id and t.kind = 'tool');
begin
    if wanted is null then
        return null;
    end if;
    insert into tool_launch (organization_id, launch_id, tool_id, person_id, task_id, digest, expires_at)
    values (my_organization(), p_launch_id, wanted, my_person(), p_task_id, p_digest,
            moment() + interval '10 minutes');
    return case when exists (select from tool_login(p_launch_id)) then 'begun' else 'removed' end;
end $$;

-- begin_deep_linking: begins to choose content of a tool for a handout that the caller may change. Returns 'begun',
-- 'tool' (it is not for this class, was removed, or offers no content to choose) or 'handout'.
create or replace function begin_deep_linking(p_launch_id uuid, p_digest bytea, p_tool_id uuid, p_handout_id uuid)
    returns text
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    given constant uuid := (
        select h.class_id from handout as h
         where h.organization_id = my_organization() and h.handout_id = p_handout_id and h.completed_at is null);
begin
    if given is null then
        return 'handout';
    elsif not may_give_tool(p_tool_id, given) or not exists (
        select from tool as t
         where t.organization_id = my_organization() and t.tool_id = p_tool_id and t.deep_linking_url is not null) then
        return 'tool';
    end if;
    insert into tool_launch (organization_id, launch_id, tool_id, person_id, handout_id, digest, expires_at)
    values (my_organization(), p_launch_id, p_tool_id, my_person(), p_handout_id, p_digest,
            moment() + interval '10 minutes');
    return 'begun';
end $$;

-- tool_subject (internal): the pseudonym by which a tool knows a person, as an app does (subject_of).
create or replace function tool_subject(p_organization_id uuid, p_tool_id uuid, p_person_id uuid) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return subject_of(p_organization_id, p_person_id, 'tool:' || p_tool_id);
end $$;

-- take_tool_launch: uses up a launch that the caller began, for the tool that knows its secret. The outcome is 'taken',
-- 'launch' (unknown, used, expired, another person's, another tool's, or for a class that may not use the tool any
-- more) or 'redirect' (an address that is not registered; the launch stays). Names and email addresses are null unless
-- the school shares them with the tool. A tool in which content is chosen has two hours to answer.
create or replace function take_tool_launch(p_digest bytea, p_tool_id uuid, p_redirect_uri text)
    returns table (outcome text, launch_id uuid, task_id uuid, handout_id uuid, deployment_id uuid, target text,
                   subject text, given_name text, family_name text, full_name text, email text)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    held tool_launch;
    used tool;
begin
    select * into held from tool_launch as l
     where l.organization_id = my_organization() and l.digest = p_digest and l.person_id = my_person()
       and l.tool_id = p_tool_id and l.used_at is null and l.expires_at > moment()
       for update;
    select * into used from tool as t
     where t.organization_id = held.organization_id and t.tool_id = held.tool_id
       and is_tool_for(t, class_of_launch(held));
    if used.tool_id is null then
        return query select 'launch', null::uuid, null::uuid, null::uuid, null::uuid, null, null, null, null, null,
                            null;
        return;
    elsif not p_redirect_uri = any (used.redirect_uris) then
        return query select 'redirect', null::uuid, null::uuid, null::uuid, null::uuid, null, null, null, null, null,
                            null;
        return;
    end if;
    update tool_launch as l
       set used_at = moment(),
           expires_at = case when l.handout_id is null then l.expires_at else moment() + interval '2 hours' end
     where l.organization_id = held.organization_id and l.launch_id = held.launch_id;
    return query
    select 'taken', held.launch_id, held.task_id, held.handout_id, used.deployment_id,
           case when held.task_id is null then used.deep_linking_url
                else coalesce((select t.url from task as t
                                where t.organization_id = held.organization_id and t.task_id = held.task_id),
                              used.launch_url) end,
           tool_subject(held.organization_id, used.tool_id, p.person_id),
           case when used.is_telling_names then p.given_name end,
           case when used.is_telling_names then p.family_name end,
           case when used.is_telling_names
                then full_name(p.given_name, p.family_name, name_order_of(p)) end,
           case when used.is_telling_emails then p.email end
      from person as p
     where p.organization_id = held.organization_id and p.person_id = held.person_id;
end $$;
grant execute on function begin_tool_launch(uuid, bytea, uuid), tool_login(uuid), take_tool_launch(bytea, uuid, text)
    to school_student, school_teacher;

-- tool_choice: what was chosen in a launch that the caller began for a handout; no row if it is over, or another's.
create or replace function tool_choice(p_launch_id uuid)
    returns table (tool_id uuid, handout_id uuid, answered boolean, items jsonb)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select l.tool_id, l.handout_id, l.answered_at is not null, coalesce(l.items, '[]') from tool_launch as l
     where l.organization_id = my_organization() and l.launch_id = p_launch_id and l.person_id = my_person()
       and l.handout_id is not null and l.expires_at > moment();
end $$;
grant execute on function begin_deep_linking(uuid, bytea, uuid, uuid), tool_choice(uuid) to school_teacher;
