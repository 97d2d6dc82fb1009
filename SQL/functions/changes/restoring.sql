-- Functions of changes in a database that was restored: its changes are followed anew.

-- renew_feeds (internal): positions that clients hold are refused from now on: what followed the backup is gone.
-- What was noted goes with them. Webhooks keep what they have yet to send, as deliveries.
create or replace function renew_feeds() returns void
    language plpgsql volatile
    set search_path = school, pg_temp as $$
begin
    perform hand_over_changes(w.organization_id)
       from (select distinct organization_id from webhook) as w where not is_at_rest(w.organization_id);
    delete from change;
    delete from change_transaction;
    update change_feed set feed_id = gen_random_uuid();
    update webhook as w
       set feed_id = f.feed_id, sent_position = feed_end(w.organization_id), sent_kind = '',
           sent_id = '00000000-0000-0000-0000-000000000000'
      from change_feed as f
     where f.organization_id = w.organization_id and not is_at_rest(w.organization_id);
end $$;

-- renew_foreign_feeds (internal): renew_feeds() if the database was restored from a dump of another server, as
-- transactions show whose numbers are still to come: one with the number of an earlier one would get no position, and
-- nobody would learn what it changed. Returns whether it did. For the migrator.
create or replace function renew_foreign_feeds() returns boolean
    language plpgsql volatile
    set search_path = school, pg_temp as $$
begin
    if exists (select from organization as o
                where exists (select from change_transaction as t
                               where t.organization_id = o.organization_id
                                 and t.transaction >= pg_snapshot_xmax(pg_current_snapshot()))) then
        perform renew_feeds();
        return true;
    end if;
    return false;
end $$;
