-- Functions of imports: the rows of a plan, stored for people to read before they approve it and afterwards.
--
-- They hold names, as of the plan: a new person is nowhere else before it is applied, and an old name is nowhere
-- afterwards. With the person they are erased. Removed rows come first, then changed, then new ones, each in the order of the file; at most import_changes_max of
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
