-- Functions of imports: the rows of a plan as people read them, of one file each (changes.sql).

-- keep_import_people_changes (internal)
create or replace function keep_import_people_changes(
    p_import_id uuid, p_file text, p_base integer, p_kinds text[]) returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    insert into import_change (organization_id, import_id, position, file, change, line, source_id, fields, kind,
                               person_id, about, differences)
    with e as materialized (
        select person_id, kind, change, line, source_id from (
                select person_id, kind, change, line, source_id
                  from planned_person where kind = any (p_kinds) and change in ('created', 'changed')
                union all
                select l.person_id, l.kind, 'removed', null, p.source_id
                  from leaving_person as l
                  join person as p on p.organization_id = my_organization() and p.person_id = l.person_id
                 where l.kind = any (p_kinds)) as u
         order by import_change_rank(change), line, source_id limit import_changes_max()),
    roles (person_id, location, list) as (
        select r.person_id, min(coalesce(l.name, (n.becomes).name)) filter (where r.change = 'created'),
               jsonb_agg(jsonb_build_object('role', r.role, 'location', coalesce(l.name, (n.becomes).name),
                                            'change', r.change) order by r.change desc, r.role, l.name)
          from planned_role as r
          join e using (person_id)
          left join location as l on l.organization_id = my_organization() and l.location_id = r.location_id
          left join planned_location as n on n.location_id = r.location_id
         group by r.person_id),
    places (person_id, location) as (
        select r.person_id, min(l.name)
          from person_role as r
          join e using (person_id)
          join location as l on l.organization_id = my_organization() and l.location_id = r.location_id
         where r.organization_id = my_organization()
         group by r.person_id)
    select my_organization(), p_import_id,
           p_base + row_number() over (order by import_change_rank(e.change), e.line, e.source_id),
           p_file, e.change, e.line, e.source_id,
           case when e.change = 'changed'
                then import_differences('person', to_jsonb(p), to_jsonb(w.becomes))
                     || case when r.person_id is not null then array['roles'] else '{}' end
                else '{}' end,
           'person', e.person_id,
           import_name_of(p, w.becomes)
           || jsonb_build_object('role', e.kind, 'location', coalesce(o.location, r.location),
                                 'roles', coalesce(r.list, '[]')),
           case when e.change = 'changed' then import_values('person', to_jsonb(p), to_jsonb(w.becomes)) else '[]' end
      from e
      left join person as p on p.organization_id = my_organization() and p.person_id = e.person_id
      left join planned_person as w on w.person_id = e.person_id
      left join roles as r on r.person_id = e.person_id
      left join places as o on o.person_id = e.person_id;
end $$;

-- import_name_of (internal): what people know a person by: as the directory has it, or else as it would.
create or replace function import_name_of(p_known person, p_becomes person) returns jsonb
    language sql immutable parallel safe
    return jsonb_build_object(
        'givenName', coalesce(p_known.given_name, p_becomes.given_name),
        'familyName', coalesce(p_known.family_name, p_becomes.family_name),
        'nameOrder', p_known.name_order, 'grade', coalesce(p_known.grade, p_becomes.grade));

-- import_class_name (internal): the same of a class, with its number: many classes have the name of their course.
create or replace function import_class_name(p_known class, p_becomes class) returns text
    language sql stable parallel safe
    return concat_ws(' · ', coalesce(p_known.name, p_becomes.name),
                     nullif(coalesce(p_known.number, p_becomes.number), coalesce(p_known.name, p_becomes.name)));

-- keep_import_class_changes (internal)
create or replace function keep_import_class_changes(p_import_id uuid, p_file text, p_base integer) returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    insert into import_change (organization_id, import_id, position, file, change, line, source_id, fields, kind,
                               class_id, about, differences)
    select my_organization(), p_import_id,
           p_base + row_number() over (order by import_change_rank(e.change), e.line, e.source_id),
           p_file, e.change, e.line, e.source_id,
           case when e.change = 'changed'
                then import_differences('class', to_jsonb(c), to_jsonb(w.becomes))
                     || case when exists (select from planned_seat as s
                                           where s.class_id = e.class_id and s.role = 'teacher'
                                             and s.change = 'created')
                               or exists (select from ending_seat as s
                                           where s.class_id = e.class_id and s.role = 'teacher')
                             then array['teacherIds'] else '{}' end
                else '{}' end,
           'class', e.class_id,
           jsonb_build_object('name', import_class_name(c, w.becomes)),
           case when e.change = 'changed' then import_values('class', to_jsonb(c), to_jsonb(w.becomes)) else '[]' end
      from (select * from (
                select class_id, change, line, source_id from planned_class where change in ('created', 'changed')
                union all
                select k.class_id, 'removed', null, c.source_id
                  from closing_class as k
                  join class as c on c.organization_id = my_organization() and c.class_id = k.class_id) as u
             order by import_change_rank(change), line, source_id limit import_changes_max()) as e
      left join class as c on c.organization_id = my_organization() and c.class_id = e.class_id
      left join planned_class as w on w.class_id = e.class_id;
end $$;

-- keep_import_seat_changes (internal): seats listed in a file of their own; those of teachers may be listed with
-- classes.
create or replace function keep_import_seat_changes(p_import_id uuid, p_file text, p_base integer) returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    roles text[] := case when import_kind_of_seat('teacher') is null then '{student}' else '{student,teacher}' end;
begin
    insert into import_change (organization_id, import_id, position, file, change, line, source_id,
                               class_source_id, person_source_id, kind, person_id, class_id, about)
    select my_organization(), p_import_id,
           p_base + row_number() over (order by import_change_rank(e.change), e.line, c.source_id, p.source_id),
           p_file, e.change, e.line, e.source_id, coalesce(c.source_id, n.source_id),
           coalesce(p.source_id, w.source_id), 'seat', e.person_id, e.class_id,
           import_name_of(p, w.becomes)
           || jsonb_build_object('role', e.role, 'class', import_class_name(c, n.becomes))
      from (select * from (
                select class_id, person_id, role, change, line, source_id from planned_seat
                 where change in ('created', 'changed') and role = any (roles)
                union all
                select e.class_id, e.person_id, e.role, 'removed', null, s.source_id
                  from ending_seat as e
                  join seat as s on s.organization_id = my_organization() and s.class_id = e.class_id
                   and s.person_id = e.person_id and s.role = e.role and s.joined_at = e.joined_at
                 where e.role = any (roles)) as u
             order by import_change_rank(change), line limit import_changes_max()) as e
      left join class as c on c.organization_id = my_organization() and c.class_id = e.class_id
      left join person as p on p.organization_id = my_organization() and p.person_id = e.person_id
      left join planned_class as n on n.class_id = e.class_id
      left join planned_person as w on w.person_id = e.person_id;
end $$;

-- keep_import_place_changes (internal): terms, locations and courses.
create or replace function keep_import_place_changes(
    p_import_id uuid, p_file text, p_base integer, p_kinds text[]) returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    insert into import_change (organization_id, import_id, position, file, change, line, source_id, fields, kind, about,
                               differences)
    select my_organization(), p_import_id,
           p_base + row_number() over (order by import_change_rank(e.change), e.line, e.source_id),
           p_file, e.change, e.line, e.source_id,
           case when e.change = 'changed' then import_differences(e.kind, e.known, e.becomes) else '{}' end, e.kind,
           jsonb_build_object('name', coalesce(e.known ->> 'name', e.becomes ->> 'name')),
           case when e.change = 'changed' then import_values(e.kind, e.known, e.becomes) else '[]' end
      from (select * from (
                select 'location' as kind, p.change, p.line, p.source_id, to_jsonb(l) as known,
                       to_jsonb(p.becomes) as becomes
                  from planned_location as p
                  left join location as l on l.organization_id = my_organization() and l.location_id = p.location_id
                union all
                select 'course', p.change, p.line, p.source_id, to_jsonb(c), to_jsonb(p.becomes)
                  from planned_course as p
                  left join course as c on c.organization_id = my_organization() and c.course_id = p.course_id
                union all
                select 'term', p.change, p.line, p.source_id, to_jsonb(t), to_jsonb(p.becomes)
                  from planned_term as p
                  left join term as t on t.organization_id = my_organization() and t.term_id = p.term_id) as u
             where kind = any (p_kinds) and change in ('created', 'changed')
             order by line, source_id limit import_changes_max()) as e;
end $$;

-- import_values (internal): what the columns that differ were and become, named as in a list of changes.
create or replace function import_values(p_table text, p_known jsonb, p_becomes jsonb) returns jsonb
    language plpgsql stable
    set search_path = school, pg_temp as $$
declare
    field   text[];
    differs jsonb := '[]';
begin
    foreach field slice 1 in array import_fields(p_table) loop
        if field[2] is not null and p_known -> field[1] is distinct from p_becomes -> field[1] then
            differs := differs || jsonb_build_array(jsonb_build_object(
                'name', field[2], 'was', import_value(field[2], p_known ->> field[1]),
                'becomes', import_value(field[2], p_becomes ->> field[1])));
        end if;
    end loop;
    return differs;
end $$;

-- import_value (internal): a value as people read it: the name of what an id stands for, also if that is only planned,
-- and words for moments that only say whether.
create or replace function import_value(p_field text, p_value text) returns text
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return case p_field
        when 'status' then case when p_value is null then 'active' else 'inactive' end
        when 'archivedAt' then case when p_value is null then 'active' else 'archived' end
        when 'locationId' then coalesce(
            (select l.name from location as l
              where l.organization_id = my_organization() and l.location_id = p_value::uuid),
            (select (n.becomes).name from planned_location as n where n.location_id = p_value::uuid))
        when 'courseId' then coalesce(
            (select c.name from course as c
              where c.organization_id = my_organization() and c.course_id = p_value::uuid),
            (select (n.becomes).name from planned_course as n where n.course_id = p_value::uuid))
        when 'termId' then coalesce(
            (select t.name from term as t where t.organization_id = my_organization() and t.term_id = p_value::uuid),
            (select (n.becomes).name from planned_term as n where n.term_id = p_value::uuid))
        when 'parentId' then coalesce(
            (select t.name from term as t where t.organization_id = my_organization() and t.term_id = p_value::uuid),
            (select (n.becomes).name from planned_term as n where n.term_id = p_value::uuid))
        else p_value end;
end $$;

grant execute on function
    import_name_of(person, person), import_class_name(class, class), import_values(text, jsonb, jsonb),
    import_value(text, text)
    to school_directory_manager;
