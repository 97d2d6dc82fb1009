-- Functions of imports: the rows of a plan, stored for people to read before they approve it and afterwards.
--
-- They hold source ids and names of fields, but no names of people: readers of the directory look those up there.
-- Removed rows come first, then changed, then new ones, each in the order of the file; at most import_changes_max of
-- each file. Unchanged rows are counted and not listed.

-- import_changes_max (internal): how many rows are kept of each file.
create or replace function import_changes_max() returns integer language sql immutable return 10000;

-- import_change_rank (internal): the order in which changes are listed.
create or replace function import_change_rank(p_change text) returns integer
    language sql immutable parallel safe
    return case p_change when 'removed' then 1 when 'changed' then 2 else 3 end;

-- keep_import_changes: stores the plan of an import in place of an earlier one.
create or replace function keep_import_changes(p_import_id uuid) returns void
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    target record;
begin
    delete from import_change where organization_id = my_organization() and import_id = p_import_id;
    for target in select file, min(position) * 1000000 as base, array_agg(kind) as kinds
                    from staged_scope group by file
    loop
        if 'student' = any (target.kinds) or 'staff' = any (target.kinds) then
            perform keep_import_people_changes(p_import_id, target.file, target.base, target.kinds);
        elsif 'class' = any (target.kinds) then
            perform keep_import_class_changes(p_import_id, target.file, target.base);
        elsif 'seat' = any (target.kinds) then
            perform keep_import_seat_changes(p_import_id, target.file, target.base);
        else
            perform keep_import_place_changes(p_import_id, target.file, target.base, target.kinds);
        end if;
    end loop;
end $$;

-- import_plan_digest: a digest of the plan in the temporary tables. Equal plans of one archive have equal digests,
-- whatever ids they give to new rows: a row is identified by its line, or by the ids of the directory.
create or replace function import_plan_digest(p_import_id uuid) returns bytea
    language plpgsql stable
    set search_path = school, pg_temp set jit = off as $$
begin
    return (
        select sha256(convert_to(string_agg(format('%s %s %s', x.part, x.rows, x.sum), ';' order by x.part), 'UTF8'))
          from (select h.part, count(*) as rows, sum(hashtextextended(h.text, 0)::numeric) as sum
                  from (select 'change' as part,
                               concat_ws('|', c.file, c.change, c.line, c.source_id, c.class_source_id,
                                         c.person_source_id, c.fields::text) as text
                          from import_change as c
                         where c.organization_id = my_organization() and c.import_id = p_import_id
                        union all
                        select 'term', concat_ws('|', line, source_id, change) from planned_term
                        union all
                        select 'location', concat_ws('|', line, source_id, change) from planned_location
                        union all
                        select 'person', concat_ws('|', line, source_id, kind, change) from planned_person
                        union all
                        select 'role', concat_ws('|', p.source_id, r.role, r.change)
                          from planned_role as r left join planned_person as p using (person_id)
                        union all
                        select 'course', concat_ws('|', line, source_id, change) from planned_course
                        union all
                        select 'class', concat_ws('|', line, source_id, change) from planned_class
                        union all
                        select 'seat', concat_ws('|', line, source_id, role, joined_on, change) from planned_seat
                        union all
                        select 'leaving', person_id::text from leaving_person
                        union all
                        select 'closing', class_id::text from closing_class
                        union all
                        select 'ending', concat_ws('|', class_id, person_id, role) from ending_seat) as h
                 group by h.part) as x);
end $$;

-- keep_import_people_changes (internal)
create or replace function keep_import_people_changes(
    p_import_id uuid, p_file text, p_base integer, p_kinds text[]) returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    insert into import_change (organization_id, import_id, position, file, change, line, source_id, fields)
    select my_organization(), p_import_id,
           p_base + row_number() over (order by import_change_rank(e.change), e.line, e.source_id),
           p_file, e.change, e.line, e.source_id,
           case when e.change = 'changed'
                then import_differences('person', to_jsonb(p), to_jsonb(w.becomes))
                     || case when exists (select from planned_role as r where r.person_id = e.person_id)
                             then array['roles'] else '{}' end
                else '{}' end
      from (select * from (
                select person_id, change, line, source_id
                  from planned_person where kind = any (p_kinds) and change in ('created', 'changed')
                union all
                select l.person_id, 'removed', null, p.source_id
                  from leaving_person as l
                  join person as p on p.organization_id = my_organization() and p.person_id = l.person_id
                 where l.kind = any (p_kinds)) as u
             order by import_change_rank(change), line, source_id limit import_changes_max()) as e
      left join person as p on p.organization_id = my_organization() and p.person_id = e.person_id
      left join planned_person as w on w.person_id = e.person_id;
end $$;

-- keep_import_class_changes (internal)
create or replace function keep_import_class_changes(p_import_id uuid, p_file text, p_base integer) returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    insert into import_change (organization_id, import_id, position, file, change, line, source_id, fields)
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
                else '{}' end
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
                               class_source_id, person_source_id)
    select my_organization(), p_import_id,
           p_base + row_number() over (order by import_change_rank(e.change), e.line, c.source_id, p.source_id),
           p_file, e.change, e.line, e.source_id, coalesce(c.source_id, n.source_id),
           coalesce(p.source_id, w.source_id)
      from (select * from (
                select class_id, person_id, change, line, source_id from planned_seat
                 where change in ('created', 'changed') and role = any (roles)
                union all
                select e.class_id, e.person_id, 'removed', null, s.source_id
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
    insert into import_change (organization_id, import_id, position, file, change, line, source_id, fields)
    select my_organization(), p_import_id,
           p_base + row_number() over (order by import_change_rank(e.change), e.line, e.source_id),
           p_file, e.change, e.line, e.source_id,
           case when e.change = 'changed' then import_differences(e.kind, e.known, e.becomes) else '{}' end
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
