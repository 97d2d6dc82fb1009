-- Functions of a restore.

-- postpone_deletions (internal): gives every organization that is to be deleted at least thirty days again, because the
-- restore may have been made for its sake. A deletion that had begun goes on.
create or replace function postpone_deletions()
    returns table (organization_id uuid, name text, due_at timestamptz)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    update organization_deletion as d set due_at = greatest(d.due_at, moment() + interval '30 days')
      from organization as o
     where o.organization_id = d.organization_id and d.begun_at is null
    returning o.organization_id, o.name, d.due_at::timestamptz;
end $$;

-- end_all_sign_ins (internal): ends every sign-in and revokes every token after a restore, because what was ended or
-- revoked since the backup would be valid again. Passwords and the secrets of service accounts stay. Changes are
-- followed anew (renew_feeds). For the operator's command, which acts as the owner.
create or replace function end_all_sign_ins() returns table (sessions bigint, tokens bigint)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    update session set ended_at = moment(), end_reason = 'restored' where ended_at is null;
    get diagnostics sessions = row_count;
    update access_token set revoked_at = moment() where revoked_at is null and expires_at > moment();
    get diagnostics tokens = row_count;
    delete from authorization_code where used_at is null;
    delete from device_code where used_at is null;
    perform renew_feeds();
    perform write_audit_event(o.organization_id, 'organizationChange', 'server', null, null, null,
                              'organization', o.organization_id::text, '{"change": "restored"}')
       from organization as o;
    return next;
end $$;
