-- Functions of viewings: the only way to write one (Sources/decisions/viewings.md).

-- note_viewing: the caller was shown the work of a class, or of one student in it, at a moment that is not in the
-- future. The class is named by a handout, by its id or by its source id. Notes nothing if the caller is a person who
-- never taught the class, or the student; who is noted as the reader is always the caller. A row is written at most
-- once a minute.
--
-- What the caller may read now does not matter: a viewing may be noted late, after the caller has left the class, or
-- after the grant of a system was withdrawn.
create or replace function note_viewing(
    p_handout_id uuid, p_class_id uuid, p_class_source text, p_student_id uuid, p_student_source text,
    p_at timestamptz) returns void
    language plpgsql volatile security definer
    set search_path = school, pg_temp as $$
declare
    organization constant uuid := my_organization();
    reader       constant uuid := my_person();
    system       constant uuid := case when reader is null then my_service_account() end;
    seen_at      constant timestamptz(3) := least(p_at, moment());
    is_of_one    constant boolean := num_nonnulls(p_student_id, p_student_source) > 0;
    taught       constant uuid := case when p_handout_id is null then (
        select c.class_id from class as c
         where c.organization_id = organization and (c.class_id = p_class_id or c.source_id = p_class_source))
        else (select h.class_id from handout as h
               where h.organization_id = organization and h.handout_id = p_handout_id) end;
    student      constant uuid := (
        select p.person_id from person as p
         where p.organization_id = organization and (p.person_id = p_student_id or p.source_id = p_student_source));
begin
    if taught is null or (is_of_one and student is null) or student = reader
       or (system is null and not exists (
           select from seat as s
            where s.organization_id = organization and s.class_id = taught and s.person_id = reader
              and s.role = 'teacher')) then
        return;
    end if;
    insert into viewing as v (organization_id, viewing_id, viewed_on, reader_id, system_id, class_id, student_id,
                              first_at, last_at)
    select o.organization_id, new_id(), (seen_at at time zone o.time_zone)::date, reader, system, taught, student,
           seen_at, seen_at
      from organization as o where o.organization_id = organization
        on conflict (organization_id, reader_id, system_id, viewed_on, class_id, student_id)
              where reader_id is not null or system_id is not null
        do update set times = v.times + 1, first_at = least(v.first_at, excluded.first_at),
                      last_at = greatest(v.last_at, excluded.last_at)
            where excluded.first_at < v.first_at or excluded.first_at >= v.last_at + interval '1 minute';
end $$;
grant execute on function note_viewing(uuid, uuid, text, uuid, text, timestamptz)
    to school_teacher, school_roster_reader;

-- describe_my_viewings: the reader and the class of each given viewing that is of the caller's own work. Definer,
-- because students cannot read people: they see the names of all who looked, even of those who no longer teach them.
create or replace function describe_my_viewings(p_viewing_ids uuid[])
    returns table (viewing_id uuid, reader json, system json, class_name text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select v.viewing_id,
           case when p.person_id is not null then json_build_object(
               'personId', p.person_id, 'givenName', p.given_name, 'familyName', p.family_name,
               'nameOrder', name_order_of(p)) end,
           case when v.system_id is not null then json_build_object('id', v.system_id, 'name', a.name) end, c.name
      from viewing as v
      left join service_account as a
             on a.organization_id = v.organization_id and a.service_account_id = v.system_id
      left join person as p on p.organization_id = v.organization_id and p.person_id = v.reader_id
      left join class as c  on c.organization_id = v.organization_id and c.class_id = v.class_id
     where v.organization_id = my_organization() and v.viewing_id = any (p_viewing_ids)
       and (v.student_id = my_person() or v.student_id is null and exists (
               select from seat as s
                where s.organization_id = v.organization_id and s.class_id = v.class_id
                  and s.person_id = my_person() and s.role = 'student' and s.joined_at <= v.last_at));
end $$;
grant execute on function describe_my_viewings(uuid[]) to school_student;
