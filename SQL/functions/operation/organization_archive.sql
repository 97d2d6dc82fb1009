-- Functions of archives: everything of one organization as JSON, and restoring it from that. For the operator's
-- commands, which act as the owner.

-- archived_tables (internal): the tables of an archive, each after those that it refers to, with its stored columns and
-- whether its rows refer to each other. The development environment, whose data is invented, is left out, and so are an
-- order to delete the organization, the state of a move to another cell, how far clients have read the roster, and
-- changes, whose positions are of this database.
create or replace function archived_tables()
    returns table (table_name text, meaning text, columns text[], types text[], meanings text[], required boolean[],
                   key text[], is_self_referring boolean)
    language plpgsql stable
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select t.table_name, obj_description(c.oid, 'pg_class'),
           array_agg(a.attname::text order by a.attnum),
           array_agg(format_type(a.atttypid, a.atttypmod) order by a.attnum),
           array_agg(col_description(c.oid, a.attnum) order by a.attnum), array_agg(a.attnotnull order by a.attnum),
           coalesce((select array_agg(k.attname::text order by p.position)
                       from pg_index as i
                      cross join unnest(i.indkey::int2[]) with ordinality as p (attnum, position)
                       join pg_attribute as k on k.attrelid = i.indrelid and k.attnum = p.attnum
                      where i.indrelid = c.oid and i.indisprimary), '{}'),
           exists (select from pg_constraint as k where k.contype = 'f' and k.conrelid = c.oid and k.confrelid = c.oid)
      from tenant_tables() as t
      join pg_class as c on c.relnamespace = 'school'::regnamespace and c.relname = t.table_name
      join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where t.table_name not in ('development_directory', 'organization_deletion', 'organization_move', 'change',
                                'change_feed', 'change_transaction', 'roster_place')
     group by t.place, t.table_name, c.oid
     order by t.place;
end $$;

-- archived_rows (internal): the rows of an organization in a table, each as one line of JSON with these columns, always
-- in the same order.
create or replace function archived_rows(p_organization_id uuid, p_table text, p_columns text[]) returns setof text
    language plpgsql stable
    set search_path = school, pg_temp
    set timezone = 'UTC' set datestyle = 'ISO' set bytea_output = 'hex' set extra_float_digits = '1' as $$
declare
    chosen text := (select string_agg(format('t.%I', c), ', ' order by n)
                      from unnest(p_columns) with ordinality as u (c, n));
    sorted text := (select string_agg(format('t.%I', k), ', ' order by n) from archived_tables() as a
                     cross join unnest(a.key) with ordinality as u (k, n) where a.table_name = p_table);
begin
    return query execute format(
        'select translate(row_to_json(r)::text, E''\r\n'', ''  '') from (
             select %s from school.%I as t where t.organization_id = $1 order by %s) as r',
        chosen, p_table, coalesce(sorted, chosen))
      using p_organization_id;
end $$;

-- restore_rows (internal): inserts rows of an organization that archived_rows() wrote, given as an array; returns how
-- many. Rows of another organization are left out.
create or replace function restore_rows(p_organization_id uuid, p_table text, p_columns text[], p_rows json)
    returns bigint
    language plpgsql volatile
    set search_path = school, pg_temp as $$
declare
    chosen   text := (select string_agg(format('%I', c), ', ' order by n)
                        from unnest(p_columns) with ordinality as u (c, n));
    restored bigint;
begin
    execute format('insert into school.%1$I (%2$s)
                    select %2$s from json_populate_recordset(null::school.%1$I, $1) where organization_id = $2',
                   p_table, chosen)
      using p_rows, p_organization_id;
    get diagnostics restored = row_count;
    return restored;
end $$;

-- pause_triggers (internal): until they are resumed in the same transaction, triggers leave restored rows as they are;
-- foreign keys are checked. Other organizations' writes wait meanwhile.
create or replace function pause_triggers(p_is_paused boolean) returns void
    language plpgsql volatile
    set search_path = school, pg_temp as $$
declare
    place text;
begin
    for place in
        select t.table_name from tenant_tables() as t
         where exists (select from pg_trigger as g
                        where g.tgrelid = to_regclass('school.' || t.table_name) and not g.tgisinternal)
         order by t.place
    loop
        execute format('alter table school.%I %s trigger user', place,
                       case when p_is_paused then 'disable' else 'enable' end);
    end loop;
end $$;

-- finish_restoring (internal): what differs here from where the archive was made: ordered exports have no files, and an
-- event says that the organization was restored.
create or replace function finish_restoring(p_organization_id uuid) returns void
    language plpgsql volatile
    set search_path = school, pg_temp as $$
begin
    update export set files = '[]', expires_at = moment()
     where organization_id = p_organization_id and status = 'succeeded' and expires_at > moment();
    perform write_audit_event(p_organization_id, 'organizationChange', 'server', null, null, null, 'organization',
                              p_organization_id::text, '{"change": "restored"}');
end $$;
