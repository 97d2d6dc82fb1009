-- Functions of xAPI: how statements of apps get into the inbox.
--
-- The server has checked them and turned each one that is about a context of the app into a part of an attempt. Parts
-- take the way of all uploads (uploads.sql), so that only what was assigned is stored.

-- take_statements: keeps what an app stated until a worker stores it. p_statements is an array of {id, digest, actor,
-- [part]}: the digest of the content in hexadecimal, and the name of the account that the statement calls its actor.
-- A statement that came before, with the same content, is not taken again. Ids are the app's, and count for its person
-- alone.
--
-- All are taken and no row is returned, or none is taken, and each row is a reason: the place of a statement, counted
-- from 0, and 'actor' (it is about another account than the pseudonym by which the app knows the token's person) or
-- 'conflict' (another statement has its id). Does the same work for every person, and leaves one upload whatever is
-- new, so that nothing shows what was assigned.
create or replace function take_statements(p_statements jsonb) returns table (place integer, reason text)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    organization constant uuid := my_organization();
    subject      constant text := subject_of(my_organization(), my_person(), my_app());
    fresh        bytea[];
    wrong        integer[];
begin
    select array_agg(s.place - 1 order by s.place) into wrong
      from jsonb_array_elements(p_statements) with ordinality as s (sent, place)
     where s.sent ->> 'actor' is distinct from subject;
    if wrong is not null then
        return query select w, 'actor' from unnest(wrong) as w;
        return;
    end if;

    begin
        -- In the order of their keys, so that two calls with the same statements wait instead of blocking each other.
        with receipt as (
            insert into statement_receipt as r (organization_id, statement, content, arrived_at)
            select organization, statement_key(s ->> 'id'), decode(s ->> 'digest', 'hex'), moment()
              from jsonb_array_elements(p_statements) as s
             order by 2
            on conflict on constraint statement_receipt_pkey do nothing
            returning r.statement)
        select array_agg(r.statement) into fresh from receipt as r;

        select array_agg(s.place - 1 order by s.place) into wrong
          from jsonb_array_elements(p_statements) with ordinality as s (sent, place)
          join statement_receipt as r
            on r.organization_id = organization and r.statement = statement_key(s.sent ->> 'id')
         where r.content <> decode(s.sent ->> 'digest', 'hex');
        if wrong is not null then
            raise exception using errcode = 'HR001', message = 'a statement has the id of another one';
        end if;
    exception when sqlstate 'HR001' then
        return query select w, 'conflict' from unnest(wrong) as w;
        return;
    end;

    perform take_upload('activities', (
        select coalesce(jsonb_agg(s.sent -> 'part' order by s.place), '[]')
          from jsonb_array_elements(p_statements) with ordinality as s (sent, place)
          join unnest(fresh) as f (statement) on f.statement = statement_key(s.sent ->> 'id')
         where s.sent ? 'part'));
end $$;
grant execute on function take_statements(jsonb) to school_app;

-- statement_key (internal): how the receipt of a statement of the app is found.
create or replace function statement_key(p_id text) returns bytea
    language sql stable
    return sha256(convert_to(
        concat_ws('/', my_person(), my_app(), my_environment(), p_id), 'UTF8'));

-- forget_statements (internal): removes up to p_limit receipts of statements that came more than 31 days ago. What they
-- report would be too late now. Returns how many.
create or replace function forget_statements(p_limit integer) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    removed bigint;
begin
    delete from statement_receipt where ctid = any (array(
        select ctid from statement_receipt
         where arrived_at <= (select removal_moment()) - interval '31 days' and not is_at_rest(organization_id)
         limit p_limit for update skip locked));
    get diagnostics removed = row_count;
    return removed;
end $$;
