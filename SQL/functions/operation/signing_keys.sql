-- Functions of the keys with which the deployment signs: ID tokens, and messages to tools.
--
-- The server makes a key for each purpose when none is there, and after 90 days the next one. That is published for a
-- day before it signs, so that systems which keep the published keys for hours know it. All processes use the key that
-- the database names.

-- signing_key_is_due (internal): whether the next key for a purpose has to be made.
create or replace function signing_key_is_due(p_purpose text) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return not exists (select from signing_key
                        where purpose = p_purpose and created_at > moment() - interval '90 days');
end $$;

-- current_signing_key: the key that signs now; no row if there is none. is_due: the server has to make the next one.
create or replace function current_signing_key(p_purpose text)
    returns table (key_id text, private_key text, is_due boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select k.key_id, k.private_key, signing_key_is_due(p_purpose) from signing_key as k
     where k.purpose = p_purpose and k.signs_from <= moment() order by k.signs_from desc, k.key_id limit 1;
end $$;

-- offer_signing_key: takes a key that a server made, unless another one was faster. The first signs at once.
create or replace function offer_signing_key(p_purpose text, p_key_id text, p_private_key text, p_public_key jsonb)
    returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    lock table signing_key in share row exclusive mode;
    insert into signing_key (key_id, purpose, private_key, public_key, signs_from)
    select p_key_id, p_purpose, p_private_key, p_public_key,
           moment() + case when exists (select from signing_key where purpose = p_purpose) then interval '1 day'
                           else interval '0' end
     where signing_key_is_due(p_purpose);
end $$;

-- is_former_signing_key (internal): whether a key had not signed for a day at the given moment, because a later one did.
create or replace function is_former_signing_key(p_purpose text, p_signs_from timestamptz, p_at timestamptz)
    returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from signing_key
                    where purpose = p_purpose and signs_from > p_signs_from
                      and signs_from <= p_at - interval '1 day');
end $$;

-- published_signing_keys: the public keys that sign, will sign, or signed less than a day ago.
create or replace function published_signing_keys(p_purpose text) returns table (key_id text, public_key jsonb)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select k.key_id, k.public_key from signing_key as k
     where k.purpose = p_purpose and not is_former_signing_key(k.purpose, k.signs_from, moment())
     order by k.signs_from desc, k.key_id;
end $$;

-- forget_signing_keys (internal): removes the keys that nothing signed needs any more.
create or replace function forget_signing_keys() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    delete from signing_key where is_former_signing_key(purpose, signs_from, removal_moment());
end $$;
grant execute on function current_signing_key(text), offer_signing_key(text, text, text, jsonb),
    published_signing_keys(text) to school_server;
