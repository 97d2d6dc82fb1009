-- Functions of webhooks: what is sent next, and what follows from the answer. The server calls them as itself, for all
-- organizations; those for administrators check the organization.

-- begin_webhook: a new webhook sends what changes from now on.
create or replace function begin_webhook() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    new.feed_id := (feed_of(new.organization_id)).feed_id;
    new.sent_position := feed_end(new.organization_id);
    return new;
end $$;
create or replace trigger begin_webhook before insert on webhook
    for each row execute function begin_webhook();

-- check_webhook_count: an organization has at most 20. It is locked, so that two that add the last one count one after
-- the other.
create or replace function check_webhook_count() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform from organization where organization_id = new.organization_id for no key update;
    if (select count(*) from webhook where organization_id = new.organization_id) > 20 then
        raise exception 'the organization has 20 webhooks'
            using errcode = '23514', schema = 'school', table = 'webhook',
                  constraint = 'organization_has_room_for_webhooks';
    end if;
    return null;
end $$;
create or replace trigger check_webhook_count after insert on webhook
    for each row execute function check_webhook_count();

-- keep_former_secret: the secret that is replaced signs for one more day beside the new one.
create or replace function keep_former_secret() returns trigger language plpgsql
    set search_path = school, pg_temp as $$
begin
    new.former_secret := old.secret;
    new.sealed_former_secret := old.sealed_secret;
    new.former_key_id := old.key_id;
    new.secret := null;
    new.former_until := moment() + interval '1 day';
    new.secret_changed_at := moment();
    return new;
end $$;
create or replace trigger keep_former_secret before update of sealed_secret on webhook
    -- Sealing the secret that is there does not replace it.
    for each row when (new.secret is not distinct from old.secret) execute function keep_former_secret();

-- enable_webhook: a webhook that is enabled again goes on where it stopped, and has three days anew.
create or replace function enable_webhook() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    new.disabled_because := null;
    new.failing_since := null;
    update webhook_delivery set next_attempt_at = moment(), tries = 0
     where organization_id = new.organization_id and webhook_id = new.webhook_id and next_attempt_at is not null;
    return new;
end $$;
create or replace trigger enable_webhook before update of is_enabled on webhook
    for each row when (new.is_enabled and not old.is_enabled) execute function enable_webhook();

-- forget_answers: another address is another receiver.
create or replace function forget_answers() returns trigger language plpgsql
    set search_path = school, pg_temp as $$
begin
    new.has_answered := false;
    return new;
end $$;
create or replace trigger forget_answers before update of url on webhook
    for each row when (new.url <> old.url) execute function forget_answers();

create or replace trigger bump_version before update of name, url, kinds, sealed_secret, is_enabled, failing_since
    on webhook
    for each row execute function bump_version();

-- add_delivery (internal): something to send at once.
create or replace function add_delivery(p_organization_id uuid, p_webhook_id uuid, p_kind text, p_changes json,
                                        p_count integer) returns uuid
    language plpgsql volatile
    set search_path = school, pg_temp as $$
declare
    id constant uuid := new_id();
begin
    insert into webhook_delivery (organization_id, delivery_id, webhook_id, kind, change_count, body, next_attempt_at)
    values (p_organization_id, id, p_webhook_id, p_kind, p_count,
            json_build_object('type', p_kind, 'timestamp', rfc3339(moment()), 'data', json_build_object(
                'organizationId', p_organization_id, 'webhookId', p_webhook_id, 'changes', p_changes))::text,
            moment());
    return id;
end $$;

-- cut_delivery (internal): a delivery of the changes that follow what was sent, at most 100; null if there are none.
-- The caller holds the row of the webhook.
create or replace function cut_delivery(p_webhook webhook) returns uuid
    language plpgsql volatile
    set search_path = school, pg_temp as $$
declare
    feed   constant uuid := (feed_of(p_webhook.organization_id)).feed_id;
    -- Once for all: by the next statement, there may be more.
    ending constant bigint := feed_end(p_webhook.organization_id);
    batch  record;
    made   uuid;
begin
    -- In another feed, as of an organization that came from another database, the position means nothing.
    select count(*)::integer as total, max(position) as position,
           (array_agg(kind order by position desc, kind desc, subject_id desc))[1] as kind,
           (array_agg(subject_id order by position desc, kind desc, subject_id desc))[1] as subject_id,
           json_agg(json_build_object('kind', kind, 'id', subject_id, 'what', what, 'at', rfc3339(noted_at))
                    order by position, kind, subject_id) as changes
      into batch
      from (select t.position, c.kind, c.subject_id, c.what, c.noted_at
              -- All of these but the first certainly have something to send.
              from (select * from change_transaction as t
                     where t.organization_id = p_webhook.organization_id and feed = p_webhook.feed_id
                       and t.position >= p_webhook.sent_position and t.position < ending
                       and exists (select from change as c
                                    where c.organization_id = t.organization_id and c.transaction = t.transaction
                                      and c.kind = any (p_webhook.kinds) offset 0)
                     order by t.position limit 101) as t
             cross join lateral (
                   select * from change as c
                    where c.organization_id = t.organization_id and c.transaction = t.transaction
                      and (c.kind, c.subject_id)
                          > (case when t.position = p_webhook.sent_position then p_webhook.sent_kind else '' end,
                             case when t.position = p_webhook.sent_position then p_webhook.sent_id
                                  else '00000000-0000-0000-0000-000000000000' end)
                      and c.kind = any (p_webhook.kinds)
                    order by c.kind, c.subject_id limit 100) as c
             order by t.position, c.kind, c.subject_id limit 100) as c;
    if batch.total > 0 then
        made := add_delivery(p_webhook.organization_id, p_webhook.webhook_id, 'changes', batch.changes,
                             batch.total);
    end if;
    update webhook
       set feed_id = feed,
           sent_position = case when batch.total = 100 then batch.position else ending end,
           sent_kind = case when batch.total = 100 then batch.kind else '' end,
           sent_id = case when batch.total = 100 then batch.subject_id
                          else '00000000-0000-0000-0000-000000000000' end
     where organization_id = p_webhook.organization_id and webhook_id = p_webhook.webhook_id;
    return made;
end $$;

-- webhooks_with_work (internal): enabled webhooks that no process is calling, and that have something to send; those
-- that answered last time come first, and of each kind those that were called longest ago.
create or replace function webhooks_with_work() returns setof webhook
    language sql stable
    set search_path = school, pg_temp
begin atomic
    select w.* from webhook as w
     where w.is_enabled and w.claimed_until <= moment()
       and (exists (select from webhook_delivery as d
                     where d.organization_id = w.organization_id and d.webhook_id = w.webhook_id
                       and d.next_attempt_at <= moment())
            or exists (select from change_transaction as t
                        where t.organization_id = w.organization_id and t.position >= w.sent_position)
               and not exists (select from webhook_delivery as d
                                where d.organization_id = w.organization_id and d.webhook_id = w.webhook_id
                                  and d.kind = 'changes' and d.next_attempt_at is not null)
            or not exists (select from change_feed as f
                            where f.organization_id = w.organization_id and f.feed_id = w.feed_id))
     order by w.failing_since is not null, w.claimed_until;
end;

-- claim_webhook_calls: what the caller is to send now, to each webhook one delivery at a time, at most p_limit and of
-- those to failing webhooks at most p_failing_limit. For a minute no other process calls the same webhooks, unless
-- finish_webhook_call() says that the call is over; a process that died has lost its claims by then. An organization
-- has at most four calls at a time, so that its slow receivers leave room for others.
create or replace function claim_webhook_calls(p_limit integer, p_failing_limit integer)
    returns table (organization_id uuid, webhook_id uuid, delivery_id uuid, url text, body text, is_failing boolean,
                   secret bytea, former_secret bytea, sealed_secret bytea, sealed_former_secret bytea)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    candidate webhook;
    held      webhook;
    delivery  webhook_delivery;
    made      uuid;
    failing   integer := 0;
    claimed   integer := 0;
begin
    for candidate in select * from webhooks_with_work() loop
        exit when claimed >= p_limit;
        continue when is_at_rest(candidate.organization_id);
        continue when candidate.failing_since is not null and failing >= p_failing_limit;
        continue when (select count(*) from webhook as w
                        where w.organization_id = candidate.organization_id and w.claimed_until > moment()) >= 4;
        select * into held from webhook as w
         where w.organization_id = candidate.organization_id and w.webhook_id = candidate.webhook_id
           and w.is_enabled and w.claimed_until <= moment()
           for update skip locked;
        continue when not found;
        select * into delivery from webhook_delivery as d
         where d.organization_id = held.organization_id and d.webhook_id = held.webhook_id
           and d.next_attempt_at <= moment()
         order by d.next_attempt_at, d.delivery_id limit 1;
        if not found then
            made := cut_delivery(held);
            continue when made is null;
            select * into delivery from webhook_delivery as d
             where d.organization_id = held.organization_id and d.delivery_id = made;
        end if;
        update webhook as w set claimed_until = moment() + interval '1 minute'
         where w.organization_id = held.organization_id and w.webhook_id = held.webhook_id;
        claimed := claimed + 1;
        failing := failing + (held.failing_since is not null)::integer;
        return query select held.organization_id, held.webhook_id, delivery.delivery_id, held.url, delivery.body,
                            held.failing_since is not null, held.secret,
                            case when held.former_until > moment() then held.former_secret end,
                            held.sealed_secret,
                            case when held.former_until > moment() then held.sealed_former_secret end;
    end loop;
end $$;

-- pause_after (internal): how long to wait after so many failures of a delivery. A tenth more or less, so that what
-- failed together is not tried together.
--
-- A receiver that has answered before is probed every minute, however long it is away: what waits for it goes within a
-- minute after its repair, and until then it gets one request a minute, which is less than what looks after it sends.
-- Longer and longer waits would spare it nothing, and make an outage of three hours one of eight. One that never
-- answered may be a stranger's address: after ten minutes it is called every quarter of an hour. What is called at once
-- is bounded in any case (claim_webhook_calls), and three days of failures end it.
create or replace function pause_after(p_tries integer, p_has_answered boolean) returns interval
    language sql volatile
    return case when p_tries <= 1 then 5 when p_has_answered or p_tries <= 10 then 50 else 900 end
           * (0.9 + 0.2 * random()) * interval '1 second';

-- finish_webhook_call: what the receiver answered, or why it did not (p_failure). Any 2xx is a success, and 410 means
-- that nobody wants the webhook. Everything else is tried again, a test excepted, and not before p_retry_after seconds,
-- if the receiver said so, up to a day. A webhook that has failed for three days is disabled; what it was to send waits
-- until it is enabled again.
create or replace function finish_webhook_call(
    p_organization_id uuid, p_webhook_id uuid, p_delivery_id uuid, p_status integer, p_failure text,
    p_milliseconds integer, p_retry_after integer) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    is_delivered constant boolean := coalesce(p_status between 200 and 299, false);
    hook   webhook;
    reason text;
    delivered_kind text;
begin
    select * into hook from webhook
     where organization_id = p_organization_id and webhook_id = p_webhook_id for update;
    if not found then
        return;
    end if;
    insert into webhook_attempt (organization_id, delivery_id, number, at, status, failure, milliseconds)
    select p_organization_id, p_delivery_id, 1 + coalesce(max(number), 0), moment(), p_status, p_failure, p_milliseconds
      from webhook_attempt where organization_id = p_organization_id and delivery_id = p_delivery_id;
    -- Three days are thousands of probes; the last 20 are shown.
    delete from webhook_attempt as a
     where a.organization_id = p_organization_id and a.delivery_id = p_delivery_id
       and a.number <= (select max(l.number) from webhook_attempt as l
                         where l.organization_id = p_organization_id and l.delivery_id = p_delivery_id) - 20;
    update webhook_delivery
       set delivered_at = case when is_delivered then moment() end, tries = tries + 1,
           next_attempt_at = case when not is_delivered and kind = 'changes' then greatest(
               least(moment() + pause_after(tries + 1, hook.has_answered), coalesce(hook.failing_since, moment()) + interval '3 days'),
               case when p_retry_after is not null then
                   moment() + least(p_retry_after, 86400) * interval '1 second' end) end
     where organization_id = p_organization_id and delivery_id = p_delivery_id
    returning kind into delivered_kind;
    update webhook set claimed_until = moment(), has_answered = has_answered or is_delivered
     where organization_id = p_organization_id and webhook_id = p_webhook_id;
    reason := case when p_status = 410 then 'gone'
                   when not is_delivered and hook.failing_since <= moment() - interval '3 days' then 'failing' end;
    if reason is not null then
        update webhook set is_enabled = false, disabled_because = reason
         where organization_id = p_organization_id and webhook_id = p_webhook_id and is_enabled;
        if found then
            perform write_audit_event(p_organization_id, 'webhookChange', 'server', null, null, null, 'webhook',
                                      p_webhook_id::text, jsonb_build_object('change', 'disabled', 'reason', reason));
        end if;
    elsif is_delivered = (hook.failing_since is not null) and (is_delivered or delivered_kind = 'changes') then
        update webhook set failing_since = case when not is_delivered then moment() end
         where organization_id = p_organization_id and webhook_id = p_webhook_id;
    end if;
end $$;
grant execute on function claim_webhook_calls(integer, integer),
    finish_webhook_call(uuid, uuid, uuid, integer, text, integer, integer) to school_server;

-- has_failed_long (internal): whether an enabled webhook has failed for an hour, longer than a receiver is restarted.
create or replace function has_failed_long(p_webhook webhook) returns boolean
    language sql stable
    return p_webhook.is_enabled and coalesce(p_webhook.failing_since <= moment() - interval '1 hour', false);

-- test_webhook: sends a delivery without changes, so that a receiver can be tried; returns its id, or null if the
-- webhook does not exist or is disabled.
create or replace function test_webhook(p_webhook_id uuid) returns uuid
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform from webhook where organization_id = my_organization() and webhook_id = p_webhook_id and is_enabled;
    return case when found then add_delivery(my_organization(), p_webhook_id, 'test', '[]', 0) end;
end $$;

-- redeliver: sends a delivery once more, at once and under its former id. False if there is none, or the webhook is
-- disabled.
create or replace function redeliver(p_webhook_id uuid, p_delivery_id uuid) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update webhook_delivery as d set next_attempt_at = moment(), delivered_at = null, tries = 0
      from webhook as w
     where w.organization_id = my_organization() and w.webhook_id = p_webhook_id and w.is_enabled
       and d.organization_id = w.organization_id and d.webhook_id = w.webhook_id and d.delivery_id = p_delivery_id;
    return found;
end $$;
grant execute on function test_webhook(uuid), redeliver(uuid, uuid) to school_administrator;

-- forget_deliveries (internal): removes at most p_limit deliveries that were made over a week ago and are not waiting;
-- returns how many.
create or replace function forget_deliveries(p_limit integer) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    forgotten bigint;
begin
    delete from webhook_delivery where ctid = any (array(
        select ctid from webhook_delivery
         where created_at <= (select removal_moment()) - interval '7 days' and next_attempt_at is null
           and not is_at_rest(organization_id)
         limit p_limit for update skip locked));
    get diagnostics forgotten = row_count;
    return forgotten;
end $$;
