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

-- my_credential: the caller's credential, to verify the present password before it changes; no row if none counts. A
-- lock, which strangers may have caused, does not stop someone who is signed in.
create or replace function my_credential(p_digest bytea default null)
    returns table (password_record text, password_policy text, is_locked boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    perform refuse_badge(session_of(p_digest));
    return query
    select c.password_record, school.password_policy(c.person_id),
           coalesce(c.locked_until > moment(), false) and session_of(p_digest) is null
      from credential as c
     where c.organization_id = my_organization() and c.person_id = my_person()
       and (my_standing() <> 'app' or c.is_temporary) and uses_my_password();
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

-- is_same_password (internal): whether two records ($scrypt$cost$salt$hash, $argon2id$version$cost$salt$hash) are of the
-- same password. Each new password has a salt of its own, and renew_password_record() keeps it: a sign-in that compared the old record still counts.
create or replace function is_same_password(p_record text, p_other text) returns boolean
    language sql immutable parallel safe
    return p_record = p_other
        or (split_part(p_record, '$', -2) ~ '^[A-Za-z0-9+/]{22}$'
            and split_part(p_record, '$', -2) = split_part(p_other, '$', -2));

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
    perform refuse_badge(kept);
    update credential
       set password_record = p_new_record, is_temporary = false, expires_at = null,
           failed_tries = 0, locked_until = null, lock_count = 0
     where organization_id = my_organization() and person_id = my_person()
       and is_same_password(password_record, p_old_record)
       and (locked_until is null or locked_until <= moment() or kept is not null)
       and (my_standing() <> 'app' or is_temporary) and uses_my_password();
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

-- temporary_password_outcome: what setting one would result in: 'unknown', 'forbidden', 'withoutPassword' (none would
-- count), 'deactivated' or 'set'.
create or replace function temporary_password_outcome(p_person_id uuid) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    target person;
begin
    select * into target from person
     where organization_id = my_organization() and person_id = p_person_id;
    return case when target.person_id is null          then 'unknown'
                when not may_become('password', p_person_id) then 'forbidden'
                when not uses_password(my_organization(), p_person_id) then 'withoutPassword'
                when target.deactivated_at is not null then 'deactivated'
                else 'set' end;
end $$;

-- write_temporary_passwords (internal): sets one for each of the people. Ends their sessions and forgets their
-- devices. Who had a password, or signed in without one, is told.
create or replace function write_temporary_passwords(
    p_organization_id uuid, p_person_ids uuid[], p_records text[], p_expires_at timestamptz) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform tell_sign_in_changes(p_organization_id, 'password', array(
        select t.person_id from unnest(p_person_ids) as t (person_id)
         where has_signed_in(p_organization_id, t.person_id)
            or exists (select from credential as c
                        where c.organization_id = p_organization_id and c.person_id = t.person_id)));
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
