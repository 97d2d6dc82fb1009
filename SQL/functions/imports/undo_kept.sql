-- Functions of imports: what is kept of one, so that it can be undone.
--
-- An import keeps the rows that it replaces (keep_import_undo, before it writes) and how it left them
-- (complete_import_undo, afterwards), for thirty days and of import_undo_max() rows at most.
--
-- Rows are kept and compared as JSON, in which moments are written in the time zone of the session: so it is UTC here.

-- import_undo_max (internal): how many replaced rows are kept for one import at most. To undo a larger one, go back to
-- a backup: keeping its rows would take longer than importing them.
create or replace function import_undo_max() returns integer language sql immutable return 100000;

-- import_image (internal): the columns of a row that an import sets in rows of the directory.
create or replace function import_image(p_table text, p_row jsonb) returns jsonb
    language plpgsql immutable
    set search_path = school, pg_temp as $$
declare
    field text[];
    image jsonb := '{}';
begin
    if p_row is null then
        return null;
    end if;
    foreach field slice 1 in array import_fields(p_table) loop
        if field[3] in ('all', 'known') then
            image := image || jsonb_build_object(field[1], p_row -> field[1]);
        end if;
    end loop;
    return image;
end $$;

-- current_import_image (internal): the same of a row of the directory as it is now; null if it is gone. Of a role that
-- is there, where it came from.
create or replace function current_import_image(p_entry import_undo) returns jsonb
    language plpgsql stable
    set search_path = school, pg_temp as $$
declare
    found_row jsonb;
begin
    if p_entry.kind = 'seat' then
        return (select jsonb_build_object('left_at', s.left_at, 'source_id', s.source_id) from seat as s
                 where s.organization_id = p_entry.organization_id and s.class_id = p_entry.class_id
                   and s.person_id = p_entry.person_id and s.role = p_entry.role
                   and s.joined_at = p_entry.joined_at);
    elsif p_entry.kind = 'role' then
        return (select jsonb_build_object('origin', r.origin) from person_role as r
                 where r.organization_id = p_entry.organization_id and r.person_id = p_entry.person_id
                   and r.location_id = p_entry.location_id and r.role = p_entry.role);
    end if;
    execute format('select to_jsonb(t) from %1$I as t where t.organization_id = $1 and t.%2$I = $2',
                   p_entry.kind, p_entry.kind || '_id')
       into found_row using p_entry.organization_id, p_entry.row_id;
    return import_image(p_entry.kind, found_row);
end $$;

-- import_plan_size (internal): how many rows of the directory the plan in the temporary tables writes.
create or replace function import_plan_size() returns bigint
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return (select sum(n) from (
            select count(*) as n from planned_location where change <> 'unchanged'
            union all select count(*) from planned_term where change <> 'unchanged'
            union all select count(*) from planned_person where change <> 'unchanged'
            union all select count(*) from leaving_person
            union all select count(*) from planned_role
            union all select count(*) from planned_course where change <> 'unchanged'
            union all select count(*) from planned_class where change <> 'unchanged'
            union all select count(*) from closing_class
            union all select count(*) from planned_seat where change <> 'unchanged'
            union all select count(*) from ending_seat) as plan);
end $$;

-- keep_import_undo: keeps what the plan in the temporary tables is about to replace; nothing of a plan that is too
-- large. Definer, because nobody else may read or write what is kept.
create or replace function keep_import_undo(p_import_id uuid) returns void
    language plpgsql security definer
    set search_path = school, pg_temp set timezone = 'UTC' as $$
begin
    if import_plan_size() > import_undo_max() then
        return;
    end if;
    insert into import_undo (organization_id, import_id, position, kind, change, row_id, person_id, class_id,
                             location_id, role, joined_at)
    select my_organization(), p_import_id, row_number() over (), e.*
      from (select 'location', change, location_id, null::uuid, null::uuid, null::uuid, null, null::timestamptz
              from planned_location where change in ('created', 'changed')
            union all
            select 'term', change, term_id, null, null, null, null, null
              from planned_term where change in ('created', 'changed')
            union all
            select 'person', case when is_new then 'created' else 'changed' end, person_id, person_id, null, null, null,
                   null
              from planned_person where is_new or differs
            union all
            select 'person', 'changed', person_id, person_id, null, null, null, null from leaving_person
            union all
            select 'role', change, null, person_id, null, location_id, role, null from planned_role
            union all
            select 'course', change, course_id, null, null, null, null, null
              from planned_course where change in ('created', 'changed')
            union all
            select 'class', case when is_new then 'created' else 'changed' end, class_id, null, null, null, null, null
              from planned_class where is_new or differs
            union all
            select 'class', 'changed', class_id, null, null, null, null, null from closing_class
            union all
            select 'seat', 'changed', null, s.person_id, s.class_id, null, s.role, s.joined_at
              from planned_seat as p
              join seat as s on s.organization_id = my_organization() and s.class_id = p.class_id
               and s.person_id = p.person_id and s.role = p.role and is_open_seat(s)
             where p.change = 'changed'
            union all
            select 'seat', 'changed', null, person_id, class_id, null, role, joined_at
              from ending_seat) as e;
    update import_undo as u set before = current_import_image(u)
     where u.organization_id = my_organization() and u.import_id = p_import_id and u.change <> 'created';
end $$;

-- complete_import_undo: the seats that the import made, which have their beginnings only now, and how it left all rows.
create or replace function complete_import_undo(p_import_id uuid) returns void
    language plpgsql security definer
    set search_path = school, pg_temp set timezone = 'UTC' as $$
declare
    own  constant uuid := my_organization();
    last integer;
begin
    if import_plan_size() > import_undo_max() then
        return;
    end if;
    select max(position) into last from import_undo as u where u.organization_id = own and u.import_id = p_import_id;
    insert into import_undo (organization_id, import_id, position, kind, change, person_id, class_id, role, joined_at,
                             after)
    select own, p_import_id, coalesce(last, 0) + row_number() over (), 'seat', 'created', s.person_id, s.class_id,
           s.role, s.joined_at, jsonb_build_object('left_at', s.left_at, 'source_id', s.source_id)
      from planned_seat as p
      join seat as s on s.organization_id = own and s.class_id = p.class_id and s.person_id = p.person_id
       and s.role = p.role and s.left_at is null
     where p.change = 'created';
    update import_undo as u set after = current_import_image(u)
     where u.organization_id = own and u.import_id = p_import_id and u.position <= last;
end $$;
grant execute on function keep_import_undo(uuid), complete_import_undo(uuid) to school_directory_manager;
