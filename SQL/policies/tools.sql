-- Who may do what with tools.
--
--                   tools                                        launches
--   administrator   registers, sees, changes and removes them    nothing
--   teacher         sees those of own classes' locations         begins own, for handouts that he or she sees
--   student         nothing                                      begins own, for tasks that he or she has
--   tool            nothing                                      nothing
--   others          nothing                                      nothing
--
-- A tool sees what the functions in functions/tools/services.sql and line_items.sql show it; line items that it made
-- nobody reads or writes otherwise. No one reads launches: with take_tool_launch() the person who began one uses it up,
-- and with tool_choice() a teacher reads what was chosen in it.

grant select on tool to school_administrator, school_teacher;
grant insert (organization_id, tool_id, name, login_url, redirect_uris, launch_url, deep_linking_url, key_set_url,
              key_set, location_id, is_telling_names, is_telling_emails),
      update (name, login_url, redirect_uris, launch_url, deep_linking_url, key_set_url, key_set, location_id,
              is_telling_names, is_telling_emails, removed_at) on tool to school_administrator;

create policy "administrators see tools" on tool
    for select to school_administrator using (organization_id = (select my_organization()));
create policy "administrators register tools" on tool
    for insert to school_administrator with check (organization_id = (select my_organization()));
create policy "administrators change tools" on tool
    for update to school_administrator using (organization_id = (select my_organization()));
create policy "teachers see the tools that they may give" on tool
    for select to school_teacher
    using (organization_id = (select my_organization()) and removed_at is null
       and (location_id is null or location_id = any ((select my_tool_location_ids())::uuid[])));

grant insert (organization_id, launch_id, tool_id, person_id, task_id, handout_id, digest, expires_at)
    on tool_launch to school_student, school_teacher;

create policy "students open tools of tasks that they have" on tool_launch
    for insert to school_student
    with check (organization_id = (select my_organization()) and person_id = (select my_person())
       and handout_id is null and expires_at <= moment() + interval '10 minutes' and exists (
               select from task as t
                where t.organization_id = tool_launch.organization_id and t.task_id = tool_launch.task_id
                  and t.tool_id = tool_launch.tool_id));
create policy "teachers open tools of their tasks, and for their handouts" on tool_launch
    for insert to school_teacher
    with check (organization_id = (select my_organization()) and person_id = (select my_person())
       and expires_at <= moment() + interval '10 minutes' and (
               exists (select from task as t
                        where t.organization_id = tool_launch.organization_id and t.task_id = tool_launch.task_id
                          and t.tool_id = tool_launch.tool_id)
            or exists (select from handout as h
                        where h.organization_id = tool_launch.organization_id
                          and h.handout_id = tool_launch.handout_id
                          and may_give_tool(tool_launch.tool_id, h.class_id))));
