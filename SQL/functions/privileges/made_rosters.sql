-- Functions of rosters of classes that teachers made: whom to add, adding and removing.

-- may_be_seated (internal): whether a person may be added to a class in a role: someone who can sign in and has the
-- role at the location of the class.
create or replace function may_be_seated(p_class_id uuid, p_role text, p_person person) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return p_person.deactivated_at is null and exists (
        select from class as c
          join person_role as r on r.organization_id = c.organization_id and r.location_id = c.location_id
         where c.organization_id = my_organization() and c.class_id = p_class_id
           and r.person_id = p_person.person_id and r.role = p_role);
end $$;

-- search_candidates: people whom the caller may add to a class in a role, by name, at most twenty. A search reveals to
-- a teacher that people exist whom he or she does not teach, so:
--
--   - it needs the right to change the class, and finds only people with the role at its location;
--   - a word of the query must have at least three letters, or two where the letters are not Latin;
--   - it shows the name, and the grade of a student; the rest is visible once the person is in the class, which
--     leaves an event;
--   - a teacher searches at most 300 times a day.
--
-- Outcomes: those of made_class_outcome(), tooShort, tooMany. If the outcome is held, a row without a person comes
-- first, then the people.
create or replace function search_candidates(p_class_id uuid, p_role text, p_query text)
    returns table (outcome text, person_id uuid, given_name text, family_name text, name_order text, grade text)
    language plpgsql security definer
    set search_path = school, pg_temp set plan_cache_mode = force_custom_plan set jit = off as $$
#variable_conflict use_column
declare
    own      constant uuid   := my_organization();
    outcome  text            := made_class_outcome(p_class_id);
    words    constant text   := translate(folded(p_query), '_%\', '   ');
    patterns constant text[] := name_patterns(words);
    counted  integer;
begin
    if outcome = 'held' and words !~ '[a-z]{3}|[^ -~]{2}' then
        outcome := 'tooShort';
    elsif outcome = 'held' then
        insert into roster_search as t (organization_id, person_id, searched_on, searches)
        values (own, my_person(), (moment() at time zone 'UTC')::date, 1)
        on conflict on constraint roster_search_pkey do update
           set searches = case when t.searched_on = excluded.searched_on then t.searches + 1 else 1 end,
               searched_on = excluded.searched_on
        returning searches into counted;
        outcome := case when counted > 300 then 'tooMany' else outcome end;
    end if;
    return query select outcome, null::uuid, null::text, null::text, null::text, null::text;
    if outcome <> 'held' then
        return;
    end if;
    return query
    select outcome, p.person_id, p.given_name, p.family_name, name_order_of(p),
           case when p_role = 'student' then p.grade end
      from person as p
     where p.organization_id = own
       and p.name_text like patterns[1]
       and (patterns[2] is null or p.name_text like patterns[2])
       and p.name_text like all (patterns)
       and may_be_seated(p_class_id, p_role, p)
       and not exists (
           select from seat as s
            where s.organization_id = own and s.class_id = p_class_id and s.person_id = p.person_id
              and s.role = p_role and is_seated(s))
     order by p.family_name collate "und-x-icu", p.given_name collate "und-x-icu", p.person_id limit 20;
end $$;

-- put_made_seat: adds a person to a class in a role from now on. Outcomes: those of made_class_outcome(),
-- unknownPerson, unchanged, seated.
create or replace function put_made_seat(p_class_id uuid, p_role text, p_person_id uuid) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    own     constant uuid := my_organization();
    outcome constant text := (select h.outcome from hold_made_class(p_class_id) as h);
begin
    if outcome <> 'held' then
        return outcome;
    end if;
    perform from person where organization_id = own and person_id = p_person_id for share;
    perform from person_role
      where organization_id = own and person_id = p_person_id and role = p_role order by location_id for share;
    if not exists (select from person as p
                    where p.organization_id = own and p.person_id = p_person_id
                      and may_be_seated(p_class_id, p_role, p)) then
        return 'unknownPerson';
    elsif exists (select from seat as s
                   where s.organization_id = own and s.class_id = p_class_id and s.person_id = p_person_id
                     and s.role = p_role and is_seated(s, latest_moment())) then
        return 'unchanged';
    end if;
    -- A colleague may have ended the seat while this call waited for the class.
    perform from begin_seats(own, jsonb_build_array(jsonb_build_object(
        'class_id', p_class_id, 'role', p_role, 'person_ids', jsonb_build_array(p_person_id))), latest_moment());
    perform audit_made_class('rosterChange', p_class_id, jsonb_build_object(
        'role', p_role, 'joined', jsonb_build_array(p_person_id), 'left', '[]'::jsonb));
    return 'seated';
end $$;

-- end_made_seat: takes a person out of a class. A class keeps a teacher. Outcomes: those of made_class_outcome(),
-- unknownPerson, lastTeacher, ended.
create or replace function end_made_seat(p_class_id uuid, p_role text, p_person_id uuid) returns text
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    own     constant uuid := my_organization();
    outcome constant text := (select h.outcome from hold_made_class(p_class_id) as h);
begin
    if outcome <> 'held' then
        return outcome;
    elsif p_role = 'teacher' and not exists (
          select from seat as s
           where s.organization_id = own and s.class_id = p_class_id and s.role = 'teacher'
             and s.person_id <> p_person_id and is_seated(s, latest_moment())) then
        return 'lastTeacher';
    end if;
    perform from end_seats(own, jsonb_build_array(jsonb_build_object(
        'class_id', p_class_id, 'role', p_role, 'person_ids', jsonb_build_array(p_person_id))));
    if not found then
        return 'unknownPerson';
    end if;
    perform audit_made_class('rosterChange', p_class_id, jsonb_build_object(
        'role', p_role, 'joined', '[]'::jsonb, 'left', jsonb_build_array(p_person_id)));
    return 'ended';
end $$;

-- privileges_in_class: what the caller may do in a class that he or she teaches: change it, and reset the passwords
-- of its students.
create or replace function privileges_in_class(p_class_id uuid)
    returns table (may_change boolean, may_reset_passwords boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return query
    select made_class_outcome(c.class_id) = 'held',
           c.archived_at is null and not is_made_class(c) and not is_development(c.organization_id)
           and privilege_is_granted('resetPasswords', c.location_id)
      from class as c
     where c.organization_id = my_organization() and c.class_id = p_class_id
       and c.class_id = any ((select my_taught_class_ids())::uuid[]);
end $$;

grant execute on function search_candidates(uuid, text, text), put_made_seat(uuid, text, uuid),
    end_made_seat(uuid, text, uuid), privileges_in_class(uuid) to school_teacher;
