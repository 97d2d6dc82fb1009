-- Functions of the keys that sign ID tokens.
--
-- The server makes a key when none is there, and after 90 days the next one. That is published for a day before it
-- signs, so that systems which keep the published keys for hours know it. All processes use the key that the database
-- names.

-- signing_key_is_due (internal): whether the next key has to be made.
create or replace function signing_key_is_due() returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return not exists (select from signing_key where created_at > now() - interval '90 days');
end $$;

-- current_signing_key: the key that signs now; no row if there is none. is_due: the server has to make the next one.
create or replace function current_signing_key()
    returns table (key_id text, private_key text, is_due boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select k.key_id, k.private_key, signing_key_is_due() from signing_key as k
     where k.signs_from <= now() order by k.signs_from desc, k.key_id limit 1;
end $$;

-- offer_signing_key: takes a key that a server made, unless another one was faster. The first signs at once.
create or replace function offer_signing_key(p_key_id text, p_private_key text, p_public_key text) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    lock table signing_key in share row exclusive mode;
    insert into signing_key (key_id, private_key, public_key, signs_from)
    select p_key_id, p_private_key, p_public_key,
           moment() + case when exists (select from signing_key) then interval '1 day' else interval '0' end
     where signing_key_is_due();
end $$;

-- published_signing_keys: the public keys that sign, will sign, or signed less than a day ago.
create or replace function published_signing_keys() returns table (key_id text, public_key text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select k.key_id, k.public_key from signing_key as k
     where not is_former_signing_key(k.signs_from) order by k.signs_from desc, k.key_id;
end $$;

-- is_former_signing_key (internal): whether a key has not signed for a day, because a later one does.
create or replace function is_former_signing_key(p_signs_from timestamptz) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from signing_key
                    where signs_from > p_signs_from and signs_from <= now() - interval '1 day');
end $$;

-- forget_signing_keys (internal): removes the keys that no ID token needs any more.
create or replace function forget_signing_keys() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    delete from signing_key where is_former_signing_key(signs_from);
end $$;
grant execute on function current_signing_key(), offer_signing_key(text, text, text), published_signing_keys()
    to school_server;
