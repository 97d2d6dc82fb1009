-- Functions of signing out with a connected system (OpenID Connect RP-Initiated Logout 1.0).

-- logout_request: what a system may do that brings a browser here to sign its person out. may_return: it registered the
-- address. is_current: what its ID token says is true of the sign-in of the browser's token: that person, that sign-in,
-- that system; else the person is asked. A system of another organization is unknown to who is signed in.
create or replace function logout_request(
    p_client_id uuid, p_person_id uuid, p_session_id uuid, p_address text, p_token_digest bytea)
    returns table (system_name text, may_return boolean, is_current boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    browser session;
    system  connected_system;
begin
    select s.* into browser from access_token as t
      join session as s on s.organization_id = t.organization_id and s.session_id = t.session_id
     where t.digest = p_token_digest and t.revoked_at is null and t.expires_at > moment() and s.ended_at is null;
    select * into system from connected_system as c
     where c.organization_id = organization_of_client(p_client_id) and c.connected_system_id = p_client_id
       and c.removed_at is null and (browser.session_id is null or c.organization_id = browser.organization_id);
    return query
    select system.name, coalesce(p_address = any (system.post_logout_redirect_uris), false),
           exists (select from session as s
                    where s.organization_id = system.organization_id and s.session_id = p_session_id
                      and s.connected_system_id = system.connected_system_id
                      and s.person_id = p_person_id and browser.person_id = p_person_id
                      and s.by_session_id = browser.session_id);
end $$;
grant execute on function logout_request(uuid, uuid, uuid, text, bytea) to school_server;
