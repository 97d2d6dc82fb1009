-- Functions of a restore.

-- end_all_sign_ins (internal): ends every sign-in and revokes every token after a restore, because what was ended or
-- revoked since the backup would be valid again. Passwords and the secrets of service accounts stay. The positions of
-- changes that clients hold end, too: what followed the backup is gone, and its numbers come again. For the operator's
-- command, which acts as the owner.
create or replace function end_all_sign_ins() returns table (sessions bigint, tokens bigint)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    update session set ended_at = moment(), end_reason = 'restored' where ended_at is null;
    get diagnostics sessions = row_count;
    update access_token set revoked_at = moment() where revoked_at is null and expires_at > now();
    get diagnostics tokens = row_count;
    delete from authorization_code where used_at is null;
    delete from device_code where used_at is null;
    update change_feed set feed_id = gen_random_uuid();
    update webhook as w set feed_id = f.feed_id from change_feed as f where f.organization_id = w.organization_id;
    perform write_audit_event(o.organization_id, 'organizationChange', 'server', null, null, null,
                              'organization', o.organization_id::text, '{"change": "restored"}')
       from organization as o;
    return next;
end $$;
