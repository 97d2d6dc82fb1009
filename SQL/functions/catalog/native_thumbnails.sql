-- Functions of the pictures of native contexts: what an app sends and removes, and how the server reads what was
-- sent. As with the catalog's, a picture is stored as it came until a worker has read it.

-- accept_native_thumbnail: keeps a picture of a context that the calling app saved for the person, to be read later;
-- with null bytes it only checks. Returns 'accepted', 'unknown' (nothing is saved at the path), 'full' (p_count_max
-- other contexts of the app have a picture), or 'busy' (p_waiting_max pictures of the person are waiting already).
create or replace function accept_native_thumbnail(
    p_path text[], p_bytes bytea, p_count_max bigint, p_waiting_max bigint) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    picture_of constant uuid := own_context(p_path);
begin
    if picture_of is null then
        return 'unknown';
    elsif p_bytes is null then
        return 'accepted';
    elsif p_count_max <= (
        select count(*) from context as c
          join native_thumbnail as t on t.organization_id = c.organization_id and t.context_id = c.context_id
         where c.organization_id = my_organization() and c.person_id = my_person()
           and c.environment = my_environment() and c.bundle_id = my_app() and c.kind = 'native'
           and c.context_id <> picture_of) then
        return 'full';
    elsif p_waiting_max <= (
        select count(*) from context as c
          join native_thumbnail as t on t.organization_id = c.organization_id and t.context_id = c.context_id
         where c.organization_id = my_organization() and c.person_id = my_person() and c.kind = 'native'
           and t.sent_bytes is not null and c.context_id <> picture_of) then
        return 'busy';
    end if;
    insert into native_thumbnail as t (organization_id, context_id, sent_bytes)
    values (my_organization(), picture_of, p_bytes)
        on conflict on constraint native_thumbnail_pkey
        do update set sent_bytes = excluded.sent_bytes, sent_at = moment();
    return 'accepted';
end $$;

-- own_context (internal): what the calling app saved for the person at a path; null if nothing.
create or replace function own_context(p_path text[]) returns uuid
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select c.context_id from context as c
             where c.organization_id = my_organization() and c.person_id = my_person()
               and c.environment = my_environment() and c.bundle_id = my_app()
               and c.identifier_path = p_path and c.kind = 'native' and c.deleted_at is null);
end $$;

-- remove_native_thumbnail: removes the picture of a context that the calling app saved for the person, even one that
-- waits to be read.
create or replace function remove_native_thumbnail(p_path text[]) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform lock_contexts(my_organization(), my_person());
    delete from native_thumbnail
     where organization_id = my_organization() and context_id = own_context(p_path);
    update context set thumbnail_id = null
     where organization_id = my_organization() and context_id = own_context(p_path)
       and thumbnail_id is not null;
end $$;

-- context_for_app: the context that the calling app finds at a path: the one saved for the person, else the
-- catalog's in the best locale, else one that a handout assigns to the person. Null if there is none.
create or replace function context_for_app(p_path text[], p_languages text[]) returns uuid
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select c.context_id from contexts_of_app(my_organization(), p_path, null) as c
             where c.identifier_path = p_path
             order by c.rank, locale_distance(c.locale, c.presentable_locales, p_languages), c.locale, c.context_id
             limit 1);
end $$;
grant execute on function accept_native_thumbnail(text[], bytea, bigint, bigint), remove_native_thumbnail(text[]),
    context_for_app(text[], text[]) to school_app;

-- claim_native_thumbnail: the oldest unclaimed picture. The claim lasts as long as the caller's transaction, and
-- holds the lock that saving and removing take first, so that they wait for each other in one order only.
create or replace function claim_native_thumbnail()
    returns table (organization_id uuid, context_id uuid, bytes bytea)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    candidate record;
begin
    for candidate in
        select t.organization_id, t.context_id, c.person_id
          from native_thumbnail as t
          join context as c on c.organization_id = t.organization_id and c.context_id = t.context_id
         where t.sent_bytes is not null and not is_at_rest(t.organization_id)
         order by t.sent_at, t.context_id limit 100 loop
        continue when not pg_try_advisory_xact_lock(
            hashtextextended(concat('contexts ', candidate.organization_id, candidate.person_id), 0));
        return query
        select t.organization_id, t.context_id, t.sent_bytes from native_thumbnail as t
         where t.organization_id = candidate.organization_id and t.context_id = candidate.context_id
           and t.sent_bytes is not null for update skip locked;
        if found then
            return;
        end if;
    end loop;
end $$;

-- finish_native_thumbnail: stores the picture that was read; null bytes: what was sent is not a picture, and the one
-- before it stays.
create or replace function finish_native_thumbnail(
    p_organization_id uuid, p_context_id uuid, p_media_type text, p_bytes bytea) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    if p_bytes is null then
        delete from native_thumbnail
         where organization_id = p_organization_id and context_id = p_context_id and bytes is null;
        update native_thumbnail set sent_bytes = null
         where organization_id = p_organization_id and context_id = p_context_id;
        return;
    end if;
    update native_thumbnail set media_type = p_media_type, bytes = p_bytes, sent_bytes = null
     where organization_id = p_organization_id and context_id = p_context_id;
    -- A name that nobody can guess: developers learn whether contexts name a picture.
    update context set thumbnail_id = gen_random_uuid()::text
     where organization_id = p_organization_id and context_id = p_context_id;
end $$;
grant execute on function claim_native_thumbnail(), finish_native_thumbnail(uuid, uuid, text, bytea)
    to school_server;
