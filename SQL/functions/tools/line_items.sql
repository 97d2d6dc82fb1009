-- Functions of the line items that tools make. A task of a tool is a line item by itself, with the task's id; those
-- here are beside it. They are never anybody's but the tool's of the task, and scores of them follow the rule of the
-- task's own (take_tool_score in services.sql).

-- tool_line_items_max, tool_line_items_ever: how many line items a tool may have made for a task, and how many in all
-- with those that it deleted. So many additional items can an attempt have.
create or replace function tool_line_items_max() returns integer language sql immutable parallel safe return 100;
create or replace function tool_line_items_ever() returns integer language sql immutable parallel safe return 1000;

-- my_tool_line_item (internal): one that the calling tool made for a task in this class.
create or replace function my_tool_line_item(p_class_id uuid, p_line_item_id uuid) returns setof tool_line_item
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return query
    select i.* from tool_line_item as i
     where i.organization_id = my_organization() and i.line_item_id = p_line_item_id and i.deleted_at is null
       and i.task_id in (select t.task_id from my_tool_tasks(p_class_id) as t);
end $$;

-- tool_line_items: the line items of the calling tool in a class: its tasks, and those that it made. Or one of them, or
-- those of a task, or those with these words of the tool's, in the order of their ids.
create or replace function tool_line_items(p_class_id uuid, p_line_item_id uuid, p_task_id uuid, p_resource_id text,
                                           p_tag text, p_after uuid, p_limit bigint)
    returns table (line_item_id uuid, task_id uuid, label text, score_maximum double precision,
                   starts_at timestamptz, ends_at timestamptz, resource_id text, tag text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    with mine as materialized (
        select t.*, h.publish_at::timestamptz as starts_at, h.due_at::timestamptz as ends_at
          from my_tool_tasks(p_class_id) as t
          join handout as h on h.organization_id = my_organization() and h.handout_id = t.handout_id
         where p_task_id is null or t.task_id = p_task_id
    ), item as (
        select t.task_id as line_item_id, t.task_id, t.title as label, coalesce(t.score_maximum, 100) as score_maximum,
               t.starts_at, t.ends_at, t.tool_resource_id as resource_id, t.tool_tag as tag
          from mine as t
        union all
        select i.line_item_id, i.task_id, i.label, i.score_maximum, t.starts_at, t.ends_at, i.resource_id, i.tag
          from mine as t
          join tool_line_item as i on i.organization_id = t.organization_id and i.task_id = t.task_id
                                  and i.deleted_at is null
    )
    select i.line_item_id, i.task_id, i.label, i.score_maximum, i.starts_at, i.ends_at, i.resource_id, i.tag
      from item as i
     where (p_line_item_id is null or i.line_item_id = p_line_item_id) and (p_after is null or i.line_item_id > p_after)
       and (p_resource_id is null or i.resource_id = p_resource_id) and (p_tag is null or i.tag = p_tag)
     order by i.line_item_id limit p_limit;
end $$;

-- make_tool_line_item: makes one for a task of the calling tool in a class. The outcome is 'made', 'same' (the task has
-- one with the same words and maximum, so that a repeated call makes no second one), 'task' (the tool has no such task
-- there) or 'tooMany'. The task is locked: of two calls at once, the second sees what the first made.
create or replace function make_tool_line_item(p_class_id uuid, p_task_id uuid, p_label text,
                                               p_score_maximum double precision, p_resource_id text, p_tag text)
    returns table (outcome text, line_item_id uuid)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    made uuid;
begin
    perform from task as t
      where t.organization_id = my_organization() and t.task_id = p_task_id
        and t.task_id in (select m.task_id from my_tool_tasks(p_class_id) as m)
        for no key update;
    if not found then
        return query select 'task', null::uuid;
        return;
    end if;
    select i.line_item_id into made from tool_line_item as i
     where i.organization_id = my_organization() and i.task_id = p_task_id and i.deleted_at is null
       and (i.label, i.score_maximum, i.resource_id, i.tag)
           is not distinct from (p_label, p_score_maximum, p_resource_id, p_tag)
     order by i.line_item_id limit 1;
    if found then
        return query select 'same', made;
    elsif (select count(*) >= tool_line_items_ever()
               or count(*) filter (where i.deleted_at is null) >= tool_line_items_max()
             from tool_line_item as i
            where i.organization_id = my_organization() and i.task_id = p_task_id) then
        return query select 'tooMany', null::uuid;
    else
        return query
        insert into tool_line_item (organization_id, line_item_id, task_id, label, score_maximum, resource_id, tag)
        values (my_organization(), new_id(), p_task_id, p_label, p_score_maximum, p_resource_id, p_tag)
        returning 'made', tool_line_item.line_item_id;
    end if;
end $$;

-- change_tool_line_item: replaces what one is called and what it is worth; scores that are there stay as they were
-- reported. The outcome is 'changed', 'unknown', 'own' (it is the task itself) or 'task' (p_task_id, if given, is
-- another one than its task).
create or replace function change_tool_line_item(p_class_id uuid, p_line_item_id uuid, p_task_id uuid, p_label text,
                                                 p_score_maximum double precision, p_resource_id text, p_tag text)
    returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    held tool_line_item;
begin
    if p_line_item_id in (select t.task_id from my_tool_tasks(p_class_id) as t) then
        return 'own';
    end if;
    select * into held from my_tool_line_item(p_class_id, p_line_item_id);
    if not found then
        return 'unknown';
    elsif p_task_id <> held.task_id then
        return 'task';
    end if;
    update tool_line_item
       set label = p_label, score_maximum = p_score_maximum, resource_id = p_resource_id, tag = p_tag
     where organization_id = my_organization() and line_item_id = held.line_item_id and deleted_at is null;
    return case when found then 'changed' else 'unknown' end;
end $$;

-- delete_tool_line_item: takes no more scores of one. Those that are there stay, as the work of students. The outcome
-- is 'deleted', 'unknown' or 'own' (it is the task itself).
create or replace function delete_tool_line_item(p_class_id uuid, p_line_item_id uuid) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    if p_line_item_id in (select t.task_id from my_tool_tasks(p_class_id) as t) then
        return 'own';
    end if;
    update tool_line_item set deleted_at = moment()
     where organization_id = my_organization() and deleted_at is null
       and line_item_id in (select i.line_item_id from my_tool_line_item(p_class_id, p_line_item_id) as i);
    return case when found then 'deleted' else 'unknown' end;
end $$;
grant execute on function tool_line_items(uuid, uuid, uuid, text, text, uuid, bigint),
    make_tool_line_item(uuid, uuid, text, double precision, text, text),
    change_tool_line_item(uuid, uuid, uuid, text, double precision, text, text),
    delete_tool_line_item(uuid, uuid) to school_tool;

-- launches_one_line_item: whether the task of a launch that the caller began has no line item but itself: only then
-- does the message name one (section 3.1).
create or replace function launches_one_line_item(p_launch_id uuid) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (
        select from tool_launch as l
         where l.organization_id = my_organization() and l.launch_id = p_launch_id and l.person_id = my_person()
           and not exists (
               select from tool_line_item as i
                where i.organization_id = l.organization_id and i.task_id = l.task_id and i.deleted_at is null));
end $$;
grant execute on function launches_one_line_item(uuid) to school_student, school_teacher;
