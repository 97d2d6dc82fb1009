-- Functions of writing: the columns of people and classes, and the statements that add and change their rows.
--
-- Who writes rows of people or classes names each column once, and as JSON: batches, SCIM, rollovers, teachers and
-- commands by add_rows() and change_rows(). Imports, which write a whole district, run the statements of adding_rows()
-- and changing_rows() over their plan. Calls about one row make theirs from the columns of a Resource. A test finds
-- every other statement, and every column that one of these would lose.
--
-- Nothing else is thought of where a row is written: triggers refuse changes of people with higher roles and of the
-- last administrator, keep corrections, note changes and revisions, move tombstones, end sessions and raise versions.
-- All runs with the rights of the caller. A column that is not named is not touched, so each standing writes those that
-- are granted to it, and concurrent changes of other columns, such as a first sign-in, stay.

-- written_columns: the columns that are said of a person or a class, in the order of the table: those that directory
-- managers may add (policies/directory.sql).
create or replace function written_columns(p_table text) returns text[]
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return array(
        select a.attname::text from pg_attribute as a
         where a.attrelid = p_table::regclass and a.attnum > 0 and not a.attisdropped
           and a.attname <> all (array['organization_id', p_table || '_id'])
           and has_column_privilege('school_directory_manager', a.attrelid, a.attnum, 'insert')
         order by a.attnum);
end $$;

-- person_facts: those of people that say something about the person. Who changes one by hand makes an imported person a
-- manual one. The others say how Homeroom treats the person.
create or replace function person_facts() returns text[]
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return array(select c from unnest(written_columns('person')) as c
                  where c <> all ('{managed_id,password_policy,name_order,origin}'));
end $$;

-- listed_columns (internal): columns as a list, each formatted with p_piece.
create or replace function listed_columns(p_columns text[], p_piece text) returns text
    language sql immutable
    return (select string_agg(format(p_piece, c), ', ' order by n) from unnest(p_columns) with ordinality as u (c, n));

-- adding_rows (internal): a statement that adds rows to a table. p_source is a query for their ids and their new rows;
-- $1 is the organization.
create or replace function adding_rows(p_table text, p_columns text[], p_source text) returns text
    language sql immutable
    return format('insert into %I (organization_id, %I, %s) select $1, w.id, %s from (%s) as w',
                  p_table, p_table || '_id', listed_columns(p_columns, '%I'),
                  listed_columns(p_columns, '(w.becomes).%I'), p_source);

-- changing_rows (internal): a statement that sets columns of the rows of such a query.
create or replace function changing_rows(p_table text, p_columns text[], p_source text) returns text
    language sql immutable
    return format('update %I as t set %s from (%s) as w where t.organization_id = $1 and t.%I = w.id',
                  p_table, listed_columns(p_columns, '%1$I = (w.becomes).%1$I'), p_source, p_table || '_id');

-- only_columns (internal): a row as JSON with these columns alone.
create or replace function only_columns(p_row jsonb, p_columns text[]) returns jsonb
    language sql immutable
    return (select coalesce(jsonb_object_agg(m.key, m.value), '{}') from jsonb_each(p_row) as m
             where m.key = any (p_columns));

-- sent_columns (internal): the columns that rows name, all of them the same. An unknown one is an error: it would be
-- lost.
create or replace function sent_columns(p_table text, p_rows jsonb) returns text[]
    language plpgsql stable
    set search_path = school, pg_temp as $$
declare
    named constant text[] := array(select n from jsonb_object_keys(p_rows -> 0) as n where n <> 'id');
begin
    if exists (select from unnest(named) as n
                where n not in (select a.attname from pg_attribute as a where a.attrelid = p_table::regclass)) then
        raise exception 'a row of % has a member that is not stored', p_table using errcode = '22023';
    elsif exists (select from jsonb_array_elements(p_rows) as r
                   where not r ?& named or r - array_append(named, 'id') <> '{}') then
        raise exception 'rows of % that are written together name the same columns', p_table using errcode = '22023';
    end if;
    return named;
end $$;

-- sent_rows (internal): a query for rows that are sent as $2, in their order. Without the offset, PostgreSQL would read
-- a row once for each of its columns.
create or replace function sent_rows(p_table text) returns text
    language sql immutable
    return format('select (r.sent ->> ''id'')::uuid as id, jsonb_populate_record(null::%I, r.sent) as becomes
                     from jsonb_array_elements($2) with ordinality as r (sent, place)
                    order by r.place offset 0', p_table);

-- add_rows: adds people or classes: [{"id": …, and columns}]. With p_skips_known it leaves out those whose source id
-- somebody has.
create or replace function add_rows(
    p_table text, p_organization_id uuid, p_rows jsonb, p_skips_known boolean default false) returns void
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    if jsonb_array_length(p_rows) > 0 then
        execute adding_rows(p_table, sent_columns(p_table, p_rows), sent_rows(p_table))
             || case when p_skips_known then format(' on conflict on constraint %I do nothing',
                                                    p_table || '_source_id_is_unique') else '' end
          using p_organization_id, p_rows;
    end if;
end $$;

-- change_rows: sets the named columns of people or classes: [{"id": …, and columns}].
create or replace function change_rows(p_table text, p_organization_id uuid, p_rows jsonb) returns void
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    columns constant text[] := sent_columns(p_table, p_rows);
begin
    if columns <> '{}' then
        execute changing_rows(p_table, columns, sent_rows(p_table))
          using p_organization_id, p_rows;
    end if;
end $$;

-- set_deactivated: deactivates people as of a moment, or, with null, lets them sign in again. Sessions end by triggers.
create or replace function set_deactivated(p_organization_id uuid, p_person_ids uuid[], p_at timestamptz) returns void
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    update person set deactivated_at = p_at
     where organization_id = p_organization_id and person_id = any (p_person_ids);
end $$;

-- note_first_sign_in (internal): that a person signed in, if it was for the first time.
create or replace function note_first_sign_in(p_organization_id uuid, p_person_id uuid) returns void
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    update person set first_sign_in_at = moment()
     where organization_id = p_organization_id and person_id = p_person_id and first_sign_in_at is null;
end $$;

-- give_roles: gives people roles that they do not hold yet: [{"person_id": …, "location_id": …, "role": …}].
create or replace function give_roles(p_organization_id uuid, p_roles jsonb) returns void
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    insert into person_role (organization_id, person_id, location_id, role)
    select p_organization_id, r.person_id, r.location_id, r.role
      from jsonb_to_recordset(p_roles) as r (person_id uuid, location_id uuid, role text)
        on conflict do nothing;
end $$;

grant execute on function
    written_columns(text), person_facts(), listed_columns(text[], text), only_columns(jsonb, text[]),
    adding_rows(text, text[], text), changing_rows(text, text[], text), sent_columns(text, jsonb), sent_rows(text),
    add_rows(text, uuid, jsonb, boolean), change_rows(text, uuid, jsonb),
    set_deactivated(uuid, uuid[], timestamptz), give_roles(uuid, jsonb)
    to school_directory_manager, school_manager, school_directory_writer;
