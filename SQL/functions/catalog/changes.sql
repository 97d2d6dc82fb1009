-- Functions of changes: what an app needs to keep a copy of the contexts that it sees.
--
-- Every change has a number. A transaction that makes one locks the catalog or the person until it commits, so numbers
-- grow in the order of commits: an app that has seen one number has seen all below it. Transaction ids would do
-- without a lock, but would show an app what else the server is doing, such as storing an upload that was assigned.

-- lock_contexts (internal): serializes changes of what apps save for a person. Does not lock the person: storing an
-- upload holds that lock for as long as there is something to store, which a caller must not be able to measure here.
create or replace function lock_contexts(p_organization_id uuid, p_person_id uuid) returns void
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    perform pg_advisory_xact_lock(hashtextextended(concat('contexts ', p_organization_id, p_person_id), 0));
end $$;

-- next_change (internal): the number of a change in what an app saved for a person, or in its catalog if there is no
-- person. It is the time in microseconds, so that numbers grow even after the last change was removed, and at least
-- one more than the last, in case the clock was set back.
create or replace function next_change(p_organization_id uuid, p_person_id uuid, p_environment text,
                                       p_bundle_id text) returns bigint
    language plpgsql volatile security definer
    set search_path = school, pg_temp as $$
declare
    last_change bigint;
begin
    if p_person_id is not null then
        perform lock_contexts(p_organization_id, p_person_id);
        last_change := greatest(
            (select max(change) from context
              where organization_id = p_organization_id and person_id = p_person_id
                and environment = p_environment and bundle_id = p_bundle_id and kind = 'native'),
            (select max(change) from removed_context
              where organization_id = p_organization_id and person_id = p_person_id
                and environment = p_environment and bundle_id = p_bundle_id));
    else
        -- The lock that publishing holds already.
        perform from developer_bundle
          where organization_id = p_organization_id and bundle_id = p_bundle_id for no key update;
        if not found then
            perform pg_advisory_xact_lock(hashtextextended(concat('catalog ', p_organization_id, p_bundle_id), 0));
        end if;
        last_change := (select max(change) from context
                         where organization_id = p_organization_id and bundle_id = p_bundle_id
                           and environment = p_environment and kind = 'catalog');
    end if;
    return greatest(last_change + 1, floor(extract(epoch from clock_timestamp()) * 1000000)::bigint);
end $$;

-- number_change (internal): numbers a context that is new or has changed. Saving or publishing it again with the
-- same content does not number it.
create or replace function number_change() returns trigger
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    same context;
begin
    if tg_op = 'UPDATE' then
        same := new;
        same.change := old.change;
        same.version := old.version;
        same.updated_at := old.updated_at;
        same.saved_at := old.saved_at;
        same.publisher_digest := old.publisher_digest;
        -- Generated after this.
        same.parent_path := old.parent_path;
        if same is not distinct from old then
            new.change := old.change;
            return new;
        end if;
    end if;
    new.change := next_change(new.organization_id, new.person_id, new.environment, new.bundle_id);
    return new;
end $$;
create or replace trigger number_change before insert or update on context
    for each row execute function number_change();

-- note_removed_contexts (internal): remembers the paths of native contexts that were deleted; not with their person.
create or replace function note_removed_contexts() returns trigger
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into removed_context (organization_id, person_id, environment, bundle_id, identifier_path, change)
    select g.organization_id, g.person_id, g.environment, g.bundle_id, g.identifier_path,
           next_change(g.organization_id, g.person_id, g.environment, g.bundle_id)
      from (select distinct r.organization_id, r.person_id, r.environment, r.bundle_id, r.identifier_path
              from removed as r
              join person as p on p.organization_id = r.organization_id and p.person_id = r.person_id
             where r.kind = 'native'
             order by r.organization_id, r.person_id, r.environment, r.bundle_id, r.identifier_path) as g
        on conflict on constraint removed_context_pkey
        do update set change = excluded.change, removed_at = moment();
    return null;
end $$;
create or replace trigger note_removed_contexts after delete on context
    referencing old table as removed for each statement execute function note_removed_contexts();

-- forget_removed_contexts (internal): removes what is remembered for longer than thirty days, at most p_limit rows,
-- and returns how many.
create or replace function forget_removed_contexts(p_limit integer) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    removed bigint;
begin
    delete from removed_context where ctid = any (array(
        select ctid from removed_context
         where removed_at <= (select removal_moment()) - interval '30 days' and not is_at_rest(organization_id)
         limit p_limit for update skip locked));
    get diagnostics removed = row_count;
    return removed;
end $$;

-- changed_contexts: each path at which something changed, in the catalog of the calling app after p_catalog, and then
-- in what it saved for the person after p_own; with the context that is there now, or null: the one saved for the
-- person, else the catalog's in the best locale. What handouts assign is left out, so that the answer is the same for
-- everyone who saved the same.
create or replace function changed_contexts(p_languages text[], p_catalog bigint, p_own bigint, p_limit bigint)
    returns table (is_own boolean, change bigint, path text[], context_id uuid, topic text, has_children boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp set jit = off as $$
#variable_conflict use_column
begin
    return query
    with catalog as (
        select false as is_own, c.change, c.identifier_path as path from context as c
         where c.organization_id = my_organization() and c.bundle_id = my_app()
           and c.environment = my_environment() and c.kind = 'catalog' and c.change > p_catalog
         order by c.change limit p_limit
    ), saved as (
        select true, c.change, c.identifier_path from context as c
         where c.organization_id = my_organization() and c.person_id = my_person()
           and c.environment = my_environment() and c.bundle_id = my_app() and c.kind = 'native'
           and c.change > p_own
         order by c.change limit p_limit
    ), removed as (
        select true, r.change, r.identifier_path from removed_context as r
         where r.organization_id = my_organization() and r.person_id = my_person()
           and r.environment = my_environment() and r.bundle_id = my_app() and r.change > p_own
         order by r.change limit p_limit
    ), changed as materialized (
        select * from catalog union all select * from saved union all select * from removed
         order by 1, 2 limit p_limit
    ), best as materialized (
        select p.path, found.context_id
          from (select distinct path from changed) as p
         cross join lateral (
               select n.context_id
                 from (select c.*, 0 as rank from context as c
                        where c.organization_id = my_organization() and c.person_id = my_person()
                          and c.environment = my_environment() and c.bundle_id = my_app()
                          and c.identifier_path = p.path and c.kind = 'native' and c.deleted_at is null
                       union all
                       select c.*, 1 from context as c
                        where c.organization_id = my_organization() and c.bundle_id = my_app()
                          and c.environment = my_environment() and c.identifier_path = p.path
                          and c.kind = 'catalog' and c.deleted_at is null) as n
                order by n.rank, locale_distance(n.locale, n.presentable_locales, p_languages), n.locale, n.context_id
                limit 1) as found
    ), described as materialized (
        select d.* from browsed(array(select context_id from best)) as d
    )
    select c.is_own, c.change, c.path, b.context_id, d.topic, d.has_children
      from changed as c
      left join best as b on b.path = c.path
      left join described as d on d.context_id = b.context_id
     order by c.is_own, c.change;
end $$;
grant execute on function changed_contexts(text[], bigint, bigint, bigint) to school_app;
