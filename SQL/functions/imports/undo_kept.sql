-- Functions of imports: what is kept of one, so that it can be undone.
--
-- An import keeps the rows that it replaces (keep_import_undo, before it writes), the ids of those that it makes, and
-- hashes of how it left both (complete_import_undo, afterwards): for thirty days, and of import_undo_max() rows at
-- most. It keeps them in sets, of the seats of a class or of a thousand rows, with a few statements for each kind of
-- rows: a row for each, filled one by one, took longer than the import itself (Sources/decisions/undo.md). The order of
-- the rows in a set is any; all arrays of a set have it, as its aggregates read the rows in one pass.
--
-- Rows are kept and compared as JSON, in which moments are written in the time zone of the session: so it is UTC here.

-- import_undo_max (internal): how many rows one import may make, change and remove and still be undone. To undo a
-- larger one, go back to a backup.
create or replace function import_undo_max() returns integer language sql immutable return 5000000;

-- import_image (internal): an expression of the columns that an import sets in rows of the directory, over the row t.
create or replace function import_image(p_table text) returns text
    language plpgsql immutable
    set search_path = school, pg_temp as $$
begin
    return case p_table
        when 'seat' then 'jsonb_build_object(''left_at'', t.left_at, ''source_id'', t.source_id)'
        when 'role' then 'jsonb_build_object(''origin'', t.origin)'
        else format('jsonb_build_object(%s)', import_columns(p_table, '%1$L, t.%1$I', 'known')) end;
end $$;

-- import_image_hash (internal): by which a row is recognised as still being as an import left it.
create or replace function import_image_hash(p_image jsonb) returns bigint
    language sql immutable parallel safe
    return hashtextextended(p_image::text, 0);

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

-- import_planned_ids (internal): a query for the ids of the rows of a table that the plan makes or changes.
create or replace function import_planned_ids(p_table text, p_change text) returns text
    language plpgsql immutable
    set search_path = school, pg_temp as $$
begin
    return case
        when p_table not in ('person', 'class') then
            format('select %I as id from %I where change = %L', p_table || '_id', 'planned_' || p_table, p_change)
        when p_change = 'created' then
            format('select %1$I as id from %2$I where is_new', p_table || '_id', 'planned_' || p_table)
        else
            format('select %1$I as id from %2$I where differs and not is_new union select %1$I from %3$I',
                   p_table || '_id', 'planned_' || p_table,
                   case p_table when 'person' then 'leaving_person' else 'closing_class' end) end;
end $$;

-- keep_import_rows (internal): a set for each thousand rows of a table that the plan makes or changes: with images of
-- what it changes, or hashes of what it made.
create or replace function keep_import_rows(p_import_id uuid, p_table text, p_change text, p_after integer)
    returns void
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    execute format(
        'insert into import_undo (organization_id, import_id, position, kind, change, ids, %5$s)
         select $1, $2, $3 + row_number() over (order by c.piece), %1$L, %2$L, c.ids, c.kept
           from (select n.piece, array_agg(n.id) as ids, %6$s(n.kept) as kept
                   from (select t.%3$I as id, %4$s as kept, (row_number() over () - 1) / 1000 as piece
                           from (%7$s) as w
                           join %1$I as t on t.organization_id = $1 and t.%3$I = w.id) as n
                  group by n.piece) as c',
        p_table, p_change, p_table || '_id',
        case p_change when 'created' then format('import_image_hash(%s)', import_image(p_table))
                      else import_image(p_table) end,
        case p_change when 'created' then 'hashes' else 'before' end,
        case p_change when 'created' then 'array_agg' else 'jsonb_agg' end,
        import_planned_ids(p_table, p_change))
      using my_organization(), p_import_id, p_after;
end $$;

-- import_undo_end (internal): the last position of what is kept of an import.
create or replace function import_undo_end(p_import_id uuid) returns integer
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return coalesce((select max(position) from import_undo
                      where organization_id = my_organization() and import_id = p_import_id), 0);
end $$;

-- keep_import_undo: keeps what the plan in the temporary tables is about to replace; nothing of a plan that is too
-- large. Definer, because nobody else may read or write what is kept.
create or replace function keep_import_undo(p_import_id uuid) returns void
    language plpgsql security definer
    set search_path = school, pg_temp set enable_nestloop = off set jit = off set timezone = 'UTC' as $$
declare
    own    constant uuid := my_organization();
    last   integer;
    target text;
begin
    if import_plan_size() > import_undo_max() then
        return;
    end if;
    foreach target in array array['location', 'term', 'person', 'course', 'class'] loop
        perform keep_import_rows(p_import_id, target, 'changed', import_undo_end(p_import_id));
    end loop;
    last := import_undo_end(p_import_id);
    insert into import_undo (organization_id, import_id, position, kind, change, location_id, role, ids, before)
    select own, p_import_id, last + row_number() over (), 'role', 'removed', c.*
      from (select n.location_id, n.role, array_agg(n.person_id), jsonb_agg(jsonb_build_object('origin', n.origin))
              from (select t.*, (row_number() over () - 1) / 1000 as piece
                      from planned_role as w
                      join person_role as t on t.organization_id = own and t.person_id = w.person_id
                       and t.location_id = w.location_id and t.role = w.role
                     where w.change = 'removed') as n
             group by n.location_id, n.role, n.piece) as c;
    last := import_undo_end(p_import_id);
    insert into import_undo (organization_id, import_id, position, kind, change, class_id, role, ids, joined, before)
    select own, p_import_id, last + row_number() over (), 'seat', 'changed', c.*
      from (select t.class_id, t.role, array_agg(t.person_id), array_agg(t.joined_at),
                   jsonb_agg(jsonb_build_object('left_at', t.left_at, 'source_id', t.source_id))
              from (select s.* from planned_seat as p
                      join seat as s on s.organization_id = own and s.class_id = p.class_id
                       and s.person_id = p.person_id and s.role = p.role and is_open_seat(s)
                     where p.change = 'changed'
                    union all
                    select s.* from ending_seat as e
                      join seat as s on s.organization_id = own and s.class_id = e.class_id
                       and s.person_id = e.person_id and s.role = e.role and s.joined_at = e.joined_at) as t
             group by t.class_id, t.role) as c;
end $$;

-- complete_import_undo: keeps the ids of what the import made, and hashes of how it left all rows.
create or replace function complete_import_undo(p_import_id uuid) returns void
    language plpgsql security definer
    set search_path = school, pg_temp set enable_nestloop = off set jit = off set timezone = 'UTC' as $$
declare
    own    constant uuid := my_organization();
    last   integer;
    target text;
begin
    if import_plan_size() > import_undo_max() then
        return;
    end if;
    foreach target in array array['location', 'term', 'person', 'course', 'class', 'seat'] loop
        perform hash_import_rows(p_import_id, target);
    end loop;
    foreach target in array array['location', 'term', 'person', 'course', 'class'] loop
        perform keep_import_rows(p_import_id, target, 'created', import_undo_end(p_import_id));
    end loop;
    last := import_undo_end(p_import_id);
    insert into import_undo (organization_id, import_id, position, kind, change, location_id, role, ids, hashes)
    select own, p_import_id, last + row_number() over (), 'role', 'created', c.*
      from (select n.location_id, n.role, array_agg(n.person_id),
                   array_agg(import_image_hash(jsonb_build_object('origin', n.origin)))
              from (select t.*, (row_number() over () - 1) / 1000 as piece
                      from planned_role as w
                      join person_role as t on t.organization_id = own and t.person_id = w.person_id
                       and t.location_id = w.location_id and t.role = w.role
                     where w.change = 'created') as n
             group by n.location_id, n.role, n.piece) as c;
    last := import_undo_end(p_import_id);
    insert into import_undo (organization_id, import_id, position, kind, change, class_id, role, ids, joined, hashes)
    select own, p_import_id, last + row_number() over (), 'seat', 'created', c.*
      from (select s.class_id, s.role, array_agg(s.person_id), array_agg(s.joined_at),
                   array_agg(import_image_hash(jsonb_build_object('left_at', s.left_at, 'source_id', s.source_id)))
              from planned_seat as p
              join seat as s on s.organization_id = own and s.class_id = p.class_id and s.person_id = p.person_id
               and s.role = p.role and s.left_at is null
             where p.change = 'created'
             group by s.class_id, s.role) as c;
end $$;
grant execute on function keep_import_undo(uuid), complete_import_undo(uuid) to school_directory_manager;

-- hash_import_rows (internal): hashes of the rows that the import changed, as they are now; null of one that is gone.
create or replace function hash_import_rows(p_import_id uuid, p_table text) returns void
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    execute format(
        'update import_undo as u set hashes = h.hashes
           from (select e.position, array_agg(case when t.organization_id is not null
                                                   then import_image_hash(%2$s) end order by m.n) as hashes
                   from import_undo as e
                  cross join lateral unnest(e.ids, e.joined) with ordinality as m (id, joined_at, n)
                   left join %1$I as t on t.organization_id = $1 and %3$s
                  where e.organization_id = $1 and e.import_id = $2 and e.kind = %1$L and e.change = ''changed''
                  group by e.position) as h
          where u.organization_id = $1 and u.import_id = $2 and u.position = h.position',
        p_table, import_image(p_table), import_row_is(p_table, 'e', 'm'))
      using my_organization(), p_import_id;
end $$;

-- import_row_is (internal): a condition that the row t of a table, or of roles, is the one that a set names: p_set has
-- what all of its rows have in common, p_member what differs.
create or replace function import_row_is(p_table text, p_set text, p_member text) returns text
    language plpgsql immutable
    set search_path = school, pg_temp as $$
begin
    return format(case p_table
        when 'seat' then 't.class_id = %1$s.class_id and t.person_id = %2$s.id and t.role = %1$s.role
                          and t.joined_at = %2$s.joined_at'
        when 'role' then 't.person_id = %2$s.id and t.location_id = %1$s.location_id and t.role = %1$s.role'
        else 't.%3$I = %2$s.id' end, p_set, p_member, p_table || '_id');
end $$;
