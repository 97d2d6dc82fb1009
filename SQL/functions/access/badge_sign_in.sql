-- Functions of access: signing in with badges, which small children do without a password.
--
-- Who holds a badge is its student, so it stands on the map of who can become whom (becoming.sql), and it does less than
-- a password: it works only while its student is nothing but a student and sits in its class, at the hours and from the
-- networks that the school says. The sign-in that it begins ends with the hours and changes nothing about how its
-- student signs in. A lock after wrong passwords does not stop a badge: classmates could lock each other out.

-- is_only_a_student (internal): whether the person is a student and nothing else, and never taught.
create or replace function is_only_a_student(p_organization_id uuid, p_person_id uuid) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return array(select distinct r.role from person_role as r
                  where r.organization_id = p_organization_id and r.person_id = p_person_id) = '{student}'
       and not exists (select from seat as s
                        where s.organization_id = p_organization_id and s.person_id = p_person_id
                          and s.role = 'teacher');
end $$;

-- badge_trouble (internal): why a badge signs nobody in, at any hour and from anywhere, and why a sign-in that it began
-- does not go on; null if it does.
create or replace function badge_trouble(p_badge badge) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return case
        when p_badge.voided_at is not null then 'void'
        when not exists (select from badge_rule as r
                          where r.organization_id = p_badge.organization_id and r.is_on) then 'off'
        when not uses_password(p_badge.organization_id, p_badge.person_id) then 'withoutPasswords'
        when not is_only_a_student(p_badge.organization_id, p_badge.person_id) then 'role'
        when not exists (select from person as p
                          where p.organization_id = p_badge.organization_id and p.person_id = p_badge.person_id
                            and p.deactivated_at is null) then 'deactivated'
        when not exists (select from seat as s
                           join class as c on c.organization_id = s.organization_id and c.class_id = s.class_id
                          where s.organization_id = p_badge.organization_id and s.class_id = p_badge.class_id
                            and s.person_id = p_badge.person_id and s.role = 'student' and is_seated(s)
                            and c.archived_at is null and not is_made_class(c)) then 'seat' end;
end $$;

-- badge_holds (internal): whether a sign-in that a badge began goes on.
create or replace function badge_holds(p_organization_id uuid, p_badge_id uuid) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from badge as b
                    where b.organization_id = p_organization_id and b.badge_id = p_badge_id
                      and badge_trouble(b) is null);
end $$;

-- is_in_networks (internal): whether an address is in one of the networks; true if no networks are listed, false for
-- text that is not an address.
create or replace function is_in_networks(p_networks cidr[], p_address text) returns boolean
    language plpgsql immutable
    set search_path = school, pg_temp as $$
declare
    place inet;
begin
    if cardinality(p_networks) = 0 then
        return true;
    end if;
    begin
        place := regexp_replace(p_address, '^::ffff:(?=[0-9]+[.])', '', 'i')::inet;
    exception when invalid_text_representation then
        return false;
    end;
    return coalesce((select bool_or(place <<= n.network) from unnest(p_networks) as n (network)), false);
end $$;

-- badge_refusal (internal): why a badge does not sign in now, from that address; null if it does.
create or replace function badge_refusal(p_badge badge, p_address text) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    rule        badge_rule;
    local_time  timestamp;
    trouble     constant text := badge_trouble(p_badge);
begin
    if trouble is not null then
        return trouble;
    end if;
    select * into strict rule from badge_rule as r where r.organization_id = p_badge.organization_id;
    select moment() at time zone o.time_zone into strict local_time from organization as o
     where o.organization_id = p_badge.organization_id;
    return case
        when extract(isodow from local_time)::smallint <> all (rule.days)
          or local_time::time < rule.begins_at or local_time::time >= rule.ends_at then 'hours'
        when not is_in_networks(rule.networks, p_address) then 'network'
        when not may_sign_in_from(p_badge.organization_id, p_address) then 'notLocal' end;
end $$;

-- badge_hours_end (internal): when the hours of badges end today.
create or replace function badge_hours_end(p_organization_id uuid) returns timestamptz
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select ((moment() at time zone o.time_zone)::date + r.ends_at) at time zone o.time_zone
              from organization as o
              join badge_rule as r on r.organization_id = o.organization_id
             where o.organization_id = p_organization_id);
end $$;

-- start_badge_session: a browser's session for the student of a badge; no row if the badge does not sign in now. It is
-- as short as on a shared device, whatever the device is. A temporary password stays valid and need not be changed,
-- because nobody typed it. The row lock makes this function and void_badges() wait for each other.
create or replace function start_badge_session(
    p_digest bytea, p_session_id uuid, p_access_digest bytea, p_address text, p_user_agent text)
    returns table (must_change_password boolean, person json, idle_seconds integer, subject text)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    mine badge;
    idle integer;
    ends timestamptz;
begin
    perform refuse_elsewhere(b.organization_id) from badge as b where b.digest = p_digest;
    select * into mine from badge as b where b.digest = p_digest for no key update;
    if not found or badge_refusal(mine, p_address) is not null then
        return;
    end if;
    idle := browser_idle_seconds(mine.organization_id, mine.person_id, true);
    ends := badge_hours_end(mine.organization_id);
    update badge set last_used_at = moment()
     where organization_id = mine.organization_id and badge_id = mine.badge_id;
    perform note_first_sign_in(mine.organization_id, mine.person_id);
    insert into session (organization_id, session_id, person_id, kind, idle_seconds, user_agent, address, started_at,
                         last_used_at, badge_id, ends_at)
    values (mine.organization_id, p_session_id, mine.person_id, 'browser', idle, nullif(p_user_agent, ''), p_address,
            moment(), moment(), mine.badge_id, ends);
    insert into access_token (organization_id, digest, session_id, person_id, expires_at)
    values (mine.organization_id, p_access_digest, p_session_id, mine.person_id,
            least(moment() + make_interval(secs => idle), ends));
    perform write_audit_event(mine.organization_id, 'signIn', 'server', mine.person_id, null, p_address, 'session',
                              p_session_id::text, jsonb_build_object('badgeId', mine.badge_id,
                                                                     'classId', mine.class_id));
    return query select false, describe_person(mine.organization_id, mine.person_id),
                        least(idle, extract(epoch from ends - moment())::integer), null::text;
end $$;

-- record_failed_badge: writes an event for a badge that did not sign in. For an unknown one it still waits for the disk,
-- so that timing reveals nothing.
create or replace function record_failed_badge(p_digest bytea, p_address text) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    mine badge;
begin
    select * into mine from badge as b where b.digest = p_digest;
    if found then
        perform write_audit_event(mine.organization_id, 'signInFailure', 'server', mine.person_id, null, p_address,
                                  'person', mine.person_id::text, jsonb_build_object(
                                      'badgeId', mine.badge_id, 'reason', badge_refusal(mine, p_address)));
    else
        perform pg_logical_emit_message(true, 'school', 'signInFailure');
    end if;
end $$;
grant execute on function start_badge_session(bytea, uuid, bytea, text, text), record_failed_badge(bytea, text)
    to school_server;

-- end_badge_sessions (internal): ends the sign-ins that these badges began; of all badges if p_badge_ids is null.
create or replace function end_badge_sessions(p_organization_id uuid, p_badge_ids uuid[], p_reason text) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform end_session(s.organization_id, s.session_id, p_reason)
       from session as s
      where s.organization_id = p_organization_id and s.badge_id is not null and s.ended_at is null
        and (p_badge_ids is null or s.badge_id = any (p_badge_ids));
end $$;

-- is_badge_session (internal): whether a badge began the session.
create or replace function is_badge_session(p_session_id uuid) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from session as s
                    where s.organization_id = my_organization() and s.session_id = p_session_id
                      and s.badge_id is not null);
end $$;

-- refuse_badge (internal): refuses what a sign-in that a badge began does not open: how its student signs in, his or her
-- other sign-ins, and sign-ins elsewhere in the student's name.
create or replace function refuse_badge(p_session_id uuid) returns void
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    if is_badge_session(p_session_id) then
        raise exception 'a badge opens no more than the work of its student'
            using errcode = 'check_violation', schema = 'school', table = 'session',
                  constraint = 'session_of_badge_changes_no_sign_in';
    end if;
end $$;

-- my_session (internal): the sign-in whose token the caller sent; null if it has none.
create or replace function my_session() returns uuid
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return nullif(current_setting('school.session', true), '')::uuid;
end $$;

-- is_by_badge: whether a badge began the sign-in that the token descends from.
create or replace function is_by_badge(p_digest bytea) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from access_token as t
                     join session as s on s.organization_id = t.organization_id and s.session_id = t.session_id
                    where t.organization_id = my_organization() and t.digest = p_digest and s.badge_id is not null);
end $$;
grant execute on function is_by_badge(bytea) to school_person, school_provisioner, school_exporter;
