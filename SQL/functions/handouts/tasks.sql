-- Functions of tasks: taking them out of a handout, and what counts for them.

-- remove_tasks: removes tasks from a handout that the caller may change. If students opened, did or reported
-- something for any of them, or have a mark for it, or the caller has drafted one, it removes nothing and returns the titles of those tasks (task_title), unless
-- p_is_discarding is set. Then what the tasks recorded is deleted with them, and activities that counted for no other
-- task are seen only by their students.
create or replace function remove_tasks(p_handout_id uuid, p_task_ids uuid[], p_is_discarding boolean,
                                        p_languages text[] default '{}')
    returns text[]
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    held   handout;
    doomed uuid[];
    begun  text[];
begin
    held := hold_handout(my_organization(), p_handout_id);
    if held.handout_id is null then
        return '{}';
    end if;
    -- Storing an upload locks its student's row. With all these rows locked, no upload in progress can count for what
    -- is removed.
    perform from person as p
      where p.organization_id = held.organization_id and held.publish_at is not null
        and p.person_id in (select s.person_id from seat as s
                             where s.organization_id = held.organization_id
                               and s.class_id = held.class_id and s.role = 'student')
      order by p.person_id for no key update;
    doomed := array(select task_id from task
                     where organization_id = held.organization_id and handout_id = held.handout_id
                       and task_id = any (p_task_ids));
    begun := array(
        select task_title(t.title, t.titles, p_languages) from task as t
         where t.organization_id = held.organization_id and t.task_id = any (doomed)
           and (exists (select from activity_assignment as l
                         where l.organization_id = t.organization_id and l.task_id = t.task_id
                           and l.handout_id = t.handout_id and l.class_id = t.class_id)
                or exists (select from assignment as a
                            where a.organization_id = t.organization_id and a.task_id = t.task_id
                              and num_nonnulls(a.opened_at, a.done_at, a.returned_at) > 0)
                or exists (select from mark as m
                            where m.organization_id = t.organization_id and m.task_id = t.task_id)
                or exists (select from mark_draft as d
                            where d.organization_id = t.organization_id and d.task_id = t.task_id
                              and d.author_id = my_person()))
         order by t.position);
    if begun <> '{}' and not p_is_discarding then
        return begun;
    end if;
    delete from activity_part as p using activity_assignment as l
     where l.organization_id = held.organization_id and l.task_id = any (doomed)
       and p.organization_id = l.organization_id and p.person_id = l.person_id
       and p.activity_id = l.activity_id and p.task_id = l.task_id;
    delete from activity_assignment
     where organization_id = held.organization_id and task_id = any (doomed);
    delete from assignment where organization_id = held.organization_id and task_id = any (doomed);
    delete from task where organization_id = held.organization_id and task_id = any (doomed);
    return '{}';
end $$;
grant execute on function remove_tasks(uuid, uuid[], boolean, text[]) to school_teacher;

-- choose_recorded_path: what is reported of which context counts for the task. A whole app is its root; a tool has no
-- contexts, so that its task stands for one.
create or replace function choose_recorded_path() returns trigger language plpgsql
    set search_path = school, pg_temp as $$
begin
    new.recorded_path := case when new.kind = 'appActivity' then new.identifier_path
                              when new.kind in ('wholeApp', 'timedApp') then '{}'::text[]
                              when new.kind = 'tool' then array[new.task_id::text] end;
    return new;
end $$;

create or replace trigger choose_recorded_path before insert or update of task_id, kind, identifier_path, recorded_path
    on task for each row execute function choose_recorded_path();
