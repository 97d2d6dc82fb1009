-- Functions of seals: batches of audit events in a chain of digests for each organization.
--
-- The digest of an event is computed over one canonical text: the event as jsonb prints it, which orders the keys and
-- does not depend on any setting. The digest of a seal covers the digest of the seal before it, its own number and
-- times, and the ids and digests of its events in the order of arrival. Nothing depends on which partition holds an
-- event. Someone who can rewrite the whole chain from some seal on is caught by a digest that was written down
-- elsewhere: `homeroom doctor` prints the last one.

-- audit_event_digest (internal): covers everything in an event but its address and salt; the digest of the address is
-- in their place. A column added later changes no digest while it is empty. Times or bytes in it would have to be
-- written as these are, whatever the session's settings. Pins no search path, so that it can be inlined.
create or replace function audit_event_digest(e audit_event) returns bytea
    language sql stable
    return sha256(convert_to((jsonb_strip_nulls(
            to_jsonb(e) - '{arrived_at, address, address_salt, address_digest, details}'::text[])
        || jsonb_build_object('arrived_at', (extract(epoch from e.arrived_at) * 1000)::bigint,
                              'address_digest', encode(e.address_digest, 'hex'), 'details', e.details))::text,
        'UTF8'));

-- audit_seal_digest (internal): the correct digest of a seal.
create or replace function audit_seal_digest(s audit_seal) returns bytea
    language sql stable
    set search_path = school, pg_temp
    return sha256(s.previous_digest || convert_to(jsonb_build_array(
        s.organization_id, s.number, (extract(epoch from s.sealed_at) * 1000)::bigint,
        (extract(epoch from s.last_arrived_at) * 1000)::bigint, s.event_ids)::text, 'UTF8')
        || coalesce((select string_agg(d.digest, ''::bytea order by d.position)
                       from unnest(s.event_digests) with ordinality as d (digest, position)), ''));

-- unsealed_organizations: organizations with events that wait for a seal.
create or replace function unsealed_organizations() returns table (organization_id uuid)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select o.organization_id from organization as o
     where exists (select from audit_unsealed as u where u.organization_id = o.organization_id)
       and not is_at_rest(o.organization_id)
     order by o.organization_id;
end $$;

-- seal_audit_events: seals waiting events, the earliest first, at most p_limit; true if there may be more.
--
-- Of several concurrent sealers one does the work. The lock only keeps the others from trying; what protects the
-- chain is its primary key, by which a second seal with the same number fails. A waiting event that no longer exists
-- was removed by someone; it keeps waiting, so that the check finds it.
create or replace function seal_audit_events(p_organization_id uuid, p_limit integer default 1000)
    returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    seal audit_seal;
begin
    if not pg_try_advisory_xact_lock(hashtextextended('seal ' || p_organization_id, 0)) then
        return false;
    end if;
    with taken as (
        delete from audit_unsealed as u where u.ctid = any (array(
            select w.ctid
              from audit_unsealed as w
              join audit_event as e on e.organization_id = w.organization_id
                                   and e.arrived_at = w.arrived_at and e.event_id = w.event_id
             where w.organization_id = p_organization_id
             order by w.arrived_at, w.event_id limit p_limit))
        returning u.arrived_at, u.event_id)
    select array_agg(e.event_id order by e.arrived_at, e.event_id),
           array_agg(audit_event_digest(e) order by e.arrived_at, e.event_id), max(e.arrived_at)
      into seal.event_ids, seal.event_digests, seal.last_arrived_at
      from taken as t
      join audit_event as e on e.organization_id = p_organization_id and e.arrived_at = t.arrived_at
                           and e.event_id = t.event_id;
    if seal.event_ids is null then
        return false;
    end if;
    select s.number, s.digest into seal.number, seal.previous_digest
      from audit_seal as s where s.organization_id = p_organization_id
     order by s.number desc limit 1;
    seal.organization_id := p_organization_id;
    seal.number := coalesce(seal.number, 0) + 1;
    seal.previous_digest := coalesce(seal.previous_digest, decode(repeat('00', 32), 'hex'));
    seal.sealed_at := moment();
    seal.digest := audit_seal_digest(seal);
    insert into audit_seal values (seal.*);
    return cardinality(seal.event_ids) >= p_limit;
end $$;
grant execute on function unsealed_organizations(), seal_audit_events(uuid, integer) to school_server;

-- broken_audit_seals (internal): seals that were changed or are missing.
--
--   sealChanged   its digest is not that of what it holds
--   sealMissing   a seal is missing; after a cut, numbering starts at the seal that was kept (cut_audit_trail)
--   sealForeign   it does not continue the seal before it
--   cutUnexplained  no event reports the cut, or the seal that was kept is another one
create or replace function broken_audit_seals(p_organization_id uuid)
    returns table (finding text, number bigint)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select 'sealChanged', s.number from audit_seal as s
     where s.organization_id = p_organization_id and s.digest <> audit_seal_digest(s)
    union all
    select 'sealMissing', n.number
      from generate_series(coalesce((select c.number from audit_cut as c
                                      where c.organization_id = p_organization_id), 1),
                           (select max(s.number) from audit_seal as s
                             where s.organization_id = p_organization_id)) as n (number)
     where not exists (select from audit_seal as s
                        where s.organization_id = p_organization_id and s.number = n.number)
    union all
    select 'sealForeign', s.number
      from audit_seal as s
      left join audit_seal as b on b.organization_id = s.organization_id and b.number = s.number - 1
     where s.organization_id = p_organization_id
       and (b.number is not null or s.number = 1)
       and s.previous_digest <> coalesce(b.digest, decode(repeat('00', 32), 'hex'))
    union all
    select 'cutUnexplained', c.number
      from audit_cut as c
     where c.organization_id = p_organization_id
       and not (exists (select from audit_seal as s
                         where s.organization_id = c.organization_id and s.number = c.number and s.digest = c.digest)
                and exists (select from audit_event as e
                             where e.organization_id = c.organization_id and e.kind = 'retention'
                               and e.details ->> 'sealNumber' = c.number::text
                               and e.details ->> 'sealDigest' = encode(c.digest, 'hex')));
end $$;

-- broken_audit_events (internal): events that differ from what was sealed.
--
--   eventChanged   its content differs from when it was sealed, or its address does
--   eventRemoved   it was sealed after the last cut, or waited for its seal, and is missing
--   eventInserted  no seal covers it and it does not wait for one; or it claims to be a day older than
--                  what was sealed before it came, and no transaction lasts that long. A seal made while the clock was
--                  ahead says nothing about that: a later one has an earlier time
create or replace function broken_audit_events(p_organization_id uuid)
    returns table (finding text, number bigint, event_id uuid)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    with timed as (
        select s.number, s.event_ids, s.event_digests,
               case when s.sealed_at <= coalesce(min(s.sealed_at) over (order by s.number rows between 1 following
                                                                        and unbounded following),
                                                 moment()) + interval '5 minutes'
                    then least(s.last_arrived_at, s.sealed_at) end as latest
          from audit_seal as s
         where s.organization_id = p_organization_id),
    bounded as (
        select t.*, max(t.latest) over (order by t.number rows between unbounded preceding
                                        and 1 preceding) - interval '1 day' as earliest
          from timed as t),
    listed as (
        select i.event_id, i.digest, s.number, s.earliest
          from bounded as s
         cross join unnest(s.event_ids, s.event_digests) as i (event_id, digest)
        union all
        select u.event_id, null, null, (select max(t.latest) from timed as t) - interval '1 day'
          from audit_unsealed as u
         where u.organization_id = p_organization_id),
    compared as (
        select coalesce(l.event_id, e.event_id) as event_id, l.number,
               case when e.event_id is null
                    then case when l.number <= (select c.number from audit_cut as c
                                                 where c.organization_id = p_organization_id) then null
                              else 'eventRemoved' end
                    when l.event_id is null or e.arrived_at < l.earliest then 'eventInserted'
                    when l.digest <> audit_event_digest(e) then 'eventChanged'
                    when e.address is not null
                     and sha256(e.address_salt || convert_to(e.address, 'UTF8')) is distinct from e.address_digest
                    then 'eventChanged'
                    when e.address is null and e.address_digest is not null and not exists (
                         select from audit_event as x
                          where x.organization_id = p_organization_id and x.kind = 'erasure'
                            and x.subject_id = e.person_id::text) then 'eventChanged'
               end as finding
          from listed as l
          full join (select e.* from audit_event as e where e.organization_id = p_organization_id) as e
                 on e.event_id = l.event_id)
    select c.finding, c.number, c.event_id from compared as c
     where c.finding is not null
     order by c.number, c.event_id;
end $$;

-- audit_chain_head (internal): the last seal, to be recorded elsewhere.
create or replace function audit_chain_head(p_organization_id uuid)
    returns table (number bigint, digest text, sealed_at timestamptz)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select s.number, encode(s.digest, 'hex'), s.sealed_at::timestamptz from audit_seal as s
     where s.organization_id = p_organization_id order by s.number desc limit 1;
end $$;

-- export_audit_head: the last seal of the caller's audit trail, to be recorded in an export; no row if nothing is
-- sealed yet.
create or replace function export_audit_head() returns table (number bigint, digest text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query select h.number, h.digest from audit_chain_head(my_organization()) as h;
end $$;
grant execute on function export_audit_head() to school_exporter;

-- audit_seal_outcome (internal): whether a seal recorded elsewhere is still there: 'found', 'missing', 'different', or
-- 'removed' if a rule of retention removed it.
create or replace function audit_seal_outcome(p_organization_id uuid, p_number bigint, p_digest text) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    present text := (select encode(s.digest, 'hex') from audit_seal as s
                      where s.organization_id = p_organization_id and s.number = p_number);
begin
    return case when present is null
                 and p_number < (select c.number from audit_cut as c where c.organization_id = p_organization_id)
                then 'removed'
                when present is null then 'missing' when present = lower(p_digest) then 'found' else 'different' end;
end $$;

-- export_seal_outcome: the same for the caller's organization, used by the next export.
create or replace function export_seal_outcome(p_number bigint, p_digest text) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return audit_seal_outcome(my_organization(), p_number, p_digest);
end $$;
grant execute on function export_seal_outcome(bigint, text) to school_exporter;

-- noted_seal_outcome: the same for any organization, for the command; 'unknownOrganization' if it does not exist.
create or replace function noted_seal_outcome(p_organization_id uuid, p_number bigint, p_digest text) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return case when exists (select from organization where organization_id = p_organization_id)
                then audit_seal_outcome(p_organization_id, p_number, p_digest) else 'unknownOrganization' end;
end $$;
grant execute on function noted_seal_outcome(uuid, bigint, text) to school_server;
