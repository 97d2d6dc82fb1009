-- Functions of what tools ask and report: members, scores, results. A tool has no right to any table; it sees what
-- these functions and those of line items show it, and nothing of a class in which no published handout has one of its
-- tasks.

-- my_tool_tasks (internal): the tasks of the calling tool in a class, of published handouts. None where the class may
-- not use the tool, because an administrator has limited it to a location since.
create or replace function my_tool_tasks(p_class_id uuid) returns setof task
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return query
    select t.* from task as t
      join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
      join class as c   on c.organization_id = t.organization_id and c.class_id = t.class_id
      join tool as o    on o.organization_id = t.organization_id and o.tool_id = t.tool_id
     where t.organization_id = my_organization() and t.tool_id = my_service_account() and t.class_id = p_class_id
       and h.publish_at <= moment() and h.deleted_at is null and c.archived_at is null and o.removed_at is null
       and (o.location_id is null or o.location_id = c.location_id);
end $$;

-- tool_class: what a class is called, for a tool that it uses; no row for any other class.
create or replace function tool_class(p_class_id uuid) returns table (name text, number text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select coalesce(c.display_name, c.name), c.number from class as c
     where c.organization_id = my_organization() and c.class_id = p_class_id
       and exists (select from my_tool_tasks(p_class_id));
end $$;

-- my_tool_students (internal): who has tasks of the calling tool in a class now.
create or replace function my_tool_students(p_class_id uuid, p_task_id uuid) returns table (person_id uuid)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select distinct s.person_id from my_tool_tasks(p_class_id) as t
      join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
      join seat as s    on s.organization_id = t.organization_id and s.class_id = t.class_id
                       and s.role = 'student' and is_seated(s)
     where (p_task_id is null or t.task_id = p_task_id)
       and (h.recipients = 'class' or exists (
               select from handout_recipient as r
                where r.organization_id = h.organization_id and r.handout_id = h.handout_id
                  and r.person_id = s.person_id));
end $$;

-- tool_members: the people whom a tool may know in a class: its teachers, and the students who have one of the tool's
-- tasks, or that task; with p_role only those of that role. Names and email addresses are null unless the school shares
-- them with the tool; the pseudonym is always there.
create or replace function tool_members(p_class_id uuid, p_task_id uuid, p_role text, p_after text, p_limit bigint)
    returns table (subject text, role text, given_name text, family_name text, full_name text, email text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select m.subject, m.role, case when o.is_telling_names then m.given_name end,
           case when o.is_telling_names then m.family_name end,
           case when o.is_telling_names then m.full_name end, case when o.is_telling_emails then m.email end
      from (select tool_subject(p.organization_id, my_service_account(), p.person_id) as subject, k.role,
                   p.given_name, p.family_name,
                   full_name(p.given_name, p.family_name, name_order_of(p)) as full_name, p.email
              from (select s.person_id, 'student' as role from my_tool_students(p_class_id, p_task_id) as s
                    union all
                    select distinct s.person_id, 'teacher' from seat as s
                     where s.organization_id = my_organization() and s.class_id = p_class_id
                       and s.role = 'teacher' and is_seated(s)
                       and exists (select from my_tool_tasks(p_class_id) as t
                                    where p_task_id is null or t.task_id = p_task_id)) as k
              join person as p on p.organization_id = my_organization() and p.person_id = k.person_id
             where p.deactivated_at is null and (p_role is null or k.role = p_role)) as m
      join tool as o on o.organization_id = my_organization() and o.tool_id = my_service_account()
     where p_after is null or (m.subject collate "C", m.role collate "C") > (
               split_part(p_after, ' ', 1) collate "C", split_part(p_after, ' ', 2) collate "C")
     order by m.subject collate "C", m.role collate "C" limit p_limit;
end $$;

-- take_tool_score: keeps a score until a worker stores it, as take_upload() does, and by the same rule. False if the
-- tool has no such line item. The answer does not show whether the student exists or has the task. Several scores of
-- one attempt are parts of one activity, whose id is made from what they are of; without p_attempt a student makes one
-- attempt. Each says something about one item, and leaves the others alone.
--
-- A score of a line item that the tool made becomes an additional item. How far the work is, only the task's own
-- scores say: one figure of several being complete does not make the task so.
create or replace function take_tool_score(p_class_id uuid, p_line_item_id uuid, p_user_id text, p_attempt text,
                                           p_activity jsonb) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    scored   task;
    made     tool_line_item;
    student  uuid;
    another  uuid;
    reported jsonb := p_activity || '{"isPartial": true}';
begin
    select * into made from my_tool_line_item(p_class_id, p_line_item_id);
    select * into scored from my_tool_tasks(p_class_id) as t
     where t.organization_id = my_organization() and t.task_id = coalesce(made.task_id, p_line_item_id);
    if not found then
        return false;
    end if;
    -- An aggregate makes the pseudonym of every student, so that the time does not show who sits in the class.
    select (array_agg(s.person_id) filter (
                where tool_subject(s.organization_id, scored.tool_id, s.person_id) = p_user_id))[1],
           (array_agg(s.person_id order by random()))[1]
      into student, another
      from (select distinct s.organization_id, s.person_id from seat as s
             where s.organization_id = scored.organization_id and s.class_id = scored.class_id
               and s.role = 'student') as s;
    if another is null or (p_activity ->> 'stoppedAt')::timestamptz < moment() - interval '30 days' then
        -- For any student. Waits for the disk, as the others do.
        perform pg_logical_emit_message(true, 'school', 'upload');
        return true;
    end if;
    if made.line_item_id is not null then
        reported := reported - '{primaryItem,progressRanges}'::text[];
        if p_activity ? 'primaryItem' then
            reported := reported || jsonb_build_object('additionalItems', jsonb_build_array(
                p_activity -> 'primaryItem'
                || jsonb_build_object('identifier', made.line_item_id, 'title', made.label)));
        end if;
    end if;
    -- A pseudonym that no student has costs the same work: an upload under a name that no task can have
    -- (migrations/0061_names_of_tools.sql) waits in the inbox of any student, and is dropped.
    insert into upload (organization_id, person_id, upload_id, kind, environment, bundle_id, document, position,
                        arrived_at)
    select h.organization_id, coalesce(student, another), new_id(), 'activities', h.environment,
           case when student is null then 'tool:' else scored.bundle_id end,
           jsonb_build_array(reported || jsonb_build_object(
               'id', encode(substring(sha256(convert_to(concat_ws(
                         '/', scored.tool_id, scored.task_id, student, p_attempt), 'UTF8')) for 16), 'hex')::uuid,
               'identifierPath', array[scored.task_id])),
           (extract(epoch from clock_timestamp()) * 1000000)::bigint, moment()
      from handout as h
     where h.organization_id = scored.organization_id and h.handout_id = scored.handout_id;
    return true;
end $$;

-- tool_results: the scores of a line item of the calling tool that students have who have the task now, as the reports
-- show them, by pseudonym; with p_user_id only that student's. A score of the task itself is named score (Score.swift).
create or replace function tool_results(p_class_id uuid, p_line_item_id uuid, p_user_id text, p_after text,
                                        p_limit bigint)
    returns table (subject text, score double precision, maximum double precision)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    made constant uuid := (select i.task_id from my_tool_line_item(p_class_id, p_line_item_id) as i);
begin
    return query
    select r.subject, r.score, r.max_score
      from (select tool_subject(f.organization_id, my_service_account(), f.person_id) as subject, i.score, i.max_score
              from my_tool_students(p_class_id, coalesce(made, p_line_item_id)) as s
              join assignment_figures as f on f.organization_id = my_organization() and f.person_id = s.person_id
                                          and f.task_id = coalesce(made, p_line_item_id)
              join activity_item as i on i.organization_id = f.organization_id and i.person_id = f.person_id
                                     and i.activity_id = f.latest_activity_id and i.task_id = f.task_id
                                     and i.identifier = case when made is null then 'score'
                                                             else p_line_item_id::text end) as r
     where (p_user_id is null or r.subject = p_user_id)
       and (p_after is null or r.subject collate "C" > p_after collate "C")
     order by r.subject collate "C" limit p_limit;
end $$;
grant execute on function tool_class(uuid), tool_members(uuid, uuid, text, text, bigint),
    take_tool_score(uuid, uuid, text, text, jsonb), tool_results(uuid, uuid, text, text, bigint) to school_tool;
