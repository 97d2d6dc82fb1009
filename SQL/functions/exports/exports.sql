-- Functions of exports: which organizations and orders are exported, and what receivers must remove.

-- exportable_organizations: every organization with its time zone, which defines its yesterday. Development
-- environments are not exported.
create or replace function exportable_organizations()
    returns table (organization_id uuid, time_zone text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query select o.organization_id, o.time_zone from organization as o
                  where not is_development(o.organization_id) and not is_at_rest(o.organization_id)
                  order by o.organization_id;
end $$;
grant execute on function exportable_organizations() to school_exporter_login, school_server;

-- unfinished_exports: ordered exports that are not done, with the time zone of their organization.
create or replace function unfinished_exports()
    returns table (organization_id uuid, export_id uuid, time_zone text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select e.organization_id, e.export_id, o.time_zone
      from export as e
      join organization as o on o.organization_id = e.organization_id
     where e.status in ('queued', 'running') and not is_at_rest(e.organization_id)
     order by e.created_at, e.export_id;
end $$;

-- expire_exports: those of these exports whose files must be removed, because they expired or failed. From now on
-- expired exports list no files. One that expired because someone was erased has listed none since, and does not wait
-- until the clock has proven right (removal_moment).
create or replace function expire_exports(p_export_ids uuid[]) returns setof uuid
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update export set files = '[]'
     where expires_at <= (select removal_moment()) and files <> '[]' and not is_at_rest(organization_id);
    return query select e.export_id from export as e
                  where e.export_id = any (p_export_ids)
                    and (e.expires_at <= removal_moment() or e.status = 'failed'
                         or e.expired_because is not null);
end $$;
grant execute on function unfinished_exports(), expire_exports(uuid[]) to school_server;

-- expire_exports_of (internal): expires every ordered export of an organization whose files exist, since rows of
-- someone were deleted that they may contain; returns how many. Waiting and running ones are changed, too: one that
-- has not seen the deletion is written again. The lock is held until the transaction ends: an export that starts
-- meanwhile waits for it (waitForErasures).
create or replace function expire_exports_of(p_organization_id uuid, p_reason text) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    expired bigint;
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('erasing/' || p_organization_id, 0));
    with changed as (
        update export
           set files = '[]', expires_at = case when status = 'succeeded' then moment() end,
               expired_because = case when status = 'succeeded' then p_reason end
         where organization_id = p_organization_id
           and (status in ('queued', 'running') or status = 'succeeded' and expires_at > moment())
        returning status)
    select count(*) filter (where status = 'succeeded') into expired from changed;
    return expired;
end $$;

-- rfc3339: a time in the format of all files.
create or replace function rfc3339(p_moment timestamptz) returns text language sql stable parallel safe
    return to_char(p_moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
grant execute on function rfc3339(timestamptz) to school_exporter, school_directory_reader;

-- was_exported: whether an export may contain a handout that has since been deleted or taken back; also one that a rule
-- of retention removed, whose deletion is only recorded if so. Definer, because exporters cannot read deleted rows.
create or replace function was_exported(p_handout_id uuid) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (
        select from handout
         where organization_id = my_organization() and handout_id = p_handout_id
           and environment = 'production' and (publish_at <= deleted_at or taken_back_at is not null))
        or not exists (
        select from handout where organization_id = my_organization() and handout_id = p_handout_id);
end $$;
grant execute on function was_exported(uuid) to school_exporter;

-- exports_kept_from: the first day whose exported folders are kept; null keeps all of them, as any hold does. Nothing
-- says what is in a folder, so a hold for one person keeps every folder.
create or replace function exports_kept_from() returns date
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select (retention_cutoff(r, removal_moment()) at time zone o.time_zone)::date
              from retention_rule as r
              join organization as o on o.organization_id = r.organization_id
             where r.organization_id = my_organization() and r.kind = 'exports' and r.effective_at <= removal_moment()
               and not exists (select from retention_hold as k where k.organization_id = my_organization()));
end $$;

-- needs_full_export: whether the last full export is among the folders that are not kept: then those that came after
-- it could not be read any more. Servers of version 0.1.0 ask it.
create or replace function needs_full_export() returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exports_kept_from() is not null and not exists (
        select from export_snapshot
         where organization_id = my_organization() and is_full and exported_on >= exports_kept_from());
end $$;

-- note_removed_exports: records that the folders of earlier days were removed, with an event.
create or replace function note_removed_exports(p_folders integer, p_kept_from date) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update retention_rule as r set removed_before = p_kept_from::timestamp at time zone o.time_zone
      from organization as o
     where o.organization_id = my_organization() and r.organization_id = my_organization() and r.kind = 'exports';
    perform write_audit_event(my_organization(), 'retention', my_standing(), null, null, null, 'organization',
                              my_organization()::text, jsonb_build_object('exports', p_folders, 'before', p_kept_from));
end $$;
grant execute on function exports_kept_from(), needs_full_export(), note_removed_exports(integer, date)
    to school_exporter;

-- spreadsheet_safe: a text for CSV files that a spreadsheet does not evaluate. A text that begins with a character
-- that starts a formula, also after apostrophes, gets one more apostrophe in front, so that it can be removed again
-- (load.sql).
create or replace function spreadsheet_safe(p_text text) returns text
    language sql immutable parallel safe
    return case when ascii(p_text) in (9, 10, 13, 39, 43, 45, 61, 64) and p_text ~ '^''*[-=+@\t\r\n]'
                then '''' || p_text else p_text end;
grant execute on function spreadsheet_safe(text) to school_exporter;

-- remember_removed_tasks, remember_removed_recipients: record for the next export what an earlier one may contain and
-- what has no row any more.
create or replace function remember_removed_tasks() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into deletion (organization_id, deletion_id, kind, subject_id)
    select g.organization_id, new_id(), 'task', g.task_id
      from gone as g
      join handout as h on h.organization_id = g.organization_id and h.handout_id = g.handout_id
     where h.publish_at <= moment() and h.deleted_at is null and h.environment = 'production';
    return null;
end $$;

create or replace function remember_removed_recipients() returns trigger
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into deletion (organization_id, deletion_id, kind, subject_id, person_id)
    select g.organization_id, new_id(), 'recipient', g.handout_id, g.person_id
      from gone as g
      join handout as h on h.organization_id = g.organization_id and h.handout_id = g.handout_id
     where h.publish_at <= moment() and h.deleted_at is null and h.environment = 'production';
    return null;
end $$;

create or replace trigger remember_removed_tasks after delete on task
    referencing old table as gone for each statement execute function remember_removed_tasks();
create or replace trigger remember_removed_recipients after delete on handout_recipient
    referencing old table as gone for each statement execute function remember_removed_recipients();
create or replace trigger bump_version before update on export
    for each row execute function bump_version();
