-- Functions of metrics: figures about the whole deployment, but about no one in it.

-- service_figures: how many imports are not done, how old the organizations' exports are, which audit event waits
-- longest for its seal, whether PostgreSQL archives its write-ahead log, how many webhooks can be called, how many have
-- failed for an hour, from how many roster sources pulls succeed, how often PostgreSQL read a page without its
-- checksum, and whether its clock jumped. What an administrator turned off counts nowhere.
--
-- Security definer, because it counts over all organizations, which no standing sees; it names none of them. An
-- export is a separate process, which leaves a row for each folder that it finished.
create or replace function service_figures()
    returns table (imports_queued bigint, imports_running bigint, organizations bigint,
                   organizations_exported bigint, newest_export_at timestamptz, oldest_export_at timestamptz,
                   sealed_at timestamptz, unsealed_seconds double precision, is_archiving boolean,
                   archived_at timestamptz, is_archiving_failing boolean, webhooks_working bigint,
                   webhooks_failing bigint, webhooks_disabled bigint, roster_sources_working bigint,
                   roster_sources_failing bigint, roster_sources_waiting bigint, postgresql text,
                   damaged_pages bigint, has_clock_jumped boolean, webhooks_failing_long bigint)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return query
    select (select count(*) from import as i where i.status = 'queued'),
           (select count(*) from import as i where i.status = 'running'),
           count(*), count(e.taken_at), max(e.taken_at), min(e.taken_at),
           max((select h.sealed_at from audit_chain_head(o.organization_id) as h)),
           -- 0 if none waits, or the clock has gone back since.
           greatest(0, extract(epoch from moment() - (select min(u.arrived_at) from audit_unsealed as u)))::float8,
           current_setting('archive_mode') <> 'off',
           (select a.last_archived_time from pg_stat_archiver as a),
           (select current_setting('archive_mode') <> 'off' and a.last_failed_time is not null
                   and a.last_failed_time > coalesce(a.last_archived_time, '-infinity')
              from pg_stat_archiver as a),
           (select count(*) from webhook as w where w.is_enabled and w.failing_since is null),
           (select count(*) from webhook as w where w.is_enabled and w.failing_since is not null),
           (select count(*) from webhook as w where w.disabled_because is not null),
           (select count(*) from roster_source as s where s.is_enabled and not is_roster_failing(s)),
           (select count(*) from roster_source as s where s.is_enabled and is_roster_failing(s)),
           (select count(*) from roster_source as s
              join import as i on i.organization_id = s.organization_id and i.import_id = s.last_import_id
             where i.status = 'awaitingApproval'),
           split_part(current_setting('server_version'), ' ', 1),
           (select coalesce(sum(d.checksum_failures), 0)::bigint from pg_stat_database as d),
           exists (select from clock_state() as c where c.jumped_from is not null),
           (select count(*) from webhook as w where has_failed_long(w))
      from organization as o
      left join lateral (select s.taken_at from export_snapshot as s
                          where s.organization_id = o.organization_id
                          order by s.exported_on desc, s.sequence desc limit 1) as e on true
     where not is_development(o.organization_id);
end $$;
grant execute on function service_figures() to school_server;
