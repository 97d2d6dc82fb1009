-- Functions of OneRoster: earlier revisions of the roster, which servers keep for clients that read page by page.
--
-- A server keeps a snapshot of the whole database; a row of roster_snapshot says that an organization's roster had a
-- revision in it. What may be read there is decided in the present: these functions are asked before and after a page
-- is read. A revision is no longer read once someone has been erased or the schema has changed: in a snapshot, a table
-- that was rewritten later looks empty.

-- erasures_since: how many people of the caller's organization were erased, as the snapshot of the caller shows it,
-- since the day before p_at. No erasure takes that long, so it only grows.
create or replace function erasures_since(p_at timestamptz) returns bigint
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select count(*) from deletion as d
             where d.organization_id = my_organization() and d.kind = 'person'
               and d.deleted_at > p_at - interval '1 day');
end $$;

-- roster_state: what a snapshot shows, to be asked in it.
create or replace function roster_state(p_at timestamptz)
    returns table (revision text, erasures bigint, schema_sha256 bytea)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return query select roster_revision(p_at), erasures_since(p_at), s.sha256 from applied_schema as s
                  where my_organization() is not null;
end $$;

-- kept_roster: where a revision of the caller's roster can be read; no row where it cannot. Its use is noted once a
-- minute, so that the snapshot is kept.
create or replace function kept_roster(p_revision text)
    returns table (snapshot text, taken_at timestamptz)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    if current_setting('transaction_read_only') = 'off' then
        update roster_snapshot set used_at = moment()
         where organization_id = my_organization() and revision = p_revision
           and used_at < moment() - interval '1 minute';
    end if;
    return query
    select k.snapshot, k.taken_at::timestamptz
      from roster_snapshot as k
      join applied_schema as s on s.sha256 = k.schema_sha256
     where k.organization_id = my_organization() and k.revision = p_revision
       and k.erasures = erasures_since(k.taken_at);
end $$;

-- keep_roster: notes that a snapshot shows a revision of the caller's roster. A newer snapshot replaces an older one.
create or replace function keep_roster(
    p_revision text, p_snapshot text, p_taken_at timestamptz, p_erasures bigint, p_schema_sha256 bytea) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into roster_snapshot as k (organization_id, revision, snapshot, taken_at, erasures, schema_sha256)
    values (my_organization(), p_revision, p_snapshot, p_taken_at, p_erasures, p_schema_sha256)
        on conflict on constraint roster_snapshot_pkey do update
       set snapshot = excluded.snapshot, taken_at = excluded.taken_at, erasures = excluded.erasures,
           schema_sha256 = excluded.schema_sha256, used_at = excluded.used_at;
end $$;

-- lose_roster: forgets that a snapshot shows a revision of the caller's roster, because the snapshot is gone.
create or replace function lose_roster(p_revision text, p_snapshot text) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    if current_setting('transaction_read_only') = 'off' then
        delete from roster_snapshot
         where organization_id = my_organization() and revision = p_revision and snapshot = p_snapshot;
    end if;
end $$;

-- begin_traversal: notes in which revision the caller reads a collection from now on, and returns where that is kept,
-- unless the snapshot is so old that another one should be taken. The last 100 of an account are remembered.
--
-- p_token: what names the caller's token, for a caller without a service account.
create or replace function begin_traversal(p_token text, p_request bytea, p_revision text)
    returns table (snapshot text, taken_at timestamptz)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    own constant uuid := my_organization();
    who constant text := coalesce(my_service_account()::text, p_token, '');
begin
    insert into roster_traversal as t (organization_id, account, request, revision)
    values (own, who, p_request, p_revision)
        on conflict on constraint roster_traversal_pkey do update
       set revision = excluded.revision, began_at = excluded.began_at
     where t.revision <> excluded.revision or t.began_at < moment() - interval '1 minute';
    delete from roster_traversal as t
     where t.organization_id = own and t.account = who and t.request = any (array(
           select o.request from roster_traversal as o
            where o.organization_id = own and o.account = who order by o.began_at desc offset 100));
    return query
    select k.snapshot, k.taken_at from kept_roster(p_revision) as k where k.taken_at > moment() - interval '5 minutes';
end $$;

-- traversal_state: in which revision the next page of a collection is wanted, which one the roster has now, and where the
-- wanted one is kept. Without p_revision it is the one that the caller began with in the last hour, if any.
create or replace function traversal_state(p_token text, p_request bytea, p_revision text)
    returns table (wanted text, present text, snapshot text, taken_at timestamptz)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    revision constant text := coalesce(p_revision, (
        select t.revision from roster_traversal as t
         where t.organization_id = my_organization()
           and t.account = coalesce(my_service_account()::text, p_token, '') and t.request = p_request
           and t.began_at > moment() - interval '1 hour'));
begin
    return query
    select revision, roster_revision(), k.snapshot, k.taken_at
      from (values (1)) as one left join kept_roster(revision) as k on true;
end $$;
grant execute on function roster_state(timestamptz), kept_roster(text),
    keep_roster(text, text, timestamptz, bigint, bytea), lose_roster(text, text), begin_traversal(text, bytea, text),
    traversal_state(text, bytea, text) to school_roster_reader;

-- roster_snapshot_is_used: whether a page was read in a snapshot in the last p_seconds, by whichever server.
create or replace function roster_snapshot_is_used(p_snapshot text, p_seconds integer) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from roster_snapshot
                    where snapshot = p_snapshot and used_at > moment() - make_interval(secs => p_seconds));
end $$;

-- end_roster_snapshot: forgets a snapshot that its server no longer keeps.
create or replace function end_roster_snapshot(p_snapshot text) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    delete from roster_snapshot where snapshot = p_snapshot;
end $$;
grant execute on function roster_snapshot_is_used(text, integer), end_roster_snapshot(text) to school_server;

-- forget_traversals (internal): removes what can no longer be continued, up to p_limit of each kind; returns how many.
create or replace function forget_traversals(p_limit integer) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    removed bigint;
    more    bigint;
begin
    delete from roster_snapshot where ctid = any (array(
        select ctid from roster_snapshot
         where used_at < (select removal_moment()) - interval '2 hours' and not is_at_rest(organization_id)
         limit p_limit for update skip locked));
    get diagnostics removed = row_count;
    delete from roster_traversal where ctid = any (array(
        select ctid from roster_traversal
         where began_at < (select removal_moment()) - interval '1 hour' and not is_at_rest(organization_id)
         limit p_limit for update skip locked));
    get diagnostics more = row_count;
    return greatest(removed, more);
end $$;
