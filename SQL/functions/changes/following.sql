-- Functions of changes: following them, and forgetting them after thirty days.

-- feed_of (internal): the feed of an organization, which begins with the first who asks for it.
create or replace function feed_of(p_organization_id uuid) returns change_feed
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    feed change_feed;
begin
    select * into feed from change_feed where organization_id = p_organization_id;
    if not found then
        insert into change_feed (organization_id) values (p_organization_id)
            on conflict on constraint change_feed_pkey do nothing;
        select * into strict feed from change_feed where organization_id = p_organization_id;
    end if;
    return feed;
end $$;

-- my_feed: what seals positions of the caller's organization, the last position of which changes were forgotten (0:
-- none), and the position after everything that can be read now.
create or replace function my_feed()
    returns table (feed_id uuid, forgotten_through bigint, ends_before bigint)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    return query
    select f.feed_id, coalesce(f.forgotten_through, 0), feed_end(f.organization_id)
      from feed_of(my_organization()) as f;
end $$;

-- my_given_handout_ids: the handouts that the caller, a teacher, reads, and those that he or she would read if they
-- were not removed.
create or replace function my_given_handout_ids() returns uuid[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return array(
        select handout_id from handout
         where organization_id = my_organization() and environment = my_environment()
           and class_id = any ((select my_taught_class_ids())::uuid[])
           and (publish_at is not null or author_id = my_person()));
end $$;

grant execute on function my_feed() to school_directory_reader, school_teacher;
grant execute on function my_given_handout_ids() to school_teacher;

-- forget_changes (internal): removes at most p_limit changes that are older than thirty days, oldest first; returns how
-- many. Positions from before them are refused from then on. Transactions of which nothing is left go with them.
create or replace function forget_changes(p_limit integer) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    forgotten bigint;
begin
    with gone as (
        delete from change where ctid = any (array(
            select ctid from change where noted_at <= (select removal_moment()) - interval '30 days'
             order by noted_at limit p_limit for update skip locked))
        returning organization_id, transaction),
    noted as (
        insert into change_feed as f (organization_id, forgotten_through)
        select t.organization_id, max(t.position)
          from (select distinct organization_id, transaction from gone) as g
          join change_transaction as t
            on t.organization_id = g.organization_id and t.transaction = g.transaction
         group by t.organization_id
            on conflict on constraint change_feed_pkey do update
               set forgotten_through = greatest(f.forgotten_through, excluded.forgotten_through))
    select count(*) into forgotten from gone;
    delete from change_transaction where ctid = any (array(
        select t.ctid from change_feed as f
          join change_transaction as t
            on t.organization_id = f.organization_id and t.position <= f.forgotten_through
         where not exists (select from change as c
                            where c.organization_id = t.organization_id and c.transaction = t.transaction)
         limit p_limit for update of t skip locked));
    return forgotten;
end $$;
