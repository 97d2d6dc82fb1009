-- Functions of moves to another cell: where an organization lives, and what keeps everything else from changing it. The
-- operator's command calls those without a grant as a superuser, in both cells.

-- is_at_rest (internal): whether the work that servers do by themselves leaves an organization alone, because the other
-- cell serves it or is about to. Pins no search path, so that it can be inlined.
create or replace function is_at_rest(p_organization_id uuid) returns boolean
    language sql stable
    return exists (select from organization_move as m
                    where m.organization_id = p_organization_id and m.state <> 'here');

-- move_lock (internal): the number of the lock that each writer of a moving organization shares until its transaction
-- ends.
create or replace function move_lock(p_organization_id uuid) returns bigint
    language sql immutable
    return hashtextextended('move ' || p_organization_id::text, 0);

-- refuse_elsewhere (internal): raises if the other cell serves the organization, or the one whose development
-- environment it is.
create or replace function refuse_elsewhere(p_organization_id uuid) returns void
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    if exists (select from organization_move as m
                where m.state = 'elsewhere'
                  and (m.organization_id = p_organization_id
                       or m.organization_id = (select v.organization_id from development_directory as v
                                                where v.development_id = p_organization_id))) then
        raise exception 'the organization lives in another cell'
            using errcode = 'check_violation', constraint = 'organization_lives_here';
    end if;
end $$;

-- refuse_token_elsewhere (internal): raises if the other cell serves the organization whose token or code this is.
create or replace function refuse_token_elsewhere(p_digest bytea) returns void
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    if exists (select from organization_move as m where m.state = 'elsewhere') then
        perform refuse_elsewhere(t.organization_id)
           from (select organization_id from access_token where digest = p_digest union all
                 select organization_id from refresh_token where digest = p_digest union all
                 select organization_id from authorization_code where digest = p_digest union all
                 select organization_id from device_code where digest = p_digest) as t;
    end if;
end $$;

-- guard_move: the trigger on every table of an organization that moves. A writer holds the lock until it commits, so
-- that close_for_move() waits for it; later transactions see the new state. Replication does not fire it.
create or replace function guard_move() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    tenant constant uuid := case tg_op when 'DELETE' then old.organization_id else new.organization_id end;
begin
    perform pg_advisory_xact_lock_shared(move_lock(tenant));
    perform refuse_elsewhere(tenant);
    if is_at_rest(tenant) then
        raise exception 'the organization is moving to another cell'
            using errcode = 'check_violation', constraint = 'organization_is_not_moving';
    end if;
    return case tg_op when 'DELETE' then old else new end;
end $$;

-- moved_tables (internal): the tables that a move copies. What is not logged cannot be replicated, and servers write it
-- again.
create or replace function moved_tables() returns table (table_name text, columns text[])
    language plpgsql stable
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select t.table_name, t.columns from archived_tables() as t
     where (select c.relpersistence from pg_class as c where c.oid = to_regclass('school.' || t.table_name)) = 'p';
end $$;

-- move_name (internal): of everything that PostgreSQL keeps for the move of an organization.
create or replace function move_name(p_organization_id uuid) returns text
    language sql immutable
    return 'homeroom_move_' || replace(p_organization_id::text, '-', '');

-- guard_moved_table (internal): places the triggers of guard_move() on a table, or takes them away. They are for the
-- rows of this organization alone: writers of others pay nothing.
create or replace function guard_moved_table(p_organization_id uuid, p_table text, p_is_guarded boolean) returns void
    language plpgsql volatile
    set search_path = school, pg_temp as $$
declare
    kind text;
    name text;
begin
    foreach kind in array array['write', 'delete'] loop
        name := move_name(p_organization_id) || '_' || kind;
        if exists (select from pg_trigger
                    where tgrelid = to_regclass('school.' || p_table) and tgname = name) = p_is_guarded then
            continue;
        elsif p_is_guarded then
            execute format('create trigger %I before %s on school.%I for each row when (%s.organization_id = %L)
                            execute function school.guard_move()',
                           name, case kind when 'write' then 'insert or update' else 'delete' end, p_table,
                           case kind when 'write' then 'new' else 'old' end, p_organization_id);
        else
            execute format('drop trigger %I on school.%I', name, p_table);
        end if;
    end loop;
end $$;

-- unguarded_tables (internal): the tables that lack a trigger of guard_move().
create or replace function unguarded_tables(p_organization_id uuid) returns setof text
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return query
    select t.table_name from moved_tables() as t
     where (select count(*) from pg_trigger as g
             where g.tgrelid = to_regclass('school.' || t.table_name)
               and g.tgname in (move_name(p_organization_id) || '_write', move_name(p_organization_id) || '_delete')
               and g.tgenabled = 'O') < 2;
end $$;

-- restore_move_guards (internal): places the triggers of guard_move() that are missing, on every table and for each
-- organization that moves. For the migrator, which drops triggers with functions that they use.
create or replace function restore_move_guards() returns void
    language plpgsql volatile
    set search_path = school, pg_temp as $$
begin
    perform guard_moved_table(m.organization_id, t.table_name, true)
       from organization_move as m cross join moved_tables() as t
      order by m.organization_id, t.table_name;
end $$;

-- move_digest (internal): how many rows an organization has in a table, and a digest that does not depend on their
-- order: two sums over hashes of all rows. Nothing is sorted or sent, since people wait meanwhile.
create or replace function move_digest(p_organization_id uuid, p_table text, p_columns text[])
    returns table (row_count bigint, digest text)
    language plpgsql stable
    set search_path = school, pg_temp
    set timezone = 'UTC' set datestyle = 'ISO' set bytea_output = 'hex' set extra_float_digits = '1' as $$
declare
    chosen text := (select string_agg(format('t.%I', c), ', ' order by n)
                      from unnest(p_columns) with ordinality as u (c, n));
begin
    return query execute format(
        'select count(*), concat(coalesce(sum(hashtextextended(r::text, 0)), 0), ''/'',
                                 coalesce(sum(hashtextextended(r::text, 1)), 0))
           from (select %s from school.%I as t where t.organization_id = $1) as r', chosen, p_table)
      using p_organization_id;
end $$;

-- set_move_state (internal): where the organization lives, as seen by this cell. If that is elsewhere, servers look up
-- its tokens anew.
create or replace function set_move_state(p_organization_id uuid, p_state text) returns void
    language plpgsql volatile
    set search_path = school, pg_temp as $$
declare
    tenants constant uuid[] := array(
        select p_organization_id union all
        select development_id from development_directory where organization_id = p_organization_id);
begin
    insert into organization_move (organization_id, state) values (p_organization_id, p_state)
        on conflict on constraint organization_move_pkey
        do update set state = excluded.state, changed_at = moment();
    perform pg_notify('school_revocation', encode(t.digest, 'hex')) from access_token as t
      where p_state = 'elsewhere' and t.organization_id = any (tenants)
        and t.revoked_at is null and t.expires_at > moment();
end $$;

-- note_move (internal): an event that says what happened to the organization.
create or replace function note_move(p_organization_id uuid, p_change text, p_details jsonb default '{}') returns void
    language plpgsql volatile
    set search_path = school, pg_temp as $$
begin
    perform write_audit_event(p_organization_id, 'organizationChange', 'server', null, null, null, 'organization',
                              p_organization_id::text, jsonb_build_object('change', p_change) || p_details);
end $$;

-- close_for_move (internal): from now on nothing changes in the organization. Waits for its writers, and writes the
-- last event: where that has arrived, everything has, because replication keeps the order of commits. Null, and nothing
-- changes, while a webhook is called, unless the caller insists: the other cell would repeat a call whose answer comes
-- later.
create or replace function close_for_move(p_organization_id uuid, p_insists boolean default true) returns uuid
    language plpgsql volatile
    set search_path = school, pg_temp as $$
declare
    marker constant uuid := new_id();
begin
    perform pg_advisory_xact_lock(move_lock(p_organization_id));
    if is_ending(p_organization_id) then
        raise exception 'the organization is to be deleted'
            using errcode = 'check_violation', constraint = 'organization_is_not_ending';
    elsif not p_insists and is_calling_webhooks(p_organization_id) then
        return null;
    end if;
    perform hand_over_changes(p_organization_id);
    perform note_move(p_organization_id, 'pausedToMove', jsonb_build_object('marker', marker));
    perform set_move_state(p_organization_id, 'readOnly');
    update organization_move set marker_id = marker where organization_id = p_organization_id;
    return marker;
end $$;

-- has_move_marker (internal): whether the last event has arrived.
create or replace function has_move_marker(p_organization_id uuid, p_marker uuid) returns boolean
    language sql stable
    set search_path = school, pg_temp
    return exists (select from audit_event as e
                    where e.organization_id = p_organization_id and e.kind = 'organizationChange'
                      and e.details ->> 'marker' = p_marker::text);

-- open_after_move (internal): this cell serves the organization from now on. Files of ordered exports stayed behind.
create or replace function open_after_move(p_organization_id uuid) returns void
    language plpgsql volatile
    set search_path = school, pg_temp as $$
begin
    perform set_move_state(p_organization_id, 'here');
    update export set files = '[]', expires_at = moment()
     where organization_id = p_organization_id and status = 'succeeded' and expires_at > moment();
    perform begin_moved_feed(p_organization_id);
    perform note_move(p_organization_id, 'moved');
end $$;

-- publish_move (internal): offers every change of the organization to the other cell. A partition is offered as its
-- table, because the other cell may have other partitions.
create or replace function publish_move(p_organization_id uuid) returns void
    language plpgsql volatile
    set search_path = school, pg_temp as $$
begin
    if exists (select from pg_publication where pubname = move_name(p_organization_id)) then
        return;
    end if;
    execute format('create publication %I for table %s
                    with (publish = ''insert, update, delete'', publish_via_partition_root = true)',
                   move_name(p_organization_id),
                   (select string_agg(format('school.%I where (organization_id = %L)', t.table_name, p_organization_id),
                                      ', ') from moved_tables() as t));
end $$;

-- subscribe_move (internal): takes every change of the organization from the other cell, with all its rows or without,
-- now or when it is enabled. The slot is made before, in the other cell.
create or replace function subscribe_move(p_organization_id uuid, p_other_cell text, p_is_copy boolean) returns void
    language plpgsql volatile
    set search_path = school, pg_temp as $$
begin
    execute format('create subscription %1$I connection %2$L publication %1$I
                    with (create_slot = false, slot_name = %1$L, copy_data = %3$s, enabled = %3$s)',
                   move_name(p_organization_id), p_other_cell, p_is_copy::text);
end $$;

-- unsubscribe_move (internal): takes no more changes. The slot stays in the other cell.
create or replace function unsubscribe_move(p_organization_id uuid) returns void
    language plpgsql volatile
    set search_path = school, pg_temp as $$
declare
    name constant text := move_name(p_organization_id);
begin
    if exists (select from pg_subscription as s join pg_database as d on d.oid = s.subdbid
                where s.subname = name and d.datname = current_database()) then
        execute format('alter subscription %I disable', name);
        execute format('alter subscription %I set (slot_name = none)', name);
        execute format('drop subscription %I', name);
    end if;
end $$;

-- remove_moved_copy (internal): a step of removing everything of an organization from a cell that no longer serves it;
-- true if there may be more to do. The development environment goes too, unless the organization is to come back. The
-- command turns triggers and keys off for itself: a hold, for instance, stays with the organization, in the other cell.
create or replace function remove_moved_copy(
    p_organization_id uuid, p_limit integer, p_comes_back boolean default false) returns boolean
    language plpgsql volatile
    set search_path = school, pg_temp as $$
declare
    tenants constant uuid[] := array(
        select p_organization_id union all
        select development_id from development_directory
         where organization_id = p_organization_id and not p_comes_back);
    victim  text;
begin
    if not exists (select from organization_move
                    where organization_id = p_organization_id and state = 'elsewhere')
        or exists (select from pg_publication where pubname = move_name(p_organization_id)) then
        raise exception 'this cell serves the organization, or the other one follows it';
    end if;
    for victim in
        select t.table_name from tenant_tables() as t
         where t.table_name not in ('development_directory', 'organization_move') order by t.place desc
    loop
        if delete_rows_of(tenants, victim, p_limit) > 0 then
            return true;
        end if;
    end loop;
    delete from development_directory where organization_id = p_organization_id and not p_comes_back;
    return false;
end $$;
