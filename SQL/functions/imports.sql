-- Functions of imports: the temporary tables through which an archive goes.
--
-- COPY FROM does not work into tables with row-level security, and a standing owns no table; so
-- these tables are made here, for one transaction, and lent to the caller.

set local role school_owner;
set local search_path = school, pg_temp;

-- begin_import_staging: makes the staged_… tables (what the archive says, line by line) and the
-- planned_… tables (what is to be done about it), empty.
create or replace function begin_import_staging() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    staging text;
begin
    create temporary table staged_location (
        line integer, source_id text, name text) on commit drop;
    create temporary table staged_person (
        file text, line integer, source_id text, person_number text, given_name text,
        middle_name text, family_name text, grade text, email text, sis_username text,
        password_policy text, is_staff boolean) on commit drop;
    create temporary table staged_person_location (
        file text, line integer, person_source_id text, location_source_id text) on commit drop;
    create temporary table staged_course (
        line integer, source_id text, number text, name text, location_source_id text) on commit drop;
    create temporary table staged_class (
        line integer, source_id text, number text, display_name text, course_source_id text,
        location_source_id text) on commit drop;
    create temporary table staged_seat (
        file text, line integer, source_id text, class_source_id text, person_source_id text,
        role text) on commit drop;
    create temporary table planned_location (
        change text, line integer, source_id text, location_id uuid, name text) on commit drop;
    create temporary table planned_person (
        change text, file text, line integer, source_id text, person_id uuid, person_number text,
        given_name text, middle_name text, family_name text, grade text, email text,
        managed_id text, password_policy text, is_staff boolean) on commit drop;
    create temporary table planned_person_role (
        change text, person_id uuid, location_id uuid, role text) on commit drop;
    create temporary table planned_course (
        change text, line integer, source_id text, course_id uuid, number text, name text,
        location_id uuid) on commit drop;
    create temporary table planned_class (
        change text, line integer, source_id text, class_id uuid, number text, name text,
        display_name text, course_id uuid, location_id uuid) on commit drop;
    create temporary table planned_seat (
        change text, line integer, source_id text, class_id uuid, person_id uuid, role text,
        joined_at timestamptz) on commit drop;
    create temporary table staged_problem (
        severity text, file text, line integer, column_name text, code text, detail text) on commit drop;
    foreach staging in array import_staging() loop
        execute format('grant select, insert, update, delete on pg_temp.%I to %I', staging,
                       current_setting('role'));
    end loop;
end $$;

-- import_staging (internal): the names of those tables.
create or replace function import_staging() returns text[] language sql immutable
    return array['staged_location', 'staged_person', 'staged_person_location', 'staged_course',
        'staged_class', 'staged_seat', 'planned_location', 'planned_person', 'planned_person_role',
        'planned_course', 'planned_class', 'planned_seat', 'staged_problem'];

-- analyse_import_staging: after filling staged_ and after filling planned_ tables: without
-- statistics the plan of the merge is a hundred times as slow.
create or replace function analyse_import_staging() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    staging text;
begin
    foreach staging in array import_staging() loop
        execute format('analyze pg_temp.%I', staging);
    end loop;
end $$;
grant execute on function begin_import_staging(), analyse_import_staging() to school_directory_manager;

-- unfinished_imports: what a server that starts has to take up again, over all organizations.
create or replace function unfinished_imports()
    returns table (organization_id uuid, import_id uuid, standing text, person_id uuid, archive text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select i.organization_id, i.import_id, i.standing, i.person_id, i.archive from import as i
     where i.status in ('queued', 'running')
     order by i.created_at, i.import_id;
end $$;
grant execute on function unfinished_imports() to school_server;

create or replace trigger bump_version before update on import
    for each row execute function bump_version();
