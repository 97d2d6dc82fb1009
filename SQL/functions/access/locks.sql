-- Functions of access: what wrong passwords lead to, and who may sign in anyway.
--
-- Ten wrong passwords lock an account, so that passwords cannot be guessed by trying them all. But anyone who knows
-- the name of an account could lock it that way. So the lock does not apply to a device from which the person has
-- signed in before: it has ten tries of its own, and counts as a stranger after them.

-- knows_device (internal): whether the person has signed in before with this device secret.
create or replace function knows_device(p_organization_id uuid, p_person_id uuid, p_device_digest bytea)
    returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (
        select from sign_in_device
         where organization_id = p_organization_id and digest = p_device_digest
           and person_id = p_person_id and expires_at > moment());
end $$;

-- remember_device (internal): remembers the device of a sign-in, known or new, for 180 days from now. A person has at
-- most twenty; the oldest are forgotten. The digest of a browser depends on the managed ID: it may be there for the one
-- who had the ID before, or forgotten and not removed yet.
create or replace function remember_device(
    p_organization_id uuid, p_person_id uuid, p_session_id uuid, p_device_digest bytea,
    p_new_device_digest bytea) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update sign_in_device
       set session_id = p_session_id, failed_tries = 0, expires_at = moment() + interval '180 days'
     where organization_id = p_organization_id and digest = p_device_digest
       and person_id = p_person_id and expires_at > moment();
    if found or p_new_device_digest is null then
        return;
    end if;
    delete from sign_in_device
     where organization_id = p_organization_id and person_id = p_person_id
       and digest in (select d.digest from sign_in_device as d
                       where d.organization_id = p_organization_id and d.person_id = p_person_id
                       order by d.created_at desc, d.digest offset 19);
    insert into sign_in_device (organization_id, digest, person_id, session_id, expires_at)
    values (p_organization_id, p_new_device_digest, p_person_id, p_session_id,
            moment() + interval '180 days')
    on conflict on constraint sign_in_device_pkey do update
       set person_id = excluded.person_id, session_id = excluded.session_id, failed_tries = 0,
           created_at = excluded.created_at, expires_at = excluded.expires_at;
end $$;

-- count_failed_device_try (internal): counts a wrong password from a known device; after ten the device is forgotten.
create or replace function count_failed_device_try(
    p_organization_id uuid, p_person_id uuid, p_device_digest bytea) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update sign_in_device set failed_tries = failed_tries + 1
     where organization_id = p_organization_id and digest = p_device_digest
       and person_id = p_person_id;
    delete from sign_in_device
     where organization_id = p_organization_id and digest = p_device_digest
       and person_id = p_person_id and failed_tries >= 10;
end $$;

-- count_failed_try (internal): ten wrong tries lock for fifteen minutes, the next ten for twice as long, and so on up
-- to a day, until a sign-in succeeds. The lock ends by itself; tries during it do not extend it. True if this try
-- locked the account.
create or replace function count_failed_try(p_organization_id uuid, p_person_id uuid) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    has_locked boolean;
begin
    update credential as c
       set failed_tries = (c.failed_tries + 1) % 10,
           lock_count = c.lock_count + (c.failed_tries + 1) / 10,
           locked_until = case when c.failed_tries + 1 >= 10
                               then moment() + least(interval '15 minutes' * power(2, least(c.lock_count, 10)),
                                                     interval '1 day') end
     where c.organization_id = p_organization_id and c.person_id = p_person_id
       and (c.locked_until is null or c.locked_until <= moment())
    returning c.locked_until is not null into has_locked;
    return coalesce(has_locked, false);
end $$;

-- lift_sign_in_lock: ends a lock and forgets what led to it. Returns 'unknown', 'forbidden' or 'lifted', the last
-- also where there was no lock. For those who may set the person's password.
create or replace function lift_sign_in_lock(p_person_id uuid) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    was_locked boolean;
begin
    if not exists (select from person
                    where organization_id = my_organization() and person_id = p_person_id) then
        return 'unknown';
    elsif not may_become('password', p_person_id) then
        return 'forbidden';
    end if;
    select locked_until > moment() into was_locked from credential
     where organization_id = my_organization() and person_id = p_person_id for update;
    update credential set failed_tries = 0, locked_until = null, lock_count = 0
     where organization_id = my_organization() and person_id = p_person_id;
    if was_locked then
        -- Not with audit(): a teacher may not cause any other change of a person.
        perform write_audit_event(my_organization(), 'personChange', my_standing(), my_person(), my_app(), null,
                                  'person', p_person_id::text, '{"change": "unlocked"}');
    end if;
    return 'lifted';
end $$;
grant execute on function lift_sign_in_lock(uuid)
    to school_directory_manager, school_manager, school_teacher;
