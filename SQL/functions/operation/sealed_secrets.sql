-- Functions of secrets that are sealed with a key which is not in the database: the server seals what an earlier
-- version stored as it was. Of an organization that is at rest nothing changes.

-- all_secrets (internal): every secret that has to be sealed, with the key of those that are. Of a former secret that
-- signs no more, only what is not sealed.
create or replace function all_secrets()
    returns table (organization_id uuid, kind text, id uuid, issuer text, secret bytea, key_id text)
    language sql stable
    set search_path = school, pg_temp
begin atomic
    select p.organization_id, 'signInProvider', p.sign_in_provider_id, p.issuer, convert_to(p.client_secret, 'UTF8'),
           p.key_id
      from sign_in_provider as p
    union all
    select w.organization_id, 'webhook', w.webhook_id, null, w.secret, w.key_id from webhook as w
    union all
    select w.organization_id, 'formerWebhook', w.webhook_id, null, w.former_secret, w.former_key_id
      from webhook as w where w.former_until > moment() or w.former_secret is not null
    union all
    select s.organization_id, 'rosterSource', s.organization_id, null, null, s.key_id from roster_source as s;
end;

-- unsealed_secrets: a hundred secrets that are stored as they are; none once a server has sealed all.
create or replace function unsealed_secrets()
    returns table (organization_id uuid, kind text, id uuid, issuer text, secret bytea)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select s.organization_id, s.kind, s.id, s.issuer, s.secret from all_secrets() as s
     where s.secret is not null and not is_at_rest(s.organization_id) limit 100;
end $$;

-- seal_secret: replaces a plain secret with the sealed one. False if the plain one has changed or is gone.
create or replace function seal_secret(
    p_organization_id uuid, p_kind text, p_id uuid, p_secret bytea, p_sealed bytea, p_key_id text) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    if is_at_rest(p_organization_id) then
        return false;
    elsif p_kind = 'signInProvider' then
        update sign_in_provider set client_secret = null, sealed_secret = p_sealed, key_id = p_key_id
         where organization_id = p_organization_id and sign_in_provider_id = p_id
           and convert_to(client_secret, 'UTF8') = p_secret;
    elsif p_kind = 'webhook' then
        update webhook set secret = null, sealed_secret = p_sealed, key_id = p_key_id
         where organization_id = p_organization_id and webhook_id = p_id and secret = p_secret;
    elsif p_kind = 'formerWebhook' then
        update webhook set former_secret = null, sealed_former_secret = p_sealed, former_key_id = p_key_id
         where organization_id = p_organization_id and webhook_id = p_id and former_secret = p_secret;
    else
        return false;
    end if;
    return found;
end $$;

-- keys_of_secrets: with which keys secrets are sealed, and how many with each, for homeroom doctor; null: not sealed.
create or replace function keys_of_secrets() returns table (key_id text, total bigint)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select s.key_id, count(*) from all_secrets() as s where not is_at_rest(s.organization_id)
     group by s.key_id order by s.key_id;
end $$;
grant execute on function unsealed_secrets(), seal_secret(uuid, text, uuid, bytea, bytea, text), keys_of_secrets()
    to school_server;
