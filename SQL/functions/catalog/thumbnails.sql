-- Functions of thumbnails: what a developer sends and removes, and how the server reads what was sent.
--
-- A picture is stored as it came until a worker has read it. Workers of several processes share the uploads. If one
-- dies, the others take over its upload, because only its transaction held it.

create or replace trigger bump_version before update on thumbnail
    for each row execute function bump_version();

-- bundles_of_thumbnail (internal): the bundle ids of a team whose contexts name a picture.
create or replace function bundles_of_thumbnail(p_organization_id uuid, p_team_id text, p_environment text,
                                                p_thumbnail_id text) returns text[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return array(
        select b.bundle_id from developer_bundle as b
         where b.organization_id = p_organization_id and b.team_id = p_team_id
           and exists (select from context as c
                        where c.organization_id = b.organization_id and c.environment = p_environment
                          and c.bundle_id = b.bundle_id and c.thumbnail_id = p_thumbnail_id
                          and c.deleted_at is null)
         order by b.bundle_id);
end $$;

-- accept_thumbnail: stores a picture to be read later; with null bytes it only checks. Returns 'accepted',
-- 'notReferenced' (no context of the team names it), or 'busy' (p_waiting_max pictures of the team are waiting
-- already).
create or replace function accept_thumbnail(
    p_status_id text, p_environment text, p_thumbnail_id text, p_bytes bytea, p_waiting_max bigint) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    if bundles_of_thumbnail(my_organization(), my_team(), p_environment, p_thumbnail_id) = '{}' then
        return 'notReferenced';
    elsif p_bytes is null then
        return 'accepted';
    elsif p_waiting_max <= (select count(*) from thumbnail_upload
                             where organization_id = my_organization() and team_id = my_team()
                               and state = 'pending') then
        return 'busy';
    end if;
    insert into thumbnail_upload (organization_id, status_id, team_id, environment, thumbnail_id, bytes)
    values (my_organization(), p_status_id, my_team(), p_environment, p_thumbnail_id, p_bytes);
    return 'accepted';
end $$;

-- remove_thumbnail: removes a picture, even one that waits to be read. False if there is none.
create or replace function remove_thumbnail(p_environment text, p_thumbnail_id text) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    is_found boolean;
begin
    -- Waits for a worker that is reading one of them.
    update thumbnail_upload
       set state = 'error', bytes = null, finished_at = moment(), error_code = 'THUMBNAIL_REMOVED',
           error_message = 'The image was removed before it was read.'
     where organization_id = my_organization() and team_id = my_team() and environment = p_environment
       and thumbnail_id = p_thumbnail_id and state = 'pending';
    is_found := found;
    delete from thumbnail as t
     where t.organization_id = my_organization() and t.environment = p_environment
       and t.thumbnail_id = p_thumbnail_id
       and exists (select from developer_bundle as b
                    where b.organization_id = t.organization_id and b.team_id = my_team()
                      and b.bundle_id = t.bundle_id);
    return is_found or found;
end $$;
grant execute on function accept_thumbnail(text, text, text, bytea, bigint), remove_thumbnail(text, text)
    to school_developer;

-- claim_thumbnail_upload: the oldest unclaimed picture; one sent for several organizations is read once. Of two for
-- the same id the later waits for the earlier. The claim lasts as long as the caller's transaction.
create or replace function claim_thumbnail_upload() returns table (status_id text, bytes bytea)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select u.status_id, u.bytes from thumbnail_upload as u
     where u.state = 'pending' and not is_at_rest(u.organization_id) and not exists (
           select from thumbnail_upload as e
            where e.state = 'pending'
              and (e.status_id = u.status_id and e.organization_id < u.organization_id
                      and not is_at_rest(e.organization_id)
                   or e.organization_id = u.organization_id and e.team_id = u.team_id
                      and e.environment = u.environment and e.thumbnail_id = u.thumbnail_id
                      and (e.created_at, e.status_id) < (u.created_at, u.status_id)))
     order by u.created_at, u.status_id limit 1 for update of u skip locked;
end $$;

-- finish_thumbnail_upload: stores the picture for every app whose contexts still name it, or records the failure
-- (p_error_code with null bytes). Null bytes without a code: the picture is too small, and is ignored.
create or replace function finish_thumbnail_upload(
    p_status_id text, p_media_type text, p_bytes bytea, p_error_code text, p_error_message text) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    upload  record;
    bundles text[];
begin
    for upload in
        select * from thumbnail_upload
         where status_id = p_status_id and state = 'pending' and not is_at_rest(organization_id)
         order by organization_id for update loop
        -- Contexts cannot stop naming it meanwhile: publishing locks the same rows.
        perform from developer_bundle as b
          where b.organization_id = upload.organization_id and b.team_id = upload.team_id
          order by b.bundle_id for no key update;
        bundles := bundles_of_thumbnail(upload.organization_id, upload.team_id, upload.environment,
                                        upload.thumbnail_id);
        insert into thumbnail as t (organization_id, environment, bundle_id, thumbnail_id, media_type, bytes)
        select upload.organization_id, upload.environment, b, upload.thumbnail_id, p_media_type, p_bytes
          from unnest(bundles) as b where p_bytes is not null
            on conflict on constraint thumbnail_pkey
            do update set media_type = excluded.media_type, bytes = excluded.bytes;
        update thumbnail_upload as u
           set bytes = null, finished_at = moment(),
               state = case when p_error_code is null and bundles <> '{}' then 'complete' else 'error' end,
               error_code = case when p_error_code is null and bundles = '{}' then 'THUMBNAIL_NOT_REFERENCED'
                                 else p_error_code end,
               error_message = case when p_error_code is null and bundles = '{}'
                                    then 'No context names the image any more.' else p_error_message end
         where u.organization_id = upload.organization_id and u.status_id = upload.status_id;
    end loop;
end $$;

-- remove_outdated_thumbnail_uploads (internal): the outcome of an upload is kept for a day. Removes at most p_limit
-- and returns how many.
create or replace function remove_outdated_thumbnail_uploads(p_limit integer) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    removed bigint;
begin
    delete from thumbnail_upload where ctid = any (array(
        select ctid from thumbnail_upload
         where state <> 'pending' and finished_at <= (select removal_moment()) - interval '1 day' and not is_at_rest(organization_id)
         limit p_limit for update skip locked));
    get diagnostics removed = row_count;
    return removed;
end $$;

-- has_waiting_thumbnails: whether a worker must look again later, because others hold what waits: another worker, which
-- may die, or a call of the person whose app sent the picture.
create or replace function has_waiting_thumbnails() returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from thumbnail_upload as u where u.state = 'pending' and not is_at_rest(u.organization_id))
        or exists (select from native_thumbnail as t
                    where t.sent_bytes is not null and not is_at_rest(t.organization_id));
end $$;
grant execute on function claim_thumbnail_upload(), finish_thumbnail_upload(text, text, bytea, text, text),
    has_waiting_thumbnails() to school_server;
