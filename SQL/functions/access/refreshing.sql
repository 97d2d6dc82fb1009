-- Functions of access: refresh tokens.

-- rotate_refresh: a new pair for an unused refresh token. No row if it is not valid. If it was used before, two
-- clients hold it, and its session ends for good.
create or replace function rotate_refresh(
    p_digest bytea, p_access_digest bytea, p_access_expires_at timestamptz,
    p_refresh_digest bytea, p_refresh_expires_at timestamptz, p_address text default null)
    returns table (must_change_password boolean, person json)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    used   refresh_token;
    family session;
    must   boolean;
begin
    select * into used from refresh_token as r where r.digest = p_digest for update;
    if not found then
        return;
    end if;
    select * into strict family from session as s
     where s.organization_id = used.organization_id and s.session_id = used.session_id for update;
    if family.ended_at is not null then
        return;
    elsif used.rotated_at is not null then
        perform end_session(family.organization_id, family.session_id, 'reused');
        perform write_audit_event(family.organization_id, 'tokenRevoked', 'server', family.person_id,
                                  family.app, p_address, 'session', family.session_id::text,
                                  '{"reason": "reused"}');
        return;
    end if;
    select c.is_temporary into must
      from credential as c
      join person as p on p.organization_id = c.organization_id and p.person_id = c.person_id
     where c.organization_id = family.organization_id and c.person_id = family.person_id
       and p.deactivated_at is null and (c.expires_at is null or c.expires_at > now());
    if not found or used.expires_at <= now() then
        return;
    end if;
    update refresh_token as r set rotated_at = moment()
     where r.organization_id = used.organization_id and r.digest = used.digest;
    update access_token as t set revoked_at = moment()
     where t.organization_id = family.organization_id and t.session_id = family.session_id
       and t.revoked_at is null;
    perform pg_notify('school_revocation', 'session:' || family.session_id);
    update session as s set last_used_at = moment(), address = coalesce(p_address, s.address)
     where s.organization_id = family.organization_id and s.session_id = family.session_id;
    insert into access_token (organization_id, digest, session_id, person_id, standing, app,
                              environment, must_change_password, expires_at)
    values (family.organization_id, p_access_digest, family.session_id, family.person_id,
            case when family.app is not null then 'app' end, family.app, family.environment, must,
            p_access_expires_at);
    insert into refresh_token (organization_id, digest, session_id, expires_at)
    values (family.organization_id, p_refresh_digest, family.session_id, p_refresh_expires_at);
    return query select must, case when family.app is null then
                        describe_person(family.organization_id, family.person_id) end;
end $$;
