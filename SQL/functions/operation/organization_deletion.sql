-- Functions for deleting an organization: the deletion is ordered, waits, and then removes everything of the
-- organization in small steps. For the operator's commands and the upkeep.

-- is_ending (internal): whether the organization, or the one whose development environment it is, is to be deleted.
create or replace function is_ending(p_organization_id uuid) returns boolean
    language sql stable
    set search_path = school, pg_temp
    return exists (
        select from organization_deletion as d
         where d.organization_id = p_organization_id
            or d.organization_id = (select v.organization_id from development_directory as v
                                     where v.development_id = p_organization_id));

-- refuse_while_ending: no one signs in to an organization that is to be deleted, and it gets no tokens.
create or replace function refuse_while_ending() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    -- Waits for an order that is not committed yet, which this insert's own look would miss.
    perform from organization where organization_id = new.organization_id for key share;
    if is_ending(new.organization_id) then
        raise exception 'the organization is to be deleted'
            using errcode = 'check_violation', constraint = 'organization_is_not_ending';
    end if;
    return new;
end $$;

create or replace trigger refuse_while_ending before insert on session
    for each row execute function refuse_while_ending();
create or replace trigger refuse_while_ending before insert on access_token
    for each row execute function refuse_while_ending();

-- order_deletion: closes the organization to sign-ins now, and has it deleted after the waiting time. Outcomes:
-- 'ordered', 'ordered before' (with the time set then), 'held', 'unknown'.
create or replace function order_deletion(p_organization_id uuid, p_waiting_days integer)
    returns table (outcome text, name text, due_at timestamptz)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    tenants constant uuid[] := array(
        select p_organization_id union all
        select development_id from development_directory where organization_id = p_organization_id);
    title   text;
begin
    -- A sign-in that has begun ends first, and the next one waits (refuse_while_ending).
    perform from organization where organization_id = any (tenants) order by organization_id for update;
    select o.name into title from organization as o
     where o.organization_id = p_organization_id and not is_development(p_organization_id);
    if not found then
        return query select 'unknown', null::text, null::timestamptz;
        return;
    elsif is_ending(p_organization_id) then
        return query select 'ordered before', title, d.due_at::timestamptz from organization_deletion as d
                      where d.organization_id = p_organization_id;
        return;
    elsif exists (select from retention_hold where organization_id = p_organization_id) then
        return query select 'held', title, null::timestamptz;
        return;
    end if;
    perform write_audit_event(p_organization_id, 'organizationChange', 'server', null, null, null, 'organization',
                              p_organization_id::text,
                              jsonb_build_object('change', 'deletionOrdered', 'waitingDays', p_waiting_days));
    update session set ended_at = moment(), end_reason = 'organizationEnds'
     where organization_id = any (tenants) and ended_at is null;
    perform pg_notify('school_revocation', encode(digest, 'hex')) from access_token
      where organization_id = any (tenants) and revoked_at is null and expires_at > moment();
    update access_token set revoked_at = moment() where organization_id = any (tenants) and revoked_at is null;
    return query
    insert into organization_deletion as d (organization_id, due_at)
    values (p_organization_id, moment() + make_interval(days => p_waiting_days))
    returning 'ordered', title, d.due_at::timestamptz;
end $$;

-- cancel_deletion: lets people sign in again. Outcomes: 'cancelled', 'not ordered', 'unknown', or 'begun' if a part
-- is gone already.
create or replace function cancel_deletion(p_organization_id uuid) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    begun timestamptz;
begin
    if not exists (select from organization where organization_id = p_organization_id) then
        return 'unknown';
    end if;
    select begun_at into begun from organization_deletion where organization_id = p_organization_id for update;
    if not found then
        return 'not ordered';
    elsif begun is not null then
        return 'begun';
    end if;
    delete from organization_deletion where organization_id = p_organization_id;
    perform write_audit_event(p_organization_id, 'organizationChange', 'server', null, null, null, 'organization',
                              p_organization_id::text, '{"change": "deletionCancelled"}');
    return 'cancelled';
end $$;

-- tenant_tables (internal): every table with an organization, found in the catalogue, so that a new one cannot be
-- forgotten. Those that others refer to come first.
create or replace function tenant_tables() returns table (table_name text, place integer)
    language plpgsql stable
    set search_path = school, pg_temp as $$
declare
    remaining oid[] := array(
        select c.oid from pg_class as c
          join pg_attribute as a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
         where c.relnamespace = 'school'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         order by c.relname);
    nearest   oid;
begin
    place := 0;
    while remaining <> '{}' loop
        select r into strict nearest from unnest(remaining) as r
         where not exists (select from pg_constraint as k
                            where k.contype = 'f' and k.conrelid = r and k.confrelid <> r
                              and k.confrelid = any (remaining))
         limit 1;
        place := place + 1;
        table_name := (select relname from pg_class where oid = nearest);
        return next;
        remaining := array_remove(remaining, nearest);
    end loop;
end $$;

-- delete_rows_of (internal): at most p_limit rows of these organizations in a table, or all at once where rows of the
-- table refer to each other; returns how many. Row addresses are those of a partition.
create or replace function delete_rows_of(p_organization_ids uuid[], p_table text, p_limit integer) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    parent  constant oid := to_regclass('school.' || p_table);
    leaf    oid;
    batch   bigint;
    deleted bigint := 0;
begin
    if exists (select from pg_constraint where contype = 'f' and conrelid = parent and confrelid = parent) then
        execute format('delete from %s where organization_id = any ($1)', parent::regclass) using p_organization_ids;
        get diagnostics deleted = row_count;
        return deleted;
    end if;
    for leaf in
        select i.inhrelid from pg_inherits as i where i.inhparent = parent
        union all select parent where not exists (select from pg_inherits as i where i.inhparent = parent)
    loop
        execute format('delete from %1$s where ctid = any (array(
                            select ctid from %1$s where organization_id = any ($1) limit $2))', leaf::regclass)
          using p_organization_ids, p_limit - deleted;
        get diagnostics batch = row_count;
        deleted := deleted + batch;
        exit when deleted >= p_limit;
    end loop;
    return deleted;
end $$;

-- due_deletions (internal): the organizations whose time had come at the given moment, the longest due first. A hold
-- stops it, and so does a move to another cell.
create or replace function due_deletions(p_at timestamptz)
    returns table (organization_id uuid, due_at timestamptz, begun_at timestamptz)
    language sql stable
begin atomic
    select d.organization_id, d.due_at::timestamptz, d.begun_at::timestamptz from organization_deletion as d
     where d.due_at <= p_at and not is_at_rest(d.organization_id)
       and not exists (select from retention_hold as k where k.organization_id = d.organization_id)
     order by d.due_at, d.organization_id;
end;

-- ending_organizations: those that are to be deleted now, the longest due first: their time had come a day of running
-- ago (removal_moment).
create or replace function ending_organizations() returns setof uuid
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return query select d.organization_id from due_deletions((select removal_moment())) as d;
end $$;

-- late_deletions (internal): the organizations whose deletion has not begun a day after it was due, or is not done
-- after a week.
create or replace function late_deletions() returns setof uuid
    language sql stable
begin atomic
    select d.organization_id from due_deletions((select removal_moment()) - interval '1 day') as d
     where d.begun_at is null or d.due_at < removal_moment() - interval '7 days';
end;

-- delete_ending: a step of the deletion of an organization whose time has come, with its development environment. It
-- takes rows of one table, the first that has any: triggers may write into those before it. Says whether there may be
-- more to do, and whether the organization is gone now. If several servers try at the same time, one does it.
create or replace function delete_ending(p_organization_id uuid, p_limit integer default 1000)
    returns table (is_more boolean, is_gone boolean)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    tenants uuid[];
    victim  text;
begin
    perform from organization_deletion where organization_id = p_organization_id for update skip locked;
    if not found or p_organization_id not in (select d.organization_id from due_deletions((select removal_moment())) as d) then
        return query select false, false;
        return;
    end if;
    tenants := array(select p_organization_id union all
                     select development_id from development_directory where organization_id = p_organization_id);
    update organization_deletion set begun_at = moment()
     where organization_id = p_organization_id and begun_at is null;
    -- Rows of a deleted handout record no deletion when they are removed.
    update handout set deleted_at = moment() where organization_id = any (tenants) and deleted_at is null;
    for victim in
        select t.table_name from tenant_tables() as t
         where t.table_name not in ('organization', 'organization_deletion', 'organization_move',
                                    'development_directory')
         order by t.place desc
    loop
        if delete_rows_of(tenants, victim, p_limit) > 0 then
            return query select true, false;
            return;
        end if;
    end loop;
    delete from development_directory where organization_id = p_organization_id;
    delete from organization_deletion where organization_id = p_organization_id;
    delete from organization_move where organization_id = p_organization_id;
    delete from organization where organization_id = any (tenants);
    return query select false, true;
end $$;

grant execute on function order_deletion(uuid, integer), cancel_deletion(uuid), ending_organizations(),
    delete_ending(uuid, integer) to school_server;
