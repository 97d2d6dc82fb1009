-- Functions of uploads: the inbox of what apps report, and how it is stored.
--
-- An app's call inserts one row with take_upload() and does nothing else. The server's workers ask for
-- pending_uploads(), claim the uploads of one person at a time with claim_uploads(), and store them with
-- store_uploads() in the same transaction. Several processes share the work: a worker that stores for a person holds
-- the lock on the person's row.

-- take_upload: keeps what an app sent until a worker stores it. Does the same work for every person. Nobody passes for
-- a tool by signing in with its name as a bundle id: no task has the name under which that is kept. The position is an
-- order of arrival, not a time: it reads the clock itself.
create or replace function take_upload(p_kind text, p_document jsonb) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into upload (organization_id, person_id, upload_id, kind, environment, bundle_id, document, position,
                        arrived_at)
    select p.organization_id, p.person_id, new_id(), p_kind, my_environment(),
           case when starts_with(my_app(), 'tool:') then 'app:' || my_app() else my_app() end, p_document,
           (extract(epoch from clock_timestamp()) * 1000000)::bigint, moment()
      from person as p
     where p.organization_id = my_organization() and p.person_id = my_person();
end $$;
grant execute on function take_upload(text, jsonb) to school_app;

-- pending_uploads: whose uploads are waiting: of each organization up to p_each people, those who have waited
-- longest, without those in p_resting. Organizations take turns, so that one with many uploads does not delay the
-- others. Within a turn the order is random, so that workers do not ask for the same person.
create or replace function pending_uploads(p_each integer, p_resting uuid[] default '{}')
    returns table (organization_id uuid, person_id uuid)
    language plpgsql stable security definer rows 10
    set search_path = school, pg_temp set jit = off as $$
#variable_conflict use_column
begin
    return query
    select w.organization_id, w.person_id
      from (select u.organization_id, u.person_id,
                   row_number() over (partition by u.organization_id order by min(u.position)) as turn
              from upload as u
             where u.failed_at is null and (u.retry_at is null or u.retry_at <= moment())
               and u.person_id <> all (p_resting) and not is_at_rest(u.organization_id)
             group by u.organization_id, u.person_id) as w
     where w.turn <= p_each
     order by w.turn, random();
end $$;

-- claim_uploads: a person's next uploads, at most p_count, for this transaction to store. Returns no row if there are
-- none or if another transaction has locked the organization, the person or the upload. It never waits for a lock.
--
-- Rows are locked in the order in which a pause and an erasure lock them. The commit does not wait for the disk: if a
-- power failure loses it, the removal of the uploads is lost as well, and they are stored again.
create or replace function claim_uploads(p_organization_id uuid, p_person_id uuid, p_count integer)
    returns table (upload_id uuid)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    perform set_config('synchronous_commit', 'off', true);
    perform from organization where organization_id = p_organization_id for share skip locked;
    if not found then
        return;
    end if;
    perform from person where organization_id = p_organization_id and person_id = p_person_id
        for no key update skip locked;
    if not found then
        return;
    end if;
    return query
    select u.upload_id from upload as u
     where u.organization_id = p_organization_id and u.person_id = p_person_id and u.failed_at is null
       and (u.retry_at is null or u.retry_at <= moment())
     order by u.position, u.upload_id
     limit p_count for update skip locked;
end $$;

-- store_uploads: stores the first of these uploads, which this transaction has claimed, together with the ones after
-- it that are alike, because that costs less. Removes them from the inbox and returns how many they were.
--
-- Uploads are alike if they hold activities of the same app in the same environment, up to the limit of one upload.
-- No two of them may report the same activity, because what a part counts for depends on what is stored before it. An
-- upload that failed before is stored by itself, to show which one fails.
create or replace function store_uploads(p_organization_id uuid, p_person_id uuid, p_upload_ids uuid[]) returns integer
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    first     upload;
    next      upload;
    taken     uuid[] := '{}';
    ids       uuid[] := '{}';
    next_ids  uuid[];
    bytes     integer := 0;
    arrived   timestamptz[];
    documents jsonb[];
begin
    for next in
        select u.* from upload as u
         where u.organization_id = p_organization_id and u.person_id = p_person_id and u.upload_id = any (p_upload_ids)
         order by u.position, u.upload_id
    loop
        if taken = '{}' then
            first := next;
        else
            exit when first.kind <> 'activities' or first.attempts > 0 or next.attempts > 0
                or (next.kind, next.environment, next.bundle_id)
                   is distinct from (first.kind, first.environment, first.bundle_id);
        end if;
        bytes := bytes + pg_column_size(next.document);
        next_ids := array(select (a ->> 'id')::uuid from jsonb_array_elements(next.document) as a
                           where next.kind = 'activities');
        exit when taken <> '{}'
            and (bytes > 1048576 or cardinality(ids) + cardinality(next_ids) > 500 or next_ids && ids);
        ids       := ids || next_ids;
        taken     := taken || next.upload_id;
        arrived   := arrived || next.arrived_at;
        documents := documents || next.document;
    end loop;
    delete from upload
     where organization_id = p_organization_id and person_id = p_person_id and upload_id = any (taken);
    if first.kind = 'activities' then
        perform store_activities(p_organization_id, p_person_id, first.bundle_id, first.environment, arrived,
                                 documents);
    elsif first.kind = 'completion' then
        perform complete_assignments(p_organization_id, p_person_id, first.bundle_id, first.environment,
                                     first.arrived_at, first.document);
    end if;
    return cardinality(taken);
end $$;

-- note_upload_failure: storing failed. If it may succeed later, it is tried again, each time after twice as long. At
-- the tenth failure, or if it can never succeed, the upload is set aside.
create or replace function note_upload_failure(
    p_organization_id uuid, p_person_id uuid, p_upload_id uuid, p_failure text, p_is_final boolean) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update upload
       set attempts  = attempts + 1,
           failure   = p_failure,
           retry_at  = moment() + interval '100 milliseconds' * 2 ^ attempts,
           failed_at = case when p_is_final or attempts >= 9 then moment() end
     where organization_id = p_organization_id and person_id = p_person_id and upload_id = p_upload_id;
end $$;

-- retry_failed_uploads: retries what was set aside; for a server that starts, which may be a version that can store
-- it.
create or replace function retry_failed_uploads() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update upload set failed_at = null, retry_at = null, attempts = 0 where failed_at is not null;
end $$;

-- upload_backlog: how much each organization has in the inbox, without names: for metrics, and for the limit.
create or replace function upload_backlog()
    returns table (organization_id uuid, pending bigint, pending_bytes bigint, oldest_at timestamptz, failed bigint)
    language plpgsql stable security definer rows 10
    set search_path = school, pg_temp set jit = off as $$
#variable_conflict use_column
begin
    return query
    select u.organization_id, count(*) filter (where u.failed_at is null),
           (sum(pg_column_size(u.document)) filter (where u.failed_at is null))::bigint,
           (min(u.arrived_at) filter (where u.failed_at is null))::timestamptz,
           count(*) filter (where u.failed_at is not null)
      from upload as u
     group by u.organization_id;
end $$;

grant execute on function pending_uploads(integer, uuid[]), claim_uploads(uuid, uuid, integer),
    store_uploads(uuid, uuid, uuid[]), note_upload_failure(uuid, uuid, uuid, text, boolean), retry_failed_uploads(),
    upload_backlog() to school_server;

-- forget_uploads (internal): deletes activities not yet stored, of one student, or of all if null.
create or replace function forget_uploads(p_organization_id uuid, p_person_id uuid) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    delete from upload
     where organization_id = p_organization_id and (p_person_id is null or person_id = p_person_id)
       and kind = 'activities';
end $$;
