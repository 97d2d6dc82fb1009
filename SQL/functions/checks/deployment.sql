-- Checks of the deployment: the database itself, its roles, and the upkeep the service does in it. For `homeroom
-- doctor`.

-- deployment_checks: each check with its problem; null if there is none.
create or replace function deployment_checks() returns table (code text, severity text, said text, advice text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return query
    select 'database_version', 'error',
           case when current_setting('server_version_num')::integer < 150000
                then format('PostgreSQL is version %s.', current_setting('server_version')) end,
           'Use PostgreSQL 15 or newer.'
    union all
    select 'login_is_powerful', 'error',
           (select format('The login %s may do more than become a standing.', r.rolname) from pg_roles as r
             where r.rolname in (session_user, 'school_server', 'school_exporter_login')
               and (r.rolsuper or r.rolbypassrls or r.rolinherit or r.rolcreaterole or r.rolcreatedb
                    or pg_has_role(r.oid, 'school_owner', 'member')
                    or exists (select from pg_class as c where c.relowner = r.oid))
             order by r.rolname limit 1),
           'Let the service sign in as school_server, which owns nothing and passes no policy.'
    union all
    select 'standing_is_powerful', 'error',
           (select format('The role %s may sign in, or passes policies, or owns tables.', r.rolname)
              from pg_roles as r
             where r.rolname like 'school\_%'
               and r.rolname not in ('school_owner', 'school_server', 'school_exporter_login')
               and (r.rolcanlogin or r.rolsuper or r.rolbypassrls
                    or exists (select from pg_class as c where c.relowner = r.oid))
             order by r.rolname limit 1),
           'Take the right back: a request runs as this role.'
    union all
    select 'table_without_row_security', 'error',
           (select format('The table %s has no row security.', c.relname) from pg_class as c
             where c.relnamespace = 'school'::regnamespace and c.relkind in ('r', 'p') and not c.relrowsecurity
             order by c.relname limit 1),
           'It was altered; run alter table … enable row level security.'
    union all
    select 'audit_trail_writable', 'error',
           (select format('The role %s may change %s.', r.rolname, c.relname)
              from pg_class as c cross join pg_roles as r
             where c.relnamespace = 'school'::regnamespace and c.relname like 'audit\_%' and c.relkind in ('r', 'p')
               and r.rolname like 'school\_%' and r.rolname <> 'school_owner'
               and (has_table_privilege(r.oid, c.oid, 'delete, truncate')
                    or has_any_column_privilege(r.oid, c.oid, 'insert, update'))
             order by 1 limit 1),
           'Take the right back: revoke all on … from ….'
    union all
    select 'database_is_open', 'error',
           case when has_database_privilege('public', current_database(), 'temporary')
                then 'Every login may make temporary tables in the database.' end,
           'A dump does not hold the privileges of a database; run homeroom migrate as its owner.'
    union all
    select 'invalid_index', 'error',
           (select format('The index %s is not valid.', i.indexrelid::regclass) from pg_index as i
              join pg_class as c on c.oid = i.indrelid
             where c.relnamespace = 'school'::regnamespace and not i.indisvalid limit 1),
           'Make it afresh: reindex index concurrently ….'
    union all
    select 'collation_changed', 'error',
           (select format('The system orders texts by %s in version %s, and %s indexes were made with version %s: lists'
                          ' may miss rows.', c.collation_name, c.system_has, count(*), coalesce(c.made_with, 'none'))
              from collated_indexes() as c where c.made_with is distinct from c.system_has
             group by c.collation_name, c.system_has, c.made_with order by c.collation_name limit 1),
           'Run homeroom reindex; the service may go on meanwhile.'
    union all
    select 'not_durable', 'error',
           (select format('%s is %s: what was answered may be lost with the power.', s.name, s.setting)
              from pg_settings as s
             where s.name in ('fsync', 'full_page_writes', 'synchronous_commit') and s.setting = 'off'
             order by s.name limit 1),
           'Turn it on in postgresql.conf.'
    union all
    select 'uploads_not_stored', 'error',
           (select format('%s uploads of apps could not be stored (SQLSTATE %s), the first of %s UTC.', count(*),
                          string_agg(distinct u.failure, ', '), min(u.arrived_at) at time zone 'UTC')
              from upload as u where u.failed_at is not null having count(*) > 0),
           'They are kept. Look for "upload not stored" in the log; a server tries them again when it starts.'
    union all
    select 'uploads_are_late', 'warning',
           case when (select min(u.arrived_at) from upload as u where u.failed_at is null)
                     < moment() - interval '1 minute'
                then 'Uploads of apps wait for more than a minute.' end,
           'Is a server running? It stores them within a second.'
    union all
    select 'log_tells_names', 'warning',
           case when current_setting('log_error_verbosity') <> 'terse'
                then 'The log of PostgreSQL quotes rows, and with them names.' end,
           'Set log_error_verbosity to terse.'
    union all
    select 'move_left_a_slot', 'error',
           (select format('Nothing reads the replication slot %s of a move: it keeps PostgreSQL''s log until the disk'
                          ' is full.', s.slot_name)
              from pg_replication_slots as s
             where s.database = current_database() and s.slot_name like 'homeroom\_move\_%' and not s.active
               and s.wal_status is distinct from 'lost'
             order by s.slot_name limit 1),
           'Repeat homeroom organization move, or take the move back with --back.'
    union all
    select 'move_lost_its_slot', 'error',
           (select format('The replication slot %s of a move is lost: the other cell lacks changes that it kept.',
                          move_name(m.organization_id))
              from organization_move as m
              join pg_publication as p on p.pubname = move_name(m.organization_id)
             where m.state <> 'elsewhere'
               and not exists (select from pg_replication_slots as s
                                where s.database = current_database() and s.slot_name = p.pubname
                                  and s.wal_status is distinct from 'lost')
             order by m.organization_id limit 1),
           'Before the other cell has taken over, repeat homeroom organization move, which copies everything again, or'
           ' use --back. Afterwards --back brings everything back, and --finish leaves the organization where it is.'
    union all
    select 'upkeep_is_late', 'warning',
           case when to_regclass('school.audit_event_'
                                 || to_char(moment() at time zone 'UTC' + interval '1 month', 'YYYY_MM')) is null
                then 'The next month of audit events is not made yet.'
                when (select min(u.arrived_at) from audit_unsealed as u) < moment() - interval '2 hours'
                then 'Audit events wait for their seal for more than two hours.' end,
           'Is a server running? It sees to this every ten minutes.'
    union all
    select 'clock_jumped', 'error',
           (select format('The clock of the database jumped from %s to %s UTC. Nothing is removed by time until %s.',
                          date_trunc('second', c.jumped_from at time zone 'UTC'),
                          date_trunc('second', c.jumped_to at time zone 'UTC'),
                          case when c.needs_acceptance then 'you accept it'
                               else format('servers have run for another %s hours',
                                           ceil(c.remaining_milliseconds / 3600000.0)) end)
              from clock_state() as c where c.jumped_from is not null),
           'If it is wrong, set it: see timedatectl. If it is right, as after weeks without a server, look at what'
           ' homeroom clock says, and run homeroom clock accept if nothing should wait.'
    union all
    select 'retention_is_late', 'error',
           (select format('Retention rules have not been carried out for more than a day in: %s.',
                          string_agg(l::text, ', ' order by l))
              from late_removals() as l having count(*) > 0),
           'Is a server running? Look for "old data not removed" in its log: it says why. A first removal of millions'
           ' of rows takes days.'
    union all
    select 'deletion_is_late', 'error',
           (select format('The waiting time is over, but these organizations are not deleted: %s.',
                          string_agg(l::text, ', ' order by l))
              from late_deletions() as l having count(*) > 0),
           'Is a server running? Look for "organization not deleted" in its log: it says why.';
end $$;

-- doctor_organizations: every organization and the head of its audit chain, to be recorded elsewhere; null if nothing
-- is sealed yet. With the last seal whose events a rule of retention removed, and when an organization
-- that is to be deleted goes.
create or replace function doctor_organizations()
    returns table (organization_id uuid, name text, number bigint, digest text, cut_number bigint,
                   cut_at timestamptz, ends_at timestamptz)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select o.organization_id, o.name, h.number, h.digest, c.number, c.cut_at::timestamptz, d.due_at::timestamptz
      from organization as o
      left join lateral audit_chain_head(o.organization_id) as h on true
      left join audit_cut as c on c.organization_id = o.organization_id
      left join organization_deletion as d on d.organization_id = o.organization_id
     where not is_development(o.organization_id)
     order by o.organization_id;
end $$;

-- applied_migrations: the files of migrations/ that have been applied.
create or replace function applied_migrations() returns table (name text, sha256 bytea)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query select m.name, m.sha256 from migration as m order by m.name;
end $$;
grant execute on function deployment_checks(), doctor_organizations(), applied_migrations() to school_server;
