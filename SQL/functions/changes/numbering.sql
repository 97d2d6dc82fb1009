-- Functions of changes: their positions. A transaction gets one for everything that it noted in an organization, as the
-- last thing before it commits, under a lock that it holds until others see what it wrote. So the positions of an
-- organization appear in order. A reader who sees one sees all lower ones, and a transaction that is still running
-- holds nobody back, however long it takes.

-- mark_transaction: notes that the transaction notes changes. On the table itself, so that nothing is noted without.
create or replace function mark_transaction() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into change_transaction (organization_id, transaction)
    select distinct organization_id, transaction from noted order by organization_id, transaction
        on conflict on constraint change_transaction_pkey do nothing;
    return null;
end $$;
create or replace trigger mark_transaction after insert on change
    referencing new table as noted for each statement execute function mark_transaction();

-- number_transaction: gives the position, at commit. It is the time in microseconds, so that no position comes twice
-- even where a standby takes over that lacks the last commits, and at least one more than the last, in case the clock
-- was set back. The last one is read after the lock, by a statement of its own, which sees all who had it before.
create or replace function number_transaction() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform pg_advisory_xact_lock(hashtextextended('changes ' || new.organization_id::text, 0));
    update change_transaction
       set position = greatest(feed_end(new.organization_id),
                               floor(extract(epoch from clock_timestamp()) * 1000000)::bigint)
     where organization_id = new.organization_id and transaction = new.transaction;
    return null;
end $$;
create constraint trigger number_transaction after insert on change_transaction
    deferrable initially deferred for each row execute function number_transaction();

-- feed_end (internal): every position below it has been given, and every read from now on sees what it stands for; all
-- that are given later are at or above it. Not plain SQL, which would be planned anew for every commit.
create or replace function feed_end(p_organization_id uuid) returns bigint
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return 1 + greatest(
        (select max(position) from change_transaction where organization_id = p_organization_id),
        (select forgotten_through from change_feed where organization_id = p_organization_id), 0);
end $$;
