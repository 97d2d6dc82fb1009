-- Functions of access: refresh tokens.
--
-- A refresh token works once. But an answer may get lost on its way, and then its client has only the token that it
-- sent: sent again within a minute, it gives a fresh pair in place of the lost one, as long as neither half of that was
-- used. Anything else that comes twice shows that two clients hold it.

-- is_unused_pair (internal): whether nobody has used the pair that a refresh token gave.
create or replace function is_unused_pair(p_used refresh_token) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform from access_token as t
      where t.organization_id = p_used.organization_id and t.digest = p_used.next_access_digest
        and t.awaits_use and t.revoked_at is null for update;
    return found and exists (
        select from refresh_token as r
         where r.organization_id = p_used.organization_id and r.digest = p_used.next_digest and r.rotated_at is null);
end $$;

-- rotate_refresh: a new pair for a refresh token. No row if it is not valid, or if it is not p_client's, where that is
-- given. What a connected system holds is only for that system (refresh_system_token). One that comes twice, or was
-- replaced unused, ends its session for good.
create or replace function rotate_refresh(
    p_digest bytea, p_access_digest bytea, p_access_expires_at timestamptz,
    p_refresh_digest bytea, p_refresh_expires_at timestamptz, p_address text default null,
    p_client text default null, p_system_id uuid default null)
    returns table (must_change_password boolean, person json, subject text)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    used        refresh_token;
    family      session;
    must        boolean;
    has_expired boolean;
begin
    perform refuse_token_elsewhere(p_digest);
    select * into used from refresh_token as r where r.digest = p_digest for update;
    if not found then
        return;
    end if;
    select * into strict family from session as s
     where s.organization_id = used.organization_id and s.session_id = used.session_id for update;
    if family.ended_at is not null or family.app is distinct from coalesce(p_client, family.app)
       or family.connected_system_id is distinct from p_system_id then
        return;
    elsif used.rotated_at is not null
          and not (used.rotated_at > moment() - interval '60 seconds' and is_unused_pair(used)) then
        perform end_session(family.organization_id, family.session_id, 'reused');
        perform write_audit_event(family.organization_id, 'tokenRevoked', 'server', family.person_id,
                                  family.app, p_address, 'session', family.session_id::text,
                                  '{"reason": "reused"}');
        return;
    end if;
    -- Who signs in with a provider may have no password, or a temporary one that was never needed. A session that
    -- began with a temporary one says so in its tokens: whatever makes a password temporary ends the sessions before.
    select coalesce((select bool_or(t.must_change_password) from access_token as t
                      where t.organization_id = family.organization_id and t.session_id = family.session_id),
                    c.is_temporary and uses_password(family.organization_id, family.person_id), false),
           coalesce(c.expires_at <= moment(), false)
      into must, has_expired
      from person as p
      left join credential as c on c.organization_id = p.organization_id and c.person_id = p.person_id
     where p.organization_id = family.organization_id and p.person_id = family.person_id
       and p.deactivated_at is null;
    if not found or must and has_expired or used.expires_at <= moment() then
        return;
    end if;
    -- What it gave before, if it comes again.
    update refresh_token as r set rotated_at = moment()
     where r.organization_id = used.organization_id and r.digest = used.next_digest;
    update refresh_token as r
       set rotated_at = coalesce(r.rotated_at, moment()), next_digest = p_refresh_digest,
           next_access_digest = p_access_digest
     where r.organization_id = used.organization_id and r.digest = used.digest;
    update access_token as t set revoked_at = moment()
     where t.organization_id = family.organization_id and t.session_id = family.session_id
       and t.revoked_at is null;
    perform pg_notify('school_revocation', 'session:' || family.session_id);
    update session as s set last_used_at = moment(), address = coalesce(p_address, s.address)
     where s.organization_id = family.organization_id and s.session_id = family.session_id;
    insert into access_token (organization_id, digest, session_id, person_id, standing, app, connected_system_id,
                              environment, must_change_password, awaits_use, expires_at)
    values (family.organization_id, p_access_digest, family.session_id, family.person_id,
            case when family.app is not null then 'app' when p_system_id is not null then 'system' end, family.app,
            p_system_id, family.environment, must, true, p_access_expires_at);
    insert into refresh_token (organization_id, digest, session_id, expires_at)
    values (family.organization_id, p_refresh_digest, family.session_id, p_refresh_expires_at);
    return query select must, case when family.app is null and p_system_id is null then
                        describe_person(family.organization_id, family.person_id) end,
                        subject_of(family.organization_id, family.person_id, family.app);
end $$;

-- note_first_use: records that an access token of a refresh has been used: what was sent for it cannot be sent again.
-- False if the token was replaced in the meantime. It does not wait for the disk: if the note is lost with the power, a
-- refresh token gives another pair once more.
create or replace function note_first_use(p_digest bytea) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform set_config('synchronous_commit', 'off', true);
    update access_token set awaits_use = false where digest = p_digest and awaits_use and revoked_at is null;
    return found or exists (select from access_token where digest = p_digest and revoked_at is null);
end $$;
