-- Functions of changes in an organization that moves to another cell. Positions of changes are of one database, so they
-- stay behind: webhooks take along what they have yet to send, and other followers begin anew.

-- hand_over_changes (internal): makes deliveries of everything that webhooks have yet to send, in the order in which it
-- changed. Enabled or not: a webhook that is enabled again goes on where it stopped.
create or replace function hand_over_changes(p_organization_id uuid) returns void
    language plpgsql volatile
    set search_path = school, pg_temp as $$
declare
    id    uuid;
    hook  webhook;
    made  uuid;
    after integer;
begin
    for id in select webhook_id from webhook where organization_id = p_organization_id order by webhook_id loop
        after := 0;
        loop
            select * into hook from webhook where organization_id = p_organization_id and webhook_id = id for update;
            exit when not found;
            made := cut_delivery(hook);
            exit when made is null;
            update webhook_delivery set next_attempt_at = next_attempt_at + after * interval '1 millisecond'
             where organization_id = p_organization_id and delivery_id = made;
            after := after + 1;
        end loop;
    end loop;
end $$;

-- is_calling_webhooks (internal): whether a server waits for what a receiver answers, or died while it did.
create or replace function is_calling_webhooks(p_organization_id uuid) returns boolean
    language sql stable
    set search_path = school, pg_temp
    return exists (select from webhook as w where w.organization_id = p_organization_id and w.claimed_until > moment());

-- begin_moved_feed (internal): from here on, changes are followed in this cell. What clients hold is refused, because
-- it says nothing about the changes in the other cell; what webhooks had yet to send came along as deliveries.
create or replace function begin_moved_feed(p_organization_id uuid) returns void
    language plpgsql volatile
    set search_path = school, pg_temp as $$
begin
    insert into change_feed as f (organization_id) values (p_organization_id)
        on conflict on constraint change_feed_pkey do update set feed_id = gen_random_uuid();
    update webhook as w
       set feed_id = f.feed_id, sent_position = feed_end(p_organization_id), sent_kind = '',
           sent_id = '00000000-0000-0000-0000-000000000000'
      from change_feed as f
     where w.organization_id = p_organization_id and f.organization_id = w.organization_id;
end $$;
