-- Functions of connected systems: what a person allows one, and what ends it.

-- is_school_address (internal): whether the school vouches for a person's address (email_verified of OpenID Connect Core
-- section 5.1): it is in a domain of the organization, and nobody else's, not even of someone who left. A system that
-- knows people by such addresses takes nobody for another.
create or replace function is_school_address(p_person person) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return p_person.email ~ '^[^@]+@[^@]+$'
        and exists (select from organization_domain as d
                     where d.organization_id = p_person.organization_id
                       and d.domain = lower(split_part(p_person.email, '@', 2)))
        and not exists (select from person as p
                         where p.organization_id = p_person.organization_id
                           and lower(p.email) = lower(p_person.email) and p.person_id <> p_person.person_id);
end $$;

-- person_claims (internal): what a connected system learns of a person by these scopes (OpenID Connect Core section
-- 5.1).
create or replace function person_claims(p_organization_id uuid, p_person_id uuid, p_scopes text[]) returns jsonb
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    claims jsonb := '{}';
begin
    if 'profile' = any (p_scopes) then
        claims := claims || (
            select jsonb_strip_nulls(jsonb_build_object(
                       'name', full_name(concat_ws(' ', p.given_name, p.middle_name), p.family_name,
                                         coalesce(p.name_order, o.name_order)),
                       'given_name', p.given_name, 'middle_name', p.middle_name, 'family_name', p.family_name,
                       'preferred_username', p.managed_id))
              from person as p
              join organization as o on o.organization_id = p.organization_id
             where p.organization_id = p_organization_id and p.person_id = p_person_id);
    end if;
    if 'email' = any (p_scopes) then
        claims := claims || coalesce((
            select jsonb_build_object('email', p.email, 'email_verified', is_school_address(p))
              from person as p
             where p.organization_id = p_organization_id and p.person_id = p_person_id and p.email is not null), '{}');
    end if;
    if 'roles' = any (p_scopes) then
        claims := claims || jsonb_build_object('roles', coalesce((
            select jsonb_agg(jsonb_build_object(
                       'role', r.role, 'location', jsonb_build_object('id', l.location_id, 'name', l.name))
                       order by l.name, l.location_id, r.role)
              from person_role as r
              join location as l on l.organization_id = r.organization_id and l.location_id = r.location_id
             where r.organization_id = p_organization_id and r.person_id = p_person_id), '[]'));
    end if;
    if 'classes' = any (p_scopes) then
        claims := claims || jsonb_build_object('classes', coalesce((
            select jsonb_agg(jsonb_build_object('id', c.class_id, 'name', c.name, 'role', s.role)
                             order by c.name, c.class_id, s.role)
              from seat as s
              join class as c on c.organization_id = s.organization_id and c.class_id = s.class_id
             where s.organization_id = p_organization_id and s.person_id = p_person_id
               and is_seated(s) and c.archived_at is null), '[]'));
    end if;
    return claims;
end $$;

-- asking_client: how the caller's organization knows a client that asks the caller: an app by the name it has there, a
-- connected system by its own; both null: not at all. is_allowed: the system holds a sign-in to which the caller
-- allowed whatever of these scopes it may ask for. signed_in_at: when the caller's own sign-in began.
create or replace function asking_client(p_client text, p_scopes text[], p_token_digest bytea)
    returns table (app_name text, system_name text, redirect_uris text[], scopes text[], is_allowed boolean,
                   signed_in_at timestamptz)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    system connected_system;
begin
    perform refuse_badge(session_of(p_token_digest));
    select * into system from connected_system as c
     where c.organization_id = my_organization() and c.connected_system_id::text = p_client and c.removed_at is null;
    return query
    select case when system.name is null then client_name(my_organization(), p_client) end,
           system.name, system.redirect_uris, system.scopes,
           exists (select from session as s
                     join refresh_token as r on r.organization_id = s.organization_id and r.session_id = s.session_id
                    where s.organization_id = system.organization_id
                      and s.connected_system_id = system.connected_system_id
                      and s.person_id = my_person() and s.ended_at is null
                      and array(select unnest(p_scopes) intersect select unnest(system.scopes)) <@ s.scopes
                      and r.rotated_at is null and r.expires_at > moment()),
           (select s.started_at::timestamptz from session as s
             where s.organization_id = my_organization() and s.session_id = session_of(p_token_digest));
end $$;
grant execute on function asking_client(text, text[], bytea) to school_person;

-- requires_pkce: whether a client that asks the caller has to send a code challenge (RFC 7636): an app always, and a
-- connected system unless its school has turned that off.
create or replace function requires_pkce(p_client text) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return not exists (select from connected_system as c
                        where c.organization_id = my_organization() and c.connected_system_id::text = p_client
                          and c.removed_at is null and not c.requires_pkce);
end $$;
grant execute on function requires_pkce(text) to school_person;

-- id_token_algorithm: how a connected system wants its ID tokens signed; null if the system is unknown.
create or replace function id_token_algorithm(p_client_id uuid) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select c.id_token_signed_response_alg from connected_system as c
             where c.organization_id = organization_of_client(p_client_id) and c.connected_system_id = p_client_id
               and c.removed_at is null);
end $$;
grant execute on function id_token_algorithm(uuid) to school_server;

-- find_redirects: for a browser in which no one is signed in: the addresses of a connected system, and whether any
-- organization has registered the client as an app. p_client_id is the client's id where it has that form.
create or replace function find_redirects(p_client text, p_client_id uuid)
    returns table (redirect_uris text[], is_app boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select (select c.redirect_uris from connected_system as c
             where c.organization_id = organization_of_client(p_client_id) and c.connected_system_id = p_client_id
               and c.removed_at is null),
           is_registered_app(p_client);
end $$;
grant execute on function find_redirects(text, uuid) to school_server;

-- authorize_system: keeps the digest of a code by which a connected system gets its tokens within a minute. False if
-- the organization has no such system, the address is not one of its own, or a challenge is missing.
create or replace function authorize_system(
    p_digest bytea, p_client_id uuid, p_redirect_uri text, p_challenge text, p_scopes text[], p_nonce text,
    p_token_digest bytea) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    mine constant uuid := session_of(p_token_digest);
begin
    perform refuse_badge(mine);
    insert into authorization_code (organization_id, digest, person_id, connected_system_id, scopes, nonce,
                                    authenticated_at, environment, redirect_uri, challenge, by_session_id, expires_at)
    select c.organization_id, p_digest, my_person(), c.connected_system_id,
           array(select unnest(p_scopes) intersect select unnest(c.scopes)), p_nonce,
           coalesce((select s.started_at from session as s
                      where s.organization_id = c.organization_id and s.session_id = mine), moment()),
           'production', p_redirect_uri, p_challenge, mine, moment() + interval '60 seconds'
      from connected_system as c
     where c.organization_id = my_organization() and c.connected_system_id = p_client_id and c.removed_at is null
       and p_redirect_uri = any (c.redirect_uris) and (p_challenge is not null or not c.requires_pkce);
    return found;
end $$;
grant execute on function authorize_system(bytea, uuid, text, text, text[], text, bytea) to school_person;

-- end_system_sessions: ends what people allowed a system when its secret changes or it is removed, no matter who does
-- that.
create or replace function end_system_sessions() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform end_session(s.organization_id, s.session_id, 'ended') from session as s
      where s.organization_id = new.organization_id and s.connected_system_id = new.connected_system_id
        and s.ended_at is null;
    return null;
end $$;

create or replace trigger bump_version before update on connected_system
    for each row execute function bump_version();
create or replace trigger end_system_sessions after update on connected_system
    for each row when (new.secret_digest is distinct from old.secret_digest
                       or new.removed_at is distinct from old.removed_at)
    execute function end_system_sessions();
