-- Functions of service accounts: how they get tokens, and what ends the tokens.

-- roster_scopes (internal): the scopes of OneRoster that tokens of roster readers may be limited to.
create or replace function roster_scopes() returns text[]
    language sql immutable parallel safe
    return array(select 'https://purl.imsglobal.org/spec/or/' || v || '/scope/' || s || '.readonly'
                   from unnest('{v1p1,v1p2}'::text[]) as v,
                        unnest('{roster,roster-core,roster-demographics,resource,resource-core}'::text[]) as s);

-- gradebook_scopes (internal): those of its gradebook. Who asks for no scope reads what was granted, and writes nothing.
create or replace function gradebook_scopes() returns text[]
    language sql immutable parallel safe
    return array(select 'https://purl.imsglobal.org/spec/or/' || v || '/scope/' || s
                   from unnest('{v1p1,v1p2}'::text[]) as v,
                        unnest('{gradebook.readonly,gradebook-core.readonly,gradebook.createput,gradebook.createpost,
                                 gradebook.delete}'::text[]) as s);

-- read_gradebook_scopes (internal): those for reading it, if an administrator granted the account a gradebook.
create or replace function read_gradebook_scopes(p_account service_account) returns text[]
    language sql stable
    return case when exists (
                    select from gradebook_grant as g
                     where g.organization_id = p_account.organization_id
                       and g.service_account_id = p_account.service_account_id)
                then array(select s from unnest(gradebook_scopes()) as s where s like '%.readonly')
                else '{}' end;

-- roster_api_scopes (internal): those of Apple's Roster API.
create or replace function roster_api_scopes() returns text[]
    language sql immutable parallel safe
    return '{edu.users.read,edu.classes.read}'::text[];

-- granted_service_scopes (internal): those of the wanted scopes that an account gets: its role alone, or what a roster
-- reader asks for of OneRoster and the Roster API. What OneRoster has beyond that is left out (RFC 6749 section 3.3).
-- Null: one is wrong.
create or replace function granted_service_scopes(p_role text, p_wanted text[]) returns text[]
    language sql immutable parallel safe
    return case when p_wanted <@ array[p_role] then array[p_role]
                when p_role = 'rosterReader'
                     and p_wanted && (roster_scopes() || gradebook_scopes() || roster_api_scopes()) and not exists (
                         select from unnest(p_wanted) as w
                          where w <> all (roster_api_scopes() || p_role)
                            and not starts_with(w, 'https://purl.imsglobal.org/spec/or/'))
                then array(select w from unnest(p_wanted) as w
                            where w = any (roster_scopes() || gradebook_scopes() || roster_api_scopes() || p_role))
           end;

-- issue_service_token: a token for a client that sends the secret with this digest. Returns 'issued', 'client'
-- (unknown, revoked, expired, or wrong secret), 'scope' or 'tooMany' (sixty a minute, so that a script that requests
-- a token before each call does not fill the table). A token ends with its account. The account is locked until the
-- token is stored: a concurrent revocation waits, and then revokes the token, too.
create or replace function issue_service_token(
    p_client_id uuid, p_secret_digest bytea, p_scopes text[], p_token_digest bytea,
    p_expires_at timestamptz, p_address text)
    returns table (outcome text, role text, expires_at timestamptz, scope text)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    account service_account;
    tenant  uuid;
    issued  access_token;
    granted text[];
begin
    select * into account from service_account as a
     where a.organization_id = organization_of_client(p_client_id) and a.service_account_id = p_client_id
       and a.secret_digest = p_secret_digest and a.revoked_at is null
       and (a.expires_at is null or a.expires_at > moment())
       for share;
    if not found then
        select a.organization_id into tenant from service_account as a
         where a.organization_id = organization_of_client(p_client_id) and a.service_account_id = p_client_id;
        if found then
            perform write_audit_event(tenant, 'signInFailure', 'server', null, null, p_address,
                                      'serviceAccount', p_client_id::text, '{}');
        else
            -- Waits for the disk in this case too, so that timing reveals nothing.
            perform pg_logical_emit_message(true, 'school', 'signInFailure');
        end if;
        return query select 'client', null, null::timestamptz, null;
        return;
    end if;
    granted := granted_service_scopes(account.role, p_scopes);
    if granted is null then
        return query select 'scope', null, null::timestamptz, null;
    elsif (select count(*) from access_token as t
            where t.organization_id = account.organization_id
              and t.service_account_id = account.service_account_id
              and t.created_at > moment() - interval '1 minute') >= 60 then
        return query select 'tooMany', null, null::timestamptz, null;
    else
        insert into access_token (organization_id, digest, standing, service_account_id, expires_at, scopes)
        values (account.organization_id, p_token_digest, account.role, account.service_account_id,
                least(p_expires_at, account.expires_at), case when not account.role = any (granted) then granted end)
        returning * into issued;
        perform set_config('school.service_account', account.service_account_id::text, true);
        perform write_audit_event(account.organization_id, 'signIn', 'server', null, null, p_address,
                                  'serviceAccount', account.service_account_id::text, '{}');
        return query select 'issued', account.role, issued.expires_at::timestamptz, array_to_string(
                                case when account.role = 'rosterReader' and issued.scopes is null
                                     then account.role || roster_scopes() || roster_api_scopes() || read_gradebook_scopes(account)
                                     else granted end, ' ');
    end if;
end $$;
grant execute on function issue_service_token(uuid, bytea, text[], bytea, timestamptz, text)
    to school_server;

-- is_service_secret: whether an account's secret has this digest. Servers of version 0.1.0 call it.
create or replace function is_service_secret(p_client_id uuid, p_secret_digest bytea) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from service_account
                    where organization_id = organization_of_client(p_client_id) and service_account_id = p_client_id
                      and secret_digest = p_secret_digest
                      and revoked_at is null and (expires_at is null or expires_at > moment()));
end $$;

-- is_client_secret: the same for service accounts and connected systems. Used for an address that sent many wrong ones,
-- where one more should not cause a write.
create or replace function is_client_secret(p_client_id uuid, p_secret_digest bytea) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return is_service_secret(p_client_id, p_secret_digest) or is_system_secret(p_client_id, p_secret_digest);
end $$;
grant execute on function is_service_secret(uuid, bytea), is_client_secret(uuid, bytea) to school_server;

-- end_service_tokens: ends an account's tokens when its secret changes or it is revoked, no matter who does that. What
-- a revoked account called people and classes says nothing to anybody.
create or replace function end_service_tokens() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update access_token set revoked_at = moment()
     where organization_id = new.organization_id and service_account_id = new.service_account_id
       and revoked_at is null;
    if new.revoked_at is not null then
        delete from external_id
         where organization_id = new.organization_id and service_account_id = new.service_account_id;
    end if;
    perform pg_notify('school_revocation', 'service-account:' || new.service_account_id);
    return null;
end $$;

create or replace trigger bump_version before update on service_account
    for each row execute function bump_version();
create or replace trigger end_service_tokens after update on service_account
    for each row when (new.secret_digest is distinct from old.secret_digest
                       or new.revoked_at is distinct from old.revoked_at)
    execute function end_service_tokens();

-- service_account_name: what an account of the caller's organization is called, for those who read what it did; null if
-- there is none.
create or replace function service_account_name(p_service_account_id uuid) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select a.name from service_account as a
             where a.organization_id = my_organization() and a.service_account_id = p_service_account_id);
end $$;
grant execute on function service_account_name(uuid) to school_directory_manager;
