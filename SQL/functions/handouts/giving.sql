-- Functions of giving: how much a class can be given, to whom, and what the teacher should know about it.

-- check_class_takes_handouts: a class has at most 200 active handouts, published or scheduled and not completed, and
-- an archived class gets none. The class is locked, so that two transactions that add the last one count one after
-- the other; archiving waits, too.
create or replace function check_class_takes_handouts() returns trigger
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    is_archived boolean;
begin
    select archived_at is not null into is_archived from class
     where organization_id = new.organization_id and class_id = new.class_id
       for no key update;
    if is_archived then
        raise exception 'the class is archived'
            using errcode = '23514', schema = 'school', table = 'handout',
                  constraint = 'handout_class_is_not_archived';
    end if;
    if (select count(*) from handout
         where organization_id = new.organization_id and class_id = new.class_id
           and publish_at is not null and completed_at is null and deleted_at is null) > 200 then
        raise exception 'the class has 200 active handouts'
            using errcode = '23514', schema = 'school', table = 'handout',
                  constraint = 'class_has_room_for_handouts';
    end if;
    return null;
end $$;

-- set_recipients: gives a handout that the caller may change to the class (null), or to students of it; anyone who
-- does not sit in it now is skipped. Chosen students keep the time of their choice, even while the class has the
-- handout, and those who had it with the class have had it since then: nothing in the past is opened or closed.
-- Students it is taken back from had it until then (former_recipient).
create or replace function set_recipients(p_handout_id uuid, p_person_ids uuid[]) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    held handout;
begin
    held := hold_handout(my_organization(), p_handout_id);
    if held.handout_id is null then
        return;
    end if;
    if p_person_ids is null then
        update handout set recipients = 'class'
         where organization_id = held.organization_id and handout_id = held.handout_id
           and recipients = 'chosen';
        return;
    end if;
    delete from handout_recipient
     where organization_id = held.organization_id and handout_id = held.handout_id
       and person_id <> all (p_person_ids);
    insert into handout_recipient (organization_id, handout_id, person_id, created_at)
    select distinct s.organization_id, held.handout_id, s.person_id,
           case when held.recipients = 'class' then coalesce(held.for_class_since, held.created_at)
                else moment() end
      from seat as s
     where s.organization_id = held.organization_id and s.class_id = held.class_id
       and s.role = 'student' and is_open_seat(s)
       and s.person_id = any (p_person_ids)
    on conflict on constraint handout_recipient_pkey do update
       -- Who was given a handout of the class after joining had it before, as the class.
       set created_at = excluded.created_at where handout_recipient.created_at > excluded.created_at;
    if held.recipients = 'class' then
        perform remember_class(held);
        update handout set recipients = 'chosen'
         where organization_id = held.organization_id and handout_id = held.handout_id;
        -- Receivers of exports remove it for the students who had it with the class.
        insert into deletion (organization_id, deletion_id, kind, subject_id, person_id)
        select s.organization_id, new_id(), 'recipient', held.handout_id, s.person_id
          from (select distinct organization_id, person_id from seat
                 where organization_id = held.organization_id and class_id = held.class_id
                   and role = 'student' and person_id <> all (p_person_ids)) as s
         where held.publish_at <= moment();
    end if;
end $$;
grant execute on function set_recipients(uuid, uuid[]) to school_teacher;

-- app_name: the school's name for an app that it bought, or for a tool of a location where the caller teaches; null for
-- any other. Definer, because teachers cannot read apps, but name one in a task.
create or replace function app_name(p_bundle_id text) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return coalesce(
        (select min(name) from app
          where organization_id = my_organization() and bundle_id = p_bundle_id and product_type = 'App'),
        (select t.name from tool as t
          where t.organization_id = my_organization() and 'tool:' || t.tool_id::text = p_bundle_id
            and (t.location_id is null or t.location_id = any ((select my_tool_location_ids())::uuid[]))));
end $$;
grant execute on function app_name(text) to school_teacher;

-- context_to_assign: the context that a task can name by a path: the catalog's before the caller's native one, and
-- that before another person's that a handout shows to the caller. In the best of these languages, with its titles in
-- the others (task.titles; null: in none). Definer, because with row-level security a search by path cannot use its
-- index (comparing arrays is not leakproof).
create or replace function context_to_assign(p_environment text, p_bundle_id text, p_path text[],
                                             p_languages text[])
    returns table (title text, is_assignable boolean, owner_id uuid, titles jsonb)
    language plpgsql stable security definer
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
    return query
    select c.title, c.is_assignable, c.person_id,
           (select jsonb_agg(jsonb_build_object('locale', o.locale, 'title', o.title,
                                                'presentableLocales', to_jsonb(o.presentable_locales))
                             order by o.locale)
              from context as o
             where o.organization_id = c.organization_id and o.environment = c.environment
               and o.bundle_id = c.bundle_id and o.identifier_path = c.identifier_path
               and o.kind = 'catalog' and c.kind = 'catalog' and o.deleted_at is null
            having count(*) > 1)
      from context as c
     where c.organization_id = my_organization() and c.environment = p_environment
       and c.bundle_id = p_bundle_id and c.identifier_path = p_path and c.deleted_at is null
       and (c.kind = 'catalog' or may_assign_context(c.person_id, p_bundle_id, p_environment, p_path))
     order by c.kind = 'catalog' desc, c.person_id = my_person() desc,
              locale_distance(c.locale, c.presentable_locales, p_languages), c.locale, c.context_id
     limit 1;
end $$;
grant execute on function context_to_assign(text, text, text[], text[]) to school_teacher;

-- posting_notes: what a teacher should know when giving a handout, as a list of {code, text, [taskId]}: how many
-- students cannot do it or will leave no progress, but never who.
create or replace function posting_notes(p_handout_id uuid) returns json
    language plpgsql stable
    set search_path = school, pg_temp as $$
declare
    students integer;
    off      integer;
begin
    select count(*), count(*) filter (where p.is_progress_paused or not o.is_student_progress_enabled)
      into students, off
      from (select distinct s.organization_id, s.person_id
              from handout as h
              join seat as s on s.organization_id = h.organization_id and s.class_id = h.class_id
                            and s.role = 'student' and is_seated(s)
             where h.organization_id = my_organization() and h.handout_id = p_handout_id
               and (h.recipients = 'class' or exists (
                       select from handout_recipient as r
                        where r.organization_id = h.organization_id
                          and r.handout_id = h.handout_id and r.person_id = s.person_id))) as g
      join person as p       on p.organization_id = g.organization_id and p.person_id = g.person_id
      join organization as o on o.organization_id = g.organization_id;
    return (
        select coalesce(json_agg(json_strip_nulls(json_build_object(
                   'code', n.code, 'text', n.text, 'taskId', n.task_id))
                   order by n.place, n.position), '[]')
          from (select 1 as place, t.position, t.task_id, 'no_licence' as code,
                       format('%s of %s have no licence for this app.', u.student_count, students) as text
                  from unlicensed_students(p_handout_id) as u
                  join task as t on t.organization_id = my_organization() and t.task_id = u.task_id
                union all
                select 2, t.position, t.task_id, 'context_withdrawn',
                       'This context was withdrawn; nothing is recorded for it.'
                  from task as t
                 where t.organization_id = my_organization()
                   and t.task_id = any (withdrawn_task_ids(array[p_handout_id]))
                union all
                select 3, 0, null, 'progress_off', format('Progress is off for %s of %s.', off, students)
                 where off > 0 and exists (
                       select from task as t
                        where t.organization_id = my_organization() and t.handout_id = p_handout_id
                          and t.recorded_path is not null)
                union all
                select 4, 0, null, 'no_students', 'There are no students in the class.'
                 where students = 0) as n);
end $$;
grant execute on function posting_notes(uuid) to school_teacher;

create or replace trigger check_class_takes_new_handout after insert on handout
    for each row when (new.publish_at is not null and my_standing() = 'teacher')
    execute function check_class_takes_handouts();
create or replace trigger check_class_takes_handout after update on handout
    for each row when (old.publish_at is null and new.publish_at is not null
                       and my_standing() = 'teacher')
    execute function check_class_takes_handouts();
