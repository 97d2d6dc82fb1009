-- Functions of roster sources: when a pull is due, which process does it, and what became of it.

-- next_night (internal): when it is next that time by the clock of an organization, at least a minute from now.
create or replace function next_night(p_organization_id uuid, p_time text) returns timestamptz
    language plpgsql stable
    set search_path = school, pg_temp as $$
declare
    zone constant text := (select time_zone from organization where organization_id = p_organization_id);
    today constant date := ((moment() + interval '1 minute') at time zone zone)::date;
    due timestamptz := (today + p_time::time) at time zone zone;
begin
    if due < moment() + interval '1 minute' then
        due := (today + 1 + p_time::time) at time zone zone;
    end if;
    return due;
end $$;

-- arrange_roster_pulls: after a change by an administrator, the next pull is at the time that is set. A pull under way
-- would use what was set before, so its claim ends, and with the secret its failures are forgotten.
create or replace function arrange_roster_pulls() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    new.next_pull_at := case when new.is_enabled then next_night(new.organization_id, new.pull_time) end;
    new.tries := 0;
    if tg_op = 'UPDATE' then
        new.updated_at := moment();
        if (new.url, new.token_url, new.client_id, new.sealed_secret)
           is distinct from (old.url, old.token_url, old.client_id, old.sealed_secret) then
            new.claim_id := null;
            new.claimed_until := moment();
            new.attempts := 0;
            new.failure := null;
            new.failure_detail := null;
            new.failing_since := null;
        end if;
    end if;
    return new;
end $$;
create or replace trigger arrange_pulls
    before insert or update of url, token_url, client_id, sealed_secret, key_id, pull_time, is_enabled on roster_source
    for each row execute function arrange_roster_pulls();

-- order_roster_pull: orders a pull. It begins as soon as a process is free. Returns false if there is no source.
create or replace function order_roster_pull() returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update roster_source set ordered_at = coalesce(ordered_at, moment()), updated_at = moment()
     where organization_id = my_organization();
    return found;
end $$;
grant execute on function order_roster_pull() to school_administrator;

-- due_since (internal): since when a pull waits for a process; null: none does. One whose process died is due when its
-- claim ends.
create or replace function due_since(p_source roster_source) returns timestamptz
    language sql stable
    return case
        when p_source.claimed_until > moment() then null
        when p_source.claim_id is not null then p_source.claimed_until
        when p_source.ordered_at is not null and p_source.next_pull_at <= moment()
            then least(p_source.ordered_at, p_source.next_pull_at)
        when p_source.ordered_at is not null then p_source.ordered_at
        when p_source.next_pull_at <= moment() then p_source.next_pull_at end;

-- has_due_roster_pull: whether claim_roster_pull() would find work.
create or replace function has_due_roster_pull(p_key_id text) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from roster_source as s
                    where (s.key_id = p_key_id and due_since(s) is not null
                           or due_since(s) < moment() - interval '5 minutes')
                      and not is_at_rest(s.organization_id) and not is_ending(s.organization_id));
end $$;

-- note_roster_failure (internal): the pull that holds the claim is over and brought nothing. What may pass by itself is
-- tried again that night after 15, 30 and 60 minutes, and not before p_retry_after seconds, if the provider said so;
-- everything else waits for the next night. The first failure, and each of a new kind, is an audit event.
create or replace function note_roster_failure(
    p_source roster_source, p_failure text, p_detail text, p_may_pass boolean, p_retry_after integer) returns void
    language plpgsql volatile
    set search_path = school, pg_temp as $$
declare
    night constant timestamptz := next_night(p_source.organization_id, p_source.pull_time);
    pause constant interval := case when p_may_pass and p_source.tries < 3 then greatest(
        15 * (2 ^ p_source.tries) * interval '1 minute',
        least(coalesce(p_retry_after, 0), 86400) * interval '1 second') end;
begin
    update roster_source
       set claim_id = null, claimed_until = moment(), attempts = 0, finished_at = moment(),
           failure = p_failure, failure_detail = left(p_detail, 1000),
           failing_since = coalesce(failing_since, moment()),
           tries = case when pause is null then 0 else tries + 1 end,
           next_pull_at = case when is_enabled then least(night, moment() + pause) end, updated_at = moment()
     where organization_id = p_source.organization_id;
    if p_source.failure is distinct from p_failure then
        perform write_audit_event(p_source.organization_id, 'rosterPull', 'server', null, null, null, 'rosterSource',
                                  null, jsonb_build_object('result', 'failed', 'failure', p_failure));
    end if;
end $$;

-- claim_roster_pull: a pull that is due and that no process does, with what it takes; no row if there is none. For
-- three minutes no other process does it, and longer as long as renew_roster_pull() is called. p_failing_limit: how
-- many sources whose last pull failed the caller still takes, so that providers that do not answer leave room for
-- others. A pull whose processes died three times is given up for the night. Where a secret is sealed with another key,
-- and no process with that key takes the pull within five minutes, the key counts as lost.
create or replace function claim_roster_pull(p_key_id text, p_failing_limit integer)
    returns table (organization_id uuid, claim_id uuid, url text, token_url text, client_id text, sealed_secret bytea)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    held roster_source;
begin
    for held in
        select s.* from roster_source as s
         where due_since(s) is not null and not is_at_rest(s.organization_id) and not is_ending(s.organization_id)
           and (s.key_id = p_key_id or due_since(s) < moment() - interval '5 minutes')
         order by s.failing_since nulls first, due_since(s) for update of s skip locked
    loop
        if held.key_id <> p_key_id then
            continue when exists (select from roster_source as s
                                   where s.key_id = held.key_id and s.claimed_until > moment());
            update roster_source set ordered_at = null where organization_id = held.organization_id;
            perform note_roster_failure(
                held, 'secret_lost',
                'No server has the key with which the client secret is sealed. Enter the secret again.', false, null);
            continue;
        end if;
        continue when held.failing_since is not null and p_failing_limit <= 0;
        if held.attempts >= 3 then
            update roster_source set ordered_at = null where organization_id = held.organization_id;
            perform note_roster_failure(held, 'interrupted', 'The server stopped three times during the pull.', false,
                                        null);
            continue;
        end if;
        return query
        update roster_source as s
           set claim_id = gen_random_uuid(), claimed_until = moment() + interval '3 minutes',
               attempts = held.attempts + 1, ordered_at = null, started_at = moment(), updated_at = moment()
         where s.organization_id = held.organization_id
        returning s.organization_id, s.claim_id, s.url, s.token_url, s.client_id, s.sealed_secret;
        return;
    end loop;
end $$;

-- renew_roster_pull: extends the caller's claim. Returns false if the claim has ended or another process holds it.
create or replace function renew_roster_pull(p_organization_id uuid, p_claim_id uuid) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update roster_source set claimed_until = moment() + interval '3 minutes'
     where organization_id = p_organization_id and claim_id = p_claim_id and not is_at_rest(p_organization_id);
    return found;
end $$;

-- finish_roster_pull: records that the pull became this import, which the caller adds in the same transaction. Returns
-- false if the caller has lost the claim; the caller must then add nothing.
create or replace function finish_roster_pull(p_organization_id uuid, p_claim_id uuid, p_import_id uuid)
    returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update roster_source
       set claim_id = null, claimed_until = moment(), attempts = 0, tries = 0, finished_at = moment(), failure = null,
           failure_detail = null, failing_since = null, last_import_id = p_import_id,
           next_pull_at = case when is_enabled then next_night(organization_id, pull_time) end, updated_at = moment()
     where organization_id = p_organization_id and claim_id = p_claim_id and not is_at_rest(p_organization_id);
    if not found then
        return false;
    end if;
    perform write_audit_event(p_organization_id, 'rosterPull', 'server', null, null, null, 'import',
                              p_import_id::text, jsonb_build_object('result', 'imported'));
    return true;
end $$;

-- fail_roster_pull: records that the pull failed. p_may_pass: whether another try may help. Returns false if the caller
-- has lost the claim.
create or replace function fail_roster_pull(p_organization_id uuid, p_claim_id uuid, p_failure text, p_detail text,
                                            p_may_pass boolean, p_retry_after integer) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    held roster_source;
begin
    select * into held from roster_source
     where organization_id = p_organization_id and claim_id = p_claim_id and not is_at_rest(p_organization_id)
       for update;
    if not found then
        return false;
    end if;
    perform note_roster_failure(held, p_failure, p_detail, p_may_pass, p_retry_after);
    return true;
end $$;
grant execute on function has_due_roster_pull(text), claim_roster_pull(text, integer),
    renew_roster_pull(uuid, uuid), finish_roster_pull(uuid, uuid, uuid),
    fail_roster_pull(uuid, uuid, text, text, boolean, integer) to school_server;

-- is_roster_failing (internal): whether the last pull failed, or what it brought; or none was made for two hours after
-- it was due. Never in an organization that is to be deleted, which gets no pulls.
create or replace function is_roster_failing(p_source roster_source) returns boolean
    language sql stable
    return not is_ending(p_source.organization_id)
       and (p_source.failing_since is not null
            or coalesce(due_since(p_source) < moment() - interval '2 hours', false)
            or exists (select from import as i
                        where i.organization_id = p_source.organization_id and i.import_id = p_source.last_import_id
                          and i.status = 'failed'));
