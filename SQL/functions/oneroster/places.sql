-- Functions of OneRoster: how far clients have read that ask for the next page by counting.
--
-- A page that ends at an offset ends behind an object. The next page begins there, by sourcedId or by what objects are
-- sorted by, so that no object that stays is missed or comes twice when others come and go.

-- note_read_place: notes behind which object the caller's page ends that ends at an offset. Of each account the last
-- 20,000 are remembered; who begins a collection makes room.
create or replace function note_read_place(
    p_token text, p_request bytea, p_place bigint, p_sourced_id text, p_sorted_by text, p_revision text) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    own constant uuid := my_organization();
    who constant text := coalesce(my_service_account()::text, p_token);
begin
    insert into roster_place as r (organization_id, account, request, place, token, sourced_id, sorted_by, revision)
    values (own, who, p_request, p_place, p_token, p_sourced_id, p_sorted_by, p_revision)
        on conflict on constraint roster_place_pkey do update
       set sourced_id = excluded.sourced_id, sorted_by = excluded.sorted_by, revision = excluded.revision,
           noted_at = excluded.noted_at;
    if not exists (select from roster_place
                    where organization_id = own and account = who and request = p_request and place < p_place) then
        delete from roster_place
         where organization_id = own and account = who and noted_at < (
               select o.noted_at from roster_place as o
                where o.organization_id = own and o.account = who order by o.noted_at desc offset 20000 limit 1);
    end if;
end $$;

-- read_place: to where the caller has read the collection, at an offset. Of several traversals of one account each finds
-- its own, as long as it has a token of its own.
create or replace function read_place(p_token text, p_request bytea, p_place bigint)
    returns table (sourced_id text, sorted_by text, revision text)
    language plpgsql stable security definer rows 1
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select r.sourced_id, r.sorted_by, r.revision from roster_place as r
     where r.organization_id = my_organization() and r.account = coalesce(my_service_account()::text, p_token)
       and r.request = p_request and r.place = p_place and r.noted_at > moment() - interval '1 hour'
     order by r.token = p_token desc, r.noted_at desc limit 1;
end $$;
grant execute on function note_read_place(text, bytea, bigint, text, text, text), read_place(text, bytea, bigint)
    to school_roster_reader;

-- forget_read_places (internal): removes those of more than an hour ago, up to p_limit; returns how many.
create or replace function forget_read_places(p_limit integer) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    removed bigint;
begin
    delete from roster_place where ctid = any (array(
        select ctid from roster_place
         where noted_at < (select removal_moment()) - interval '1 hour' and not is_at_rest(organization_id)
         limit p_limit for update skip locked));
    get diagnostics removed = row_count;
    return removed;
end $$;
