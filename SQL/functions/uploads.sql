-- Functions of uploads: the inbox of what apps report, and how it is stored.
--
-- An app's call inserts one row by take_upload() and nothing else. The server's workers ask for pending_uploads(),
-- claim one upload of a person after the other by claim_upload(), and store it by store_upload() in the same
-- transaction. Several processes share the work: whoever stores for a person holds the person's row.

set local role school_owner;
set local search_path = school, pg_temp;

-- take_upload: keeps what an app sent until a worker stores it. The same work for everybody.
create or replace function take_upload(p_kind text, p_document jsonb) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into upload (organization_id, person_id, upload_id, kind, environment, bundle_id, document, position,
                        arrived_at)
    select p.organization_id, p.person_id, new_id(), p_kind, my_environment(), my_app(), p_document,
           (extract(epoch from clock_timestamp()) * 1000000)::bigint, moment()
      from person as p
     where p.organization_id = my_organization() and p.person_id = my_person();
end $$;
grant execute on function take_upload(text, jsonb) to school_app;

-- pending_uploads: whose uploads wait: of each organization up to p_each people, those who have waited longest. In
-- turn by organization, so that one with many uploads keeps no other waiting; in chance order within a turn, so
-- that workers do not ask for the same person.
create or replace function pending_uploads(p_each integer)
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
             where u.failed_at is null and (u.retry_at is null or u.retry_at <= now())
             group by u.organization_id, u.person_id) as w
     where w.turn <= p_each
     order by w.turn, random();
end $$;

-- claim_upload: the next upload of a person, to be stored in this transaction. No row: there is none, or somebody
-- holds the organization, the person or the upload; who claims waits for nobody, and so blocks nobody.
--
-- Rows are locked in the order in which a pause and an erasure lock them. The commit is not waited for: should it be
-- lost with the power, so is the removal of the upload, which is then stored again.
create or replace function claim_upload(p_organization_id uuid, p_person_id uuid) returns table (upload_id uuid)
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
       and (u.retry_at is null or u.retry_at <= now())
     order by u.position, u.upload_id
     limit 1 for update skip locked;
end $$;

-- store_upload: stores an upload that this transaction has claimed, and takes it out of the inbox.
create or replace function store_upload(p_organization_id uuid, p_person_id uuid, p_upload_id uuid) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    taken upload;
begin
    delete from upload
     where organization_id = p_organization_id and person_id = p_person_id and upload_id = p_upload_id
    returning * into taken;
    if not found then
        return;
    end if;
    if taken.kind = 'activities' then
        perform store_activities(p_organization_id, p_person_id, taken.bundle_id, taken.environment,
                                 taken.arrived_at, taken.document);
    else
        perform complete_assignments(p_organization_id, p_person_id, taken.bundle_id, taken.environment,
                                     taken.arrived_at, taken.document);
    end if;
end $$;

-- note_upload_failure: storing did not succeed. Where it might another time it is tried again, each time after twice as
-- long; at the tenth time, or where it never will, the upload is kept aside.
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

-- retry_failed_uploads: gives what was kept aside another chance; for a server that starts, which may be a version
-- that can store it.
create or replace function retry_failed_uploads() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update upload set failed_at = null, retry_at = null, attempts = 0 where failed_at is not null;
end $$;

-- upload_backlog: what each organization has in the inbox. Of nobody by name: for metrics, and for the limit.
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

grant execute on function pending_uploads(integer), claim_upload(uuid, uuid), store_upload(uuid, uuid, uuid),
    note_upload_failure(uuid, uuid, uuid, text, boolean), retry_failed_uploads(), upload_backlog() to school_server;

-- forget_uploads (internal): activities of one student that are not stored yet, or of everybody with null.
create or replace function forget_uploads(p_organization_id uuid, p_person_id uuid) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    delete from upload
     where organization_id = p_organization_id and (p_person_id is null or person_id = p_person_id)
       and kind = 'activities';
end $$;
