-- Functions of tools: who may give their tasks, and what ends with a tool.

create or replace trigger bump_version before update on tool
    for each row execute function bump_version();
create or replace trigger reserve_client_id before insert on tool
    for each row execute function reserve_client_id('tool_id');
create or replace trigger free_client_id after delete on tool
    for each row execute function free_client_id('tool_id');

-- end_tool_tokens: a removed tool has no tokens any more, and nobody opens it.
create or replace function end_tool_tokens() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update access_token set revoked_at = moment()
     where organization_id = new.organization_id and tool_id = new.tool_id and revoked_at is null;
    delete from tool_launch where organization_id = new.organization_id and tool_id = new.tool_id;
    perform pg_notify('school_revocation', 'service-account:' || new.tool_id);
    return null;
end $$;
create or replace trigger end_tool_tokens after update on tool
    for each row when (new.removed_at is not null and old.removed_at is null)
    execute function end_tool_tokens();

-- my_tool_location_ids: the locations of the classes that the caller teaches: where the tools are that the caller may
-- give. Definer, because the policy of tool asks it.
create or replace function my_tool_location_ids() returns uuid[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return array(select distinct c.location_id from class as c
                  where c.organization_id = my_organization()
                    and c.class_id = any ((select my_taught_class_ids())::uuid[]));
end $$;

-- may_give_tool: whether a tool can be given to a class that the caller teaches.
create or replace function may_give_tool(p_tool_id uuid, p_class_id uuid) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (
        select from tool as t
          join class as c on c.organization_id = t.organization_id
         where t.organization_id = my_organization() and t.tool_id = p_tool_id and t.removed_at is null
           and c.class_id = p_class_id and c.class_id = any ((select my_taught_class_ids())::uuid[])
           and (t.location_id is null or t.location_id = c.location_id));
end $$;
grant execute on function my_tool_location_ids(), may_give_tool(uuid, uuid) to school_teacher;

-- tool_name: what a tool of a task is called, also after its removal, for those who see the task.
create or replace function tool_name(p_tool_id uuid) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select t.name from tool as t where t.organization_id = my_organization() and t.tool_id = p_tool_id);
end $$;
grant execute on function tool_name(uuid) to school_teacher, school_student;

-- check_school_takes_tools: an organization has at most 100 tools that are not removed. The organization is locked, so
-- that two transactions that register the last one count one after the other.
create or replace function check_school_takes_tools() returns trigger
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform from organization where organization_id = new.organization_id for no key update;
    if (select count(*) from tool where organization_id = new.organization_id and removed_at is null) > 100 then
        raise exception 'the organization has 100 tools'
            using errcode = '23514', schema = 'school', table = 'tool',
                  constraint = 'organization_has_room_for_tools';
    end if;
    return null;
end $$;

create or replace trigger check_school_takes_new_tool after insert on tool
    for each row execute function check_school_takes_tools();
create or replace trigger check_school_takes_tool after update on tool
    for each row when (old.removed_at is not null and new.removed_at is null)
    execute function check_school_takes_tools();
