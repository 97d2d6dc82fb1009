-- Functions of upkeep: what the server does periodically, for all organizations.

-- forget_sign_ins (internal): removes those of these sign-ins that have no tokens left.
create or replace function forget_sign_ins(p_organization_ids uuid[], p_session_ids uuid[]) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    delete from session as s using unnest(p_organization_ids, p_session_ids) as g (organization_id, session_id)
     where s.organization_id = g.organization_id and s.session_id = g.session_id
       and not exists (select from refresh_token as r
                        where r.organization_id = s.organization_id and r.session_id = s.session_id)
       and not exists (select from access_token as t
                        where t.organization_id = s.organization_id and t.session_id = s.session_id);
end $$;

-- remove_outdated: removes what can no longer be asked for, at most p_limit rows of each kind; true if there may be
-- more. Servers that run it at the same time skip the rows that another one is removing.
--
--   idempotency keys   when their day is over
--   upload receipts    after a day; they are there so that every upload writes
--   statements         forget_statements
--   tokens             thirty days after their end: until then a late device is distinguished from one
--                      that guesses (is_former_token), and a stolen refresh token still gives itself away
--   sign-ins           with the last of their tokens
--   codes              a day after their end: until then, a second use of one is recognised
--   signing keys       a day after the next one signs
--   devices            180 days after the last sign-in from them
--   imports            remove_outdated_imports
--   native contexts    forget_native_contexts
--   removed contexts   forget_removed_contexts
--   thumbnail uploads  remove_outdated_thumbnail_uploads
--   changes            forget_changes
--   deliveries         forget_deliveries
--   launches of tools  forget_tool_messages
--   roster changes     add_up_roster_changes
--   places             to which others have read the roster: after an hour
--   badges             thirty days after they were voided
--
-- An organization that another cell serves is left alone.
create or replace function remove_outdated(p_limit integer default 1000) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    removed  bigint;
    is_more  boolean := false;
    tenants  uuid[];
    sign_ins uuid[];
begin
    perform forget_signing_keys();
    is_more := add_up_roster_changes(p_limit) >= p_limit;
    is_more := remove_outdated_imports(p_limit) or is_more;
    is_more := remove_outdated_thumbnail_uploads(p_limit) >= p_limit or is_more;
    is_more := forget_native_contexts(p_limit) >= p_limit or is_more;
    is_more := forget_removed_contexts(p_limit) >= p_limit or is_more;
    is_more := forget_changes(p_limit) >= p_limit or is_more;
    is_more := forget_deliveries(p_limit) >= p_limit or is_more;
    is_more := forget_tool_messages(p_limit) >= p_limit or is_more;
    is_more := forget_tombstones(p_limit) >= p_limit or is_more;
    is_more := forget_read_places(p_limit) >= p_limit or is_more;
    is_more := forget_statements(p_limit) >= p_limit or is_more;
    is_more := forget_badges(p_limit) >= p_limit or is_more;

    delete from idempotency_key where ctid = any (array(
        select ctid from idempotency_key where expires_at <= (select removal_moment()) and not is_at_rest(organization_id)
         limit p_limit for update skip locked));
    get diagnostics removed = row_count;
    is_more := is_more or removed >= p_limit;

    delete from upload_receipt where ctid = any (array(
        select ctid from upload_receipt
         where arrived_at <= (select removal_moment()) - interval '1 day' and not is_at_rest(organization_id)
         limit p_limit for update skip locked));
    get diagnostics removed = row_count;
    is_more := is_more or removed >= p_limit;

    delete from authorization_code where ctid = any (array(
        select ctid from authorization_code
         where expires_at <= (select removal_moment()) - interval '1 day' and not is_at_rest(organization_id)
         limit p_limit for update skip locked));
    get diagnostics removed = row_count;
    is_more := is_more or removed >= p_limit;

    delete from device_code where ctid = any (array(
        select ctid from device_code where expires_at <= (select removal_moment()) - interval '1 day' and not is_at_rest(organization_id)
         limit p_limit for update skip locked));
    get diagnostics removed = row_count;
    is_more := is_more or removed >= p_limit;

    delete from sign_in_device where ctid = any (array(
        select ctid from sign_in_device where expires_at <= (select removal_moment()) and not is_at_rest(organization_id)
         limit p_limit for update skip locked));
    get diagnostics removed = row_count;
    is_more := is_more or removed >= p_limit;

    -- An access token ends before the refresh tokens of its sign-in: those wait until there are no more to remove.
    with gone as (
        delete from access_token where ctid = any (array(
            select ctid from access_token where expires_at <= (select removal_moment()) - interval '30 days'
                                           and not is_at_rest(organization_id)
             limit p_limit for update skip locked))
        returning organization_id, session_id)
    select count(*), array_agg(organization_id), array_agg(session_id)
      into removed, tenants, sign_ins from gone;
    perform forget_sign_ins(tenants, sign_ins);
    if removed >= p_limit then
        return true;
    end if;

    with gone as (
        delete from refresh_token where ctid = any (array(
            select ctid from refresh_token where expires_at <= (select removal_moment()) - interval '30 days'
                                            and not is_at_rest(organization_id)
             limit p_limit for update skip locked))
        returning organization_id, session_id)
    select count(*), array_agg(organization_id), array_agg(session_id)
      into removed, tenants, sign_ins from gone;
    perform forget_sign_ins(tenants, sign_ins);
    return is_more or removed >= p_limit;
end $$;
grant execute on function remove_outdated(integer) to school_server;
