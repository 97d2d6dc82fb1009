-- Functions of imports: what stands in the way of undoing one.
--
-- They read what is kept as rows of a temporary table, change nothing and lock nothing, however large the import was.

-- unfold_import_undo (internal): the rows of an import's sets, as the temporary table undone_row of this transaction,
-- in batches of 20,000 of one kind and change. Rows of one class are close together. Terms may refer to each other, so
-- they are one batch.
create or replace function unfold_import_undo(p_import_id uuid) returns void
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    if to_regclass('pg_temp.undone_row') is not null then
        drop table pg_temp.undone_row;
    end if;
    create temporary table undone_row on commit drop as
    select u.kind, u.change, coalesce(m.id, u.row_id, u.person_id) as id, u.class_id, u.location_id, u.role,
           coalesce(m.joined_at, u.joined_at) as joined_at, coalesce(m.before, u.before) as before,
           coalesce(m.hash, import_image_hash(u.after)) as hash,
           case when u.kind = 'term' then 0 else
               (row_number() over (partition by u.kind, u.change order by u.position) - 1) / 20000 end as batch
      from import_undo as u
      left join lateral rows from (
               unnest(u.ids, u.joined, u.hashes),
               jsonb_array_elements(case when u.ids is not null then u.before end)) as m (id, joined_at, hash, before)
        on true
     where u.organization_id = my_organization() and u.import_id = p_import_id;
    create index on undone_row (kind, change, batch);
    analyze undone_row;
end $$;

-- import_obstacle (internal): a list of one obstacle, or of none if it occurs nowhere.
create or replace function import_obstacle(p_kind text, p_what text, p_found bigint, p_example text) returns jsonb
    language sql immutable
    return case when p_found = 0 then '[]'::jsonb
                else jsonb_build_array(jsonb_build_object('kind', p_kind, 'what', p_what, 'found', p_found,
                                                          'example', p_example)) end;

-- obstacles_of_import (internal): all of them.
create or replace function obstacles_of_import(p_since timestamptz) returns jsonb
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    target    text;
    obstacles jsonb := '[]';
begin
    foreach target in array array['class', 'course', 'location', 'person', 'role', 'seat', 'term'] loop
        obstacles := obstacles || changed_since_import(target);
    end loop;
    obstacles := obstacles || work_since_import(p_since);
    foreach target in array array['class', 'course', 'person', 'term', 'location'] loop
        obstacles := obstacles || references_since_import(target);
    end loop;
    return obstacles;
end $$;

-- changed_since_import (internal): rows of a kind that are no longer as the import left them, and seats that were
-- taken again.
create or replace function changed_since_import(p_kind text) returns jsonb
    language plpgsql
    set search_path = school, pg_temp set jit = off as $$
declare
    found_rows bigint;
    example    text;
begin
    execute format(
        'select count(*), min(coalesce(c.class_id, c.id)::text)
           from (select u.class_id, u.id, u.location_id, u.role, u.joined_at
                   from undone_row as u
                   left join %1$I as t on t.organization_id = $1 and %2$s
                  where u.kind = %3$L
                    and case when t.organization_id is not null then import_image_hash(%4$s) end
                        is distinct from u.hash
                 union %5$s) as c',
        case p_kind when 'role' then 'person_role' else p_kind end, import_row_is(p_kind, 'u', 'u'), p_kind,
        import_image(p_kind),
        case p_kind when 'seat' then 'select * from seats_taken_again()'
                    else 'select null, null, null, null, null where false' end)
       into found_rows, example using my_organization();
    return import_obstacle(p_kind, 'changed', found_rows, example);
end $$;

-- seats_taken_again (internal): seats that the import ended, whose people have since taken another one in that class
-- and role. The seats that the import itself made do not count.
create or replace function seats_taken_again()
    returns table (class_id uuid, id uuid, location_id uuid, role text, joined_at timestamptz)
    language plpgsql stable
    set search_path = school, pg_temp set jit = off as $$
#variable_conflict use_column
begin
    return query
    select u.class_id, u.id, u.location_id, u.role, u.joined_at::timestamptz
      from undone_row as u
      join seat as s on s.organization_id = my_organization() and s.class_id = u.class_id and s.person_id = u.id
       and s.role = u.role and s.left_at is null and s.joined_at <> u.joined_at
      left join undone_row as m on m.kind = 'seat' and m.change = 'created' and m.class_id = s.class_id
       and m.id = s.person_id and m.role = s.role and m.joined_at = s.joined_at
     where u.kind = 'seat' and u.change = 'changed' and u.before ->> 'left_at' is null and m.id is null;
end $$;

-- work_since_import (internal): seats that the import made and in which someone has worked since: a student at a
-- handout of the class, or for a grade of another system, a teacher by giving a handout or posting an announcement.
create or replace function work_since_import(p_since timestamptz) returns jsonb
    language plpgsql stable
    set search_path = school, pg_temp set jit = off as $$
declare
    own        constant uuid := my_organization();
    found_rows bigint;
    example    text;
begin
    with taken as materialized (
        select distinct class_id from undone_row where kind = 'seat' and change = 'created'),
    worked (class_id, person_id) as (
        select h.class_id, a.person_id
          from taken as k
          join handout as h on h.organization_id = own and h.class_id = k.class_id
          join task as t on t.organization_id = h.organization_id and t.handout_id = h.handout_id
          join assignment as a on a.organization_id = t.organization_id and a.task_id = t.task_id
         where a.updated_at >= p_since
        union
        select h.class_id, h.author_id from taken as k
          join handout as h on h.organization_id = own and h.class_id = k.class_id
         where h.created_at >= p_since
        union
        select n.class_id, n.author_id from taken as k
          join announcement as n on n.organization_id = own and n.class_id = k.class_id
         where n.created_at >= p_since
        union
        select g.class_id, g.person_id from taken as k
          join grade as g on g.organization_id = own and g.class_id = k.class_id
         where g.created_at >= p_since)
    select count(*), min(u.class_id::text) into found_rows, example
      from worked as w
      join undone_row as u on u.kind = 'seat' and u.change = 'created' and u.class_id = w.class_id
       and u.id = w.person_id;
    return import_obstacle('seat', 'work', found_rows, example);
end $$;

-- references_since_import (internal): rows that refer to those of a table that the import made; not the rows that the
-- import itself made or changed, which go first or become what they were before.
create or replace function references_since_import(p_table text) returns jsonb
    language plpgsql
    set search_path = school, pg_temp set jit = off as $$
declare
    hanging    record;
    found_rows bigint;
    example    text;
    obstacles  jsonb := '[]';
begin
    for hanging in
        select c.relname::text as kind, a.attname::text as name
          from pg_constraint as f
          join pg_class as c on c.oid = f.conrelid
          join pg_attribute as a on a.attrelid = f.conrelid and a.attnum = any (f.conkey)
         where f.contype = 'f' and f.confrelid = format('school.%I', p_table)::regclass
           and a.attname <> 'organization_id' and not c.relispartition
           -- What a record said before, and what clients call it, goes with it.
           and c.relname not in ('person_correction', 'external_id')
         order by c.relname, a.attname loop
        execute format(
            'select count(*), min(t.%2$I::text) from %1$I as t
              where t.organization_id = $1
                and t.%2$I in (select u.id from undone_row as u where u.kind = $2 and u.change = ''created'') %3$s',
            hanging.kind, hanging.name, case
                when hanging.kind in ('location', 'term', 'person', 'course', 'class', 'person_role', 'seat') then
                    format('and not exists (select from undone_row as u where u.kind = %L and %s)',
                           replace(hanging.kind, 'person_role', 'role'),
                           import_row_is(replace(hanging.kind, 'person_role', 'role'), 'u', 'u')) end)
           into found_rows, example using my_organization(), p_table;
        obstacles := obstacles || import_obstacle(p_table, hanging.kind, found_rows, example);
    end loop;
    return obstacles;
end $$;
