-- Functions of access: schools without passwords.
--
-- A school with a sign-in provider may turn passwords off. Existing passwords then do not work, and no new ones are
-- given; they work again when the school turns passwords on. Administrators keep theirs: they run the providers, and a
-- provider that fails must not lock them out.

-- uses_password (internal): whether a password counts for a person.
create or replace function uses_password(p_organization_id uuid, p_person_id uuid) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return not exists (select from organization
                        where organization_id = p_organization_id and is_without_passwords)
        or exists (select from person_role
                    where organization_id = p_organization_id and person_id = p_person_id and role = 'administrator');
end $$;

-- uses_my_password: the same for the caller.
create or replace function uses_my_password() returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return uses_password(my_organization(), my_person());
end $$;
grant execute on function uses_my_password() to school_person, school_app;

-- give_up_passwords: a school needs a provider before it gives up passwords. Who had to choose a new password before
-- anything else could not: those sign-ins end.
create or replace function give_up_passwords() returns trigger
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    if not exists (select from sign_in_provider where organization_id = new.organization_id) then
        raise exception 'a school without passwords has a sign-in provider'
            using errcode = '23514', schema = 'school', table = 'organization',
                  constraint = 'organization_without_passwords_has_a_provider';
    end if;
    perform end_session(s.organization_id, s.session_id, 'withoutPasswords')
       from session as s
      where s.organization_id = new.organization_id and s.ended_at is null
        and exists (select from access_token as t
                     where t.organization_id = s.organization_id and t.session_id = s.session_id
                       and t.must_change_password)
        and not uses_password(s.organization_id, s.person_id);
    perform end_badge_sessions(new.organization_id, null, 'withoutPasswords');
    return null;
end $$;
create or replace trigger give_up_passwords after update of is_without_passwords on organization
    for each row when (new.is_without_passwords and not old.is_without_passwords)
    execute function give_up_passwords();

-- keep_a_provider: nobody removes the last provider of a school without passwords, whose people could not sign in any
-- more. Deleting an organization is nobody's standing. Of two providers that are removed at once, the second waits here
-- for the first, and so does giving up passwords.
create or replace function keep_a_provider() returns trigger
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    is_without boolean;
begin
    select o.is_without_passwords into is_without from organization as o
     where o.organization_id = old.organization_id for no key update;
    if is_without and my_standing() <> 'owner'
       and not exists (select from sign_in_provider as p
                        where p.organization_id = old.organization_id
                          and p.sign_in_provider_id <> old.sign_in_provider_id) then
        raise exception 'a school without passwords keeps a sign-in provider'
            using errcode = '23514', schema = 'school', table = 'sign_in_provider',
                  constraint = 'organization_without_passwords_keeps_a_provider';
    end if;
    return old;
end $$;
create or replace trigger keep_a_provider before delete on sign_in_provider
    for each row execute function keep_a_provider();

-- is_without_passwords: whether the organization that offered_providers() finds for a domain is. Anyone may know it:
-- the page for signing in shows it. Of a person it says nothing.
create or replace function is_without_passwords(p_domain text) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from organization
                    where organization_id = offering_organization(p_domain) and is_without_passwords);
end $$;
grant execute on function is_without_passwords(text) to school_server;
