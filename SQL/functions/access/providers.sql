-- Functions of access: signing in with another system. The server verifies what the system says; whose sign-in it is,
-- and whether it may be, is decided here.

-- offering_organization (internal): the organization with a domain; without a domain, the only one of this deployment,
-- and null if there are more.
create or replace function offering_organization(p_domain text) returns uuid
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    tenants uuid[];
begin
    if p_domain is null then
        tenants := array(select o.organization_id from organization as o
                          where not exists (select from development_directory as d
                                             where d.development_id = o.organization_id) limit 2);
    else
        tenants := array(select d.organization_id from domain_directory as d where d.domain = lower(p_domain));
    end if;
    return case when cardinality(tenants) = 1 then tenants[1] end;
end $$;

-- offered_providers: the sign-in providers of that organization. Anyone may know them: they are on the page for signing
-- in.
create or replace function offered_providers(p_domain text) returns table (id uuid, name text, kind text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    -- Not tenant, which is a column of theirs.
    offering constant uuid := offering_organization(p_domain);
begin
    if offering is not null then
        perform refuse_elsewhere(offering);
    end if;
    return query
    select p.sign_in_provider_id, p.name, p.kind from sign_in_provider as p
     where p.organization_id = offering
     order by p.sign_in_provider_id;
end $$;

-- are_providers_by_domain: whether some organization has a sign-in provider, and there are several organizations, so that
-- people have to say which is theirs.
create or replace function are_providers_by_domain() returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from sign_in_provider)
       and exists (select from organization as o
                    where not exists (select from development_directory as d
                                       where d.development_id = o.organization_id) offset 1);
end $$;

-- find_sign_in_provider: what the server needs to ask a provider; no row if the provider does not exist.
create or replace function find_sign_in_provider(p_id uuid)
    returns table (kind text, issuer text, tenant text, client_id text, client_secret text, organization_id uuid,
                   sealed_secret bytea)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select p.kind, p.issuer, p.tenant, p.client_id, p.client_secret, p.organization_id, p.sealed_secret
      from sign_in_provider as p
     where p.organization_id = organization_of_client(p_id) and p.sign_in_provider_id = p_id;
end $$;

-- person_of_account (internal): whose account at a provider it is, or why it is nobody's: 'unverifiedEmail',
-- 'foreignDomain', 'unknownPerson', or 'otherAccount' if the person signs in with another account there.
--
-- p_email is an address that the provider has verified; null if it has not. It counts even for an account that is
-- linked, so that what a school allows is also what happens to those who were there before.
create or replace function person_of_account(
    provider sign_in_provider, p_subject text, p_email text, out person_id uuid, out reason text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    address constant text   := lower(p_email);
    domains constant text[] := case when cardinality(provider.email_domains) > 0 then provider.email_domains
        else array(select domain from organization_domain where organization_id = provider.organization_id) end;
    found_ids uuid[];
begin
    if address is null then
        reason := 'unverifiedEmail';
        return;
    elsif split_part(address, '@', 2) <> all (domains) or address !~ '^[^@]+@[^@]+$' then
        reason := 'foreignDomain';
        return;
    end if;
    select l.person_id into person_id from sign_in_link as l
     where l.organization_id = provider.organization_id and l.sign_in_provider_id = provider.sign_in_provider_id
       and l.subject = p_subject;
    if found then
        return;
    elsif provider.matching = 'managedId' then
        found_ids := array(
            select p.person_id from managed_id_directory as d
              join person as p on p.organization_id = d.organization_id and p.person_id = d.person_id
                              and p.managed_id_key = d.managed_id
             where d.organization_id = provider.organization_id and d.managed_id = address);
    else
        -- An address that two people have says nothing.
        found_ids := array(select p.person_id from person as p
                            where p.organization_id = provider.organization_id and lower(p.email) = address
                              and p.deactivated_at is null limit 2);
    end if;
    if cardinality(found_ids) <> 1 then
        reason := 'unknownPerson';
    else
        person_id := found_ids[1];
        if exists (select from sign_in_link as l
                    where l.organization_id = provider.organization_id and l.person_id = found_ids[1]
                      and l.sign_in_provider_id = provider.sign_in_provider_id) then
            reason := 'otherAccount';
        end if;
    end if;
end $$;

-- tell_new_link (internal): tells a person about a newly linked account, if he or she has signed in before.
create or replace function tell_new_link(provider sign_in_provider, p_subject text, p_person_id uuid) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    if has_signed_in(provider.organization_id, p_person_id)
       and not exists (select from sign_in_link as l
                        where l.organization_id = provider.organization_id and l.subject = p_subject
                          and l.sign_in_provider_id = provider.sign_in_provider_id) then
        perform tell_sign_in_changes(provider.organization_id, 'link', array[p_person_id],
                                     provider.sign_in_provider_id);
    end if;
end $$;

-- sign_in_with_provider: a browser's session for the account that a provider vouches for; no row if it is nobody's who
-- may sign in, which an audit event explains. A lock after wrong passwords holds here, too, while passwords
-- count. A temporary password stays as it is, and need not be changed: nobody typed it.
create or replace function sign_in_with_provider(
    p_provider_id uuid, p_subject text, p_email text, p_session_id uuid, p_access_digest bytea, p_address text,
    p_is_shared boolean, p_user_agent text)
    returns table (must_change_password boolean, person json, idle_seconds integer, subject text)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    provider sign_in_provider;
    account  record;
    refusal  text;
    idle     integer;
begin
    -- One sign-in of a provider at a time decides whose account it is, so that no two make different links.
    select * into provider from sign_in_provider
     where organization_id = organization_of_client(p_provider_id) and sign_in_provider_id = p_provider_id
       for no key update;
    if not found then
        return;
    end if;
    account := person_of_account(provider, p_subject, p_email);
    refusal := coalesce(account.reason, (
        select case when p.deactivated_at is not null then 'deactivated'
                    when c.locked_until > moment() and uses_password(p.organization_id, p.person_id) then 'locked' end
          from person as p
          left join credential as c on c.organization_id = p.organization_id and c.person_id = p.person_id
         where p.organization_id = provider.organization_id and p.person_id = account.person_id));
    if refusal is not null then
        perform write_audit_event(provider.organization_id, 'signInFailure', 'server', account.person_id, null, p_address,
                                  'person', account.person_id::text, jsonb_build_object(
                                      'providerId', p_provider_id, 'reason', refusal));
        return;
    end if;
    idle := browser_idle_seconds(provider.organization_id, account.person_id, p_is_shared);
    perform tell_new_link(provider, p_subject, account.person_id);
    insert into sign_in_link as l (organization_id, sign_in_provider_id, subject, person_id)
    values (provider.organization_id, p_provider_id, p_subject, account.person_id)
    on conflict on constraint sign_in_link_pkey do update set last_sign_in_at = moment();
    update credential set last_sign_in_at = moment()
     where organization_id = provider.organization_id and person_id = account.person_id;
    perform note_first_sign_in(provider.organization_id, account.person_id);
    insert into session (organization_id, session_id, person_id, kind, idle_seconds, user_agent, address, started_at,
                         last_used_at)
    values (provider.organization_id, p_session_id, account.person_id, 'browser', idle, nullif(p_user_agent, ''),
            p_address, moment(), moment());
    insert into access_token (organization_id, digest, session_id, person_id, expires_at)
    values (provider.organization_id, p_access_digest, p_session_id, account.person_id,
            moment() + make_interval(secs => idle));
    perform write_audit_event(provider.organization_id, 'signIn', 'server', account.person_id, null, p_address,
                              'session', p_session_id::text, jsonb_build_object('providerId', p_provider_id));
    return query select false, describe_person(provider.organization_id, account.person_id), idle, null::text;
end $$;

-- record_failed_provider: writes an event about an answer of a provider that proved nothing, with a word for why.
create or replace function record_failed_provider(p_provider_id uuid, p_reason text, p_address text) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform write_audit_event(p.organization_id, 'signInFailure', 'server', null, null, p_address, 'signInProvider',
                              p_provider_id::text, jsonb_build_object('reason', p_reason))
       from sign_in_provider as p
      where p.organization_id = organization_of_client(p_provider_id) and p.sign_in_provider_id = p_provider_id;
end $$;

grant execute on function
    offered_providers(text), are_providers_by_domain(), find_sign_in_provider(uuid),
    sign_in_with_provider(uuid, text, text, uuid, bytea, text, boolean, text), record_failed_provider(uuid, text, text)
    to school_server;

-- forget_sign_in_links: forgets with which accounts a person signs in, so that the next may be others. Returns what
-- sessions_outcome() returns.
create or replace function forget_sign_in_links(p_person_id uuid) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    outcome constant text := sessions_outcome(p_person_id);
begin
    if outcome = 'allowed' and not may_become('link', p_person_id) then
        return 'forbidden';
    elsif outcome = 'allowed' then
        delete from sign_in_link where organization_id = my_organization() and person_id = p_person_id;
        if found then
            perform audit('personChange', 'person', p_person_id::text, '{"change": "unlinked"}');
        end if;
    end if;
    return outcome;
end $$;
grant execute on function forget_sign_in_links(uuid)
    to school_administrator, school_site_manager, school_people_manager;

-- forget_links: accounts at another issuer are others, and Microsoft names them differently to each client.
create or replace function forget_links() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    delete from sign_in_link
     where organization_id = new.organization_id and sign_in_provider_id = new.sign_in_provider_id;
    return null;
end $$;

-- drop_plain_secret: a secret that is entered anew takes the place of one that was not sealed yet.
create or replace function drop_plain_secret() returns trigger language plpgsql
    set search_path = school, pg_temp as $$
begin
    new.client_secret := null;
    return new;
end $$;
create or replace trigger drop_plain_secret before update of sealed_secret on sign_in_provider
    for each row when (new.sealed_secret is not null) execute function drop_plain_secret();

create or replace trigger bump_version before update on sign_in_provider
    for each row execute function bump_version();
create or replace trigger forget_links after update on sign_in_provider
    for each row when (new.issuer <> old.issuer or new.client_id <> old.client_id)
    execute function forget_links();
