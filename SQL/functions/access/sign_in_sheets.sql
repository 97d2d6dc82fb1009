-- Functions of sign-in sheets: temporary passwords for many people at once.

-- set_temporary_passwords: sets all of them, in the order of the people. False if one of them may no longer be set;
-- then none is. One event names all the people.
create or replace function set_temporary_passwords(
    p_person_ids uuid[], p_records text[], p_expires_at timestamptz, p_subject_kind text,
    p_subject_id text) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform from person
      where organization_id = my_organization() and person_id = any (p_person_ids)
      order by person_id for no key update;
    if exists (select from unnest(p_person_ids) as person_id
                where temporary_password_outcome(person_id) <> 'set') then
        return false;
    end if;
    perform write_temporary_passwords(my_organization(), p_person_ids, p_records, p_expires_at);
    perform audit('temporaryPassword', p_subject_kind, p_subject_id,
                  jsonb_build_object('personIds', to_jsonb(p_person_ids)));
    return true;
end $$;
grant execute on function set_temporary_passwords(uuid[], text[], timestamptz, text, text)
    to school_administrator, school_site_manager, school_people_manager, school_manager, school_teacher;
