-- Functions of live reports: servers say which reports they watch, and changes of those are announced on the channel
-- school_report, as the id of the handout.
--
-- An announcement only means that the report may have changed. A server that hears it reads the report as each of its
-- readers, and says something only to those for whom it did. So an announcement cannot reveal what its reader may not
-- see, and one too many does no harm. One too few is found when the server looks again after a while.

-- watch_report: changes of this report are announced for the next 90 seconds, if the caller teaches its class.
create or replace function watch_report(p_handout_id uuid) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into watched_report (organization_id, handout_id, watched_until)
    select h.organization_id, h.handout_id, moment() + interval '90 seconds'
      from handout as h
     where h.organization_id = my_organization() and h.handout_id = p_handout_id
       and h.class_id = any ((select my_taught_class_ids())::uuid[])
    on conflict on constraint watched_report_pkey do update set watched_until = excluded.watched_until;
end $$;
grant execute on function watch_report(uuid) to school_teacher;

-- renew_watches: the same again for all reports that a server watches. Removes those that no server has renewed.
create or replace function renew_watches(p_organization_ids uuid[], p_handout_ids uuid[]) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into watched_report (organization_id, handout_id, watched_until)
    select h.organization_id, h.handout_id, moment() + interval '90 seconds'
      from (select distinct w.organization_id, w.handout_id
              from unnest(p_organization_ids, p_handout_ids) as w (organization_id, handout_id)) as w
      join handout as h using (organization_id, handout_id)
     order by h.organization_id, h.handout_id
    on conflict on constraint watched_report_pkey do update set watched_until = excluded.watched_until;
    delete from watched_report as w
     using (select o.organization_id, o.handout_id from watched_report as o
             where o.watched_until < moment() for update skip locked) as o
     where w.organization_id = o.organization_id and w.handout_id = o.handout_id;
end $$;
grant execute on function renew_watches(uuid[], uuid[]) to school_server;

-- announce_assignment: a student opened or did a task, or the teacher gave it back.
create or replace function announce_assignment() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    changed constant assignment := coalesce(new, old);
begin
    perform pg_notify('school_report', w.handout_id::text)
       from task as t
       join watched_report as w on w.organization_id = t.organization_id and w.handout_id = t.handout_id
      where t.organization_id = changed.organization_id and t.task_id = changed.task_id and w.watched_until > moment();
    return null;
end $$;

-- announce_handout: a handout, its tasks or its recipients changed.
create or replace function announce_handout() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform pg_notify('school_report', w.handout_id::text)
       from watched_report as w
      where w.organization_id = new.organization_id and w.handout_id = new.handout_id and w.watched_until > moment();
    return null;
end $$;

-- announce_mark: a mark was given or taken away.
create or replace function announce_mark() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    changed constant mark := coalesce(new, old);
begin
    perform pg_notify('school_report', w.handout_id::text)
       from watched_report as w
      where w.organization_id = changed.organization_id and w.handout_id = changed.handout_id
        and w.watched_until > moment();
    return null;
end $$;

-- announce_class: a class or its roster changed.
create or replace function announce_class() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform pg_notify('school_report', w.handout_id::text)
       from watched_report as w
       join handout as h on h.organization_id = w.organization_id and h.handout_id = w.handout_id
      where w.organization_id = new.organization_id and h.class_id = new.class_id and w.watched_until > moment();
    return null;
end $$;

-- announce_student: the name of a person changed, or whether his or her progress is recorded.
create or replace function announce_student() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform pg_notify('school_report', w.handout_id::text)
       from watched_report as w
       join handout as h on h.organization_id = w.organization_id and h.handout_id = w.handout_id
      where w.organization_id = new.organization_id and w.watched_until > moment()
        and exists (select from seat as s
                     where s.organization_id = h.organization_id and s.class_id = h.class_id
                       and s.person_id = new.person_id);
    return null;
end $$;

-- announce_organization: whether progress is recorded changed.
create or replace function announce_organization() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform pg_notify('school_report', w.handout_id::text)
       from watched_report as w
      where w.organization_id = new.organization_id and w.watched_until > moment();
    return null;
end $$;

create or replace trigger announce_assignment after insert or update or delete on assignment
    for each row execute function announce_assignment();
create or replace trigger announce_handout after update on handout
    for each row execute function announce_handout();
create or replace trigger announce_mark after insert or update or delete on mark
    for each row execute function announce_mark();
create or replace trigger announce_class after update on class
    for each row execute function announce_class();
create or replace trigger announce_student after update on person
    for each row when (old.given_name <> new.given_name or old.family_name <> new.family_name
                       or old.name_order is distinct from new.name_order
                       or old.is_progress_paused <> new.is_progress_paused)
    execute function announce_student();
create or replace trigger announce_organization after update on organization
    for each row when (old.is_student_progress_enabled <> new.is_student_progress_enabled
                       or old.name_order <> new.name_order)
    execute function announce_organization();
