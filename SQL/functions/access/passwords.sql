-- Functions of access: the caller's own password, and temporary passwords for others.

-- session_of (internal): the session a token descends from, if the session has not ended; otherwise null.
create or replace function session_of(p_digest bytea) returns uuid
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select s.session_id
              from access_token as t
              join session as s on s.organization_id = t.organization_id and s.session_id = t.session_id
             where t.organization_id = my_organization() and t.digest = p_digest
               and t.person_id = my_person() and s.ended_at is null);
end $$;

-- my_credential: the caller's credential, to verify the present password before it changes. A lock, which strangers
-- may have caused, does not stop someone who is signed in.
create or replace function my_credential(p_digest bytea default null)
    returns table (password_record text, password_policy text, is_locked boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select c.password_record, school.password_policy(c.person_id),
           coalesce(c.locked_until > moment(), false) and session_of(p_digest) is null
      from credential as c
     where c.organization_id = my_organization() and c.person_id = my_person()
       and (my_standing() <> 'app' or c.is_temporary);
end $$;

-- record_failed_change: ten wrong present passwords end the session. With a token that has no session they count as
-- wrong sign-ins.
create or replace function record_failed_change(p_digest bytea default null) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    mine       constant uuid := session_of(p_digest);
    wrong      integer;
    has_locked boolean := false;
begin
    if mine is null then
        has_locked := count_failed_try(my_organization(), my_person());
    else
        update session set wrong_changes = wrong_changes + 1
         where organization_id = my_organization() and session_id = mine
        returning wrong_changes into wrong;
        if wrong >= 10 then
            perform end_session(my_organization(), mine, 'wrongPasswords');
        end if;
    end if;
    perform audit('signInFailure', 'person', my_person()::text, jsonb_build_object(
        'change', true, 'locked', has_locked));
end $$;

-- is_same_password (internal): whether two records ($scrypt$cost$salt$hash) are of the same password. Each new password
-- has a salt of its own, and renew_password_record() keeps it: a sign-in that compared the old record still counts.
create or replace function is_same_password(p_record text, p_other text) returns boolean
    language sql immutable parallel safe
    return p_record = p_other
        or (split_part(p_record, '$', 4) <> '' and split_part(p_record, '$', 4) = split_part(p_other, '$', 4));

-- renew_password_record: replaces a record by one of the same password at a higher cost, right after it was verified.
-- Does nothing if the password has changed meanwhile. Leaves no event, because the password stays the same.
create or replace function renew_password_record(
    p_organization_id uuid, p_person_id uuid, p_old_record text, p_new_record text) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update credential set password_record = p_new_record
     where organization_id = p_organization_id and person_id = p_person_id and password_record = p_old_record
       and is_same_password(p_old_record, p_new_record);
end $$;
grant execute on function renew_password_record(uuid, uuid, text, text) to school_server;

-- change_password: changes the caller's password if the stored record is still the one that was verified; false if it
-- changed or was locked meanwhile. Ends every other session and forgets every other device. The tokens of this
-- session are no longer restricted. An app's token can change a temporary password only.
create or replace function change_password(p_old_record text, p_new_record text, p_digest bytea)
    returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    kept constant uuid := session_of(p_digest);
begin
    update credential
       set password_record = p_new_record, is_temporary = false, expires_at = null,
           failed_tries = 0, locked_until = null, lock_count = 0
     where organization_id = my_organization() and person_id = my_person()
       and is_same_password(password_record, p_old_record)
       and (locked_until is null or locked_until <= moment() or kept is not null)
       and (my_standing() <> 'app' or is_temporary);
    if not found then
        return false;
    end if;
    perform end_session(s.organization_id, s.session_id, 'passwordChange')
       from session as s
      where s.organization_id = my_organization() and s.person_id = my_person()
        and s.ended_at is null and s.session_id is distinct from kept;
    update session set wrong_changes = 0
     where organization_id = my_organization() and session_id = kept and wrong_changes > 0;
    delete from sign_in_device
     where organization_id = my_organization() and person_id = my_person()
       and session_id is distinct from kept;
    update access_token set must_change_password = false
     where organization_id = my_organization() and person_id = my_person()
       and session_id = kept and must_change_password;
    perform pg_notify('school_revocation', 'person:' || my_organization() || '/' || my_person());
    perform audit('passwordChange', 'person', my_person()::text, '{}');
    return true;
end $$;

-- may_reset_password (internal): whose temporary password the caller may set. Knowing a password lets one sign in as
-- that person, so this decides who could impersonate whom:
--
--   administrator             everyone's
--   site and people manager,  that of people all of whose roles they may give; only the first one of a person
--   manager                   who teaches or ever taught
--   provisioner               the first one of people all of whose roles it may give
--   teacher                   that of people who are only students and sit now in a class that the teacher
--                             teaches now, at a location where the school has not withdrawn the privilege
--
-- A class that a teacher made does not count: its teachers choose the students, and could choose anyone.
--
-- Someone counts as a teacher by role or by seat, so that removing the role for a moment does not help. No one signs
-- in as a made-up person (functions/development/environments.sql).
create or replace function may_reset_password(p_person_id uuid) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    roles constant text[] := array(select distinct role from person_role
                                    where organization_id = my_organization() and person_id = p_person_id);
    is_first constant boolean := not exists (
        select from credential where organization_id = my_organization() and person_id = p_person_id);
begin
    if is_development(my_organization()) then
        return false;
    elsif my_standing() = 'administrator' then
        return true;
    elsif my_standing() = 'teacher' then
        return roles = '{student}' and exists (
            select from seat as s
              join class as c on c.organization_id = s.organization_id and c.class_id = s.class_id
             where s.organization_id = my_organization() and s.person_id = p_person_id
               and s.role = 'student' and s.class_id = any (my_taught_class_ids())
               and c.archived_at is null and not is_made_class(c)
               and privilege_is_granted('resetPasswords', c.location_id) and is_seated(s));
    elsif exists (select from unnest(roles) as r (role) where not may_give_role(r.role)) then
        return false;
    end if;
    return is_first
        or my_standing() <> 'provisioner' and not 'teacher' = any (roles) and not exists (
               select from seat
                where organization_id = my_organization() and person_id = p_person_id and role = 'teacher');
end $$;

-- temporary_password_outcome: what setting one would result in: 'unknown', 'forbidden', 'deactivated' or 'set'.
create or replace function temporary_password_outcome(p_person_id uuid) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    target person;
begin
    select * into target from person
     where organization_id = my_organization() and person_id = p_person_id;
    return case when target.person_id is null          then 'unknown'
                when not may_reset_password(p_person_id) then 'forbidden'
                when target.deactivated_at is not null then 'deactivated'
                else 'set' end;
end $$;

-- write_temporary_passwords (internal): sets one for each of the people. Ends their sessions and forgets their
-- devices. Anyone whose existing password is replaced by someone else is shown that, for the last twenty times.
create or replace function write_temporary_passwords(
    p_organization_id uuid, p_person_ids uuid[], p_records text[], p_expires_at timestamptz) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into password_reset (organization_id, reset_id, person_id, standing, by_person_id,
                                by_service_account_id)
    select p_organization_id, new_id(), c.person_id, coalesce(nullif(my_standing(), 'owner'), 'server'), my_person(),
           my_service_account()
      from credential as c
     where c.organization_id = p_organization_id and c.person_id = any (p_person_ids)
       and c.person_id is distinct from my_person();
    delete from password_reset as r
     where r.organization_id = p_organization_id and r.person_id = any (p_person_ids)
       and r.reset_id not in (select l.reset_id from password_reset as l
                               where l.organization_id = p_organization_id and l.person_id = r.person_id
                               order by l.reset_at desc, l.reset_id desc limit 20);
    insert into credential (organization_id, person_id, password_record, is_temporary, expires_at)
    select p_organization_id, g.person_id, g.record, true, p_expires_at
      from unnest(p_person_ids, p_records) as g (person_id, record) order by g.person_id
    on conflict on constraint credential_pkey do update
       set password_record = excluded.password_record, is_temporary = true,
           expires_at = excluded.expires_at, failed_tries = 0, locked_until = null, lock_count = 0;
    delete from sign_in_device
     where organization_id = p_organization_id and person_id = any (p_person_ids);
    perform end_sessions_of(p_organization_id, p_person_ids, 'temporaryPassword');
end $$;

-- set_temporary_password: returns what temporary_password_outcome() returns. The person is locked, so that of two
-- concurrent first passwords only one is the first.
create or replace function set_temporary_password(p_person_id uuid, p_record text,
                                                  p_expires_at timestamptz) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    outcome text;
begin
    perform from person
      where organization_id = my_organization() and person_id = p_person_id for no key update;
    outcome := temporary_password_outcome(p_person_id);
    if outcome = 'set' then
        perform write_temporary_passwords(my_organization(), array[p_person_id], array[p_record],
                                          p_expires_at);
        perform audit('temporaryPassword', 'person', p_person_id::text, '{}');
    end if;
    return outcome;
end $$;

-- password_resets (internal): by whom and when a person's password was reset, the latest first, to show to the
-- person; null if it was not, or if the person has confirmed seeing it.
create or replace function password_resets(p_organization_id uuid, p_person_id uuid) returns json
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (
        select json_agg(json_build_object(
                   'resetAt', rfc3339(r.reset_at), 'standing', r.standing,
                   'name', coalesce(full_name(p.given_name, p.family_name,
                                              coalesce(p.name_order, o.name_order)), a.name))
                   order by r.reset_at desc, r.reset_id desc)
          from password_reset as r
          join organization as o on o.organization_id = r.organization_id
          left join person as p on p.organization_id = r.organization_id and p.person_id = r.by_person_id
          left join service_account as a on a.organization_id = r.organization_id
                                        and a.service_account_id = r.by_service_account_id
         where r.organization_id = p_organization_id and r.person_id = p_person_id);
end $$;

-- confirm_password_resets: the caller has seen who reset the password. The audit trail still records it.
create or replace function confirm_password_resets() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    seen bigint;
begin
    delete from password_reset where organization_id = my_organization() and person_id = my_person();
    get diagnostics seen = row_count;
    if seen > 0 then
        perform audit('passwordChange', 'person', my_person()::text,
                      jsonb_build_object('confirmedResets', seen));
    end if;
end $$;
grant execute on function confirm_password_resets() to school_person;

-- end_sessions_of (internal): ends all sessions of these people.
create or replace function end_sessions_of(p_organization_id uuid, p_person_ids uuid[], p_reason text)
    returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update session set ended_at = moment(), end_reason = p_reason
     where organization_id = p_organization_id and person_id = any (p_person_ids)
       and ended_at is null;
    update access_token set revoked_at = moment()
     where organization_id = p_organization_id and person_id = any (p_person_ids)
       and revoked_at is null;
    perform pg_notify('school_revocation', 'person:' || p_organization_id || '/' || person_id)
       from unnest(p_person_ids) as person_id;
end $$;

-- words_of_names (internal): the words of names in lower case, with and without accents, and each name as a whole.
create or replace function words_of_names(variadic p_names text[]) returns text[]
    language plpgsql immutable
    set search_path = school, pg_temp as $$
begin
    return array(
        select distinct w.word
          from unnest(p_names) as n (name)
         cross join lateral unnest(array[lower(n.name), latin_letters(n.name)]) as v (name)
         cross join lateral unnest(array[v.name] || regexp_split_to_array(v.name, '[^[:alnum:]]+')) as w (word)
         where char_length(w.word) >= 2 and (w.word ~ '[[:alpha:]]' or char_length(w.word) >= 4)
         order by w.word);
end $$;

-- my_own_words: the words of the caller's names and managed ID, which a new password may not contain.
create or replace function my_own_words() returns text[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select words_of_names(given_name, middle_name, family_name, split_part(managed_id, '@', 1))
              from person where organization_id = my_organization() and person_id = my_person());
end $$;
grant execute on function my_own_words() to school_person, school_app;
