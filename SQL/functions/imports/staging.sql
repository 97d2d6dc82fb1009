-- Functions of imports: the temporary tables an archive is loaded into, and the way from there into the directory.
--
--   begin_import_staging     makes the tables of one transaction, lent to the caller
--   import_mistakes          contradictions in an archive of Apple's templates (oneroster_mistakes: of OneRoster)
--   map_oneroster            from the rows of OneRoster to those of Apple's templates
--   settle_import_mistakes   leaves out rows that contradict others, and keeps what they are about
--   merged_… and others      the columns that an import sets, and the rules by which they are merged
--   plan_import              what is new, changed, unchanged and gone, as tables
--   keep_import_changes      the rows of the plan, for people to read
--   apply_import             writes the plan
--   claim_import and others  the queue, for the worker
--
-- COPY FROM does not work for tables with row-level security, and a standing owns no table. So the owner creates and
-- analyses the temporary tables. Everything that reads or writes the directory runs with the rights of the orderer,
-- under the policies of the directory.
--
-- Functions that join many rows with many others run without nested loops: statistics do not yet show that an import
-- has just filled the directory (measured: 4 s instead of 10 ms). That raises the planner's cost estimates, which
-- must not trigger just-in-time compilation, so it is off.

-- begin_import_staging: creates, empty, the given_… tables (the content of a OneRoster archive, line by line), the
-- staged_… tables (the same in terms of Apple's templates) and the planned_… tables (what is to be done).
--
-- For each kind of rows an archive has all (staged_scope.is_whole) or only what changed. In the second case
-- staged_removal lists what is gone, and rows that only the directory has are added to the plan where others refer to
-- them, without changes of their own (is_kept).
create or replace function begin_import_staging() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    staging text;
begin
    create temporary table staged_location (
        line integer, source_id text, name text, flaw text) on commit drop;
    create temporary table staged_student (
        line integer, source_id text, person_number text, given_name text, middle_name text,
        family_name text, grade text, email text, sis_username text, password_policy text,
        location_source_ids text[], flaw text) on commit drop;
    -- Staff have no grade and no password policy.
    create temporary table staged_staff (like staged_student) on commit drop;
    create temporary table staged_course (
        line integer, source_id text, number text, name text, location_source_id text,
        flaw text) on commit drop;
    create temporary table staged_class (
        line integer, source_id text, number text, course_source_id text, instructor_source_ids text[],
        location_source_id text, display_name text, name text, room text, term_source_ids text[],
        flaw text) on commit drop;
    create temporary table staged_seat (
        line integer, source_id text, class_source_id text, person_source_id text,
        role text default 'student', joined_on date, flaw text) on commit drop;
    create temporary table staged_term (
        line integer, source_id text, parent_source_id text, name text, kind text, starts_on date,
        ends_on date) on commit drop;
    create temporary table staged_scope (
        position integer, file text, kind text, is_whole boolean) on commit drop;
    create temporary table staged_role (
        person_source_id text, location_source_id text, role text, is_removed boolean) on commit drop;
    create temporary table staged_removal (
        kind text, line integer, source_id text, class_source_id text, person_source_id text, role text)
        on commit drop;
    create temporary table staged_skip (file text, skipped bigint) on commit drop;
    perform begin_left_out_staging();

    perform begin_oneroster_staging();
    perform begin_import_plan();
    foreach staging in array import_staging() loop
        execute format('grant select, insert, update, delete on pg_temp.%I to %I', staging, current_setting('role'));
    end loop;
end $$;

-- begin_oneroster_staging (internal): every column as text. flaw: as begin_left_out_staging says.
create or replace function begin_oneroster_staging() returns void
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    create temporary table given_session (
        line integer, status text, source_id text, title text, kind text, starts_on text, ends_on text,
        parent_source_id text, flaw text) on commit drop;
    create temporary table given_org (
        line integer, status text, source_id text, name text, parent_source_id text,
        flaw text) on commit drop;
    create temporary table given_user (
        line integer, status text, source_id text, is_enabled text, org_source_ids text, role text,
        given_name text, middle_name text, family_name text, person_number text, email text, agent_source_ids text,
        grades text, flaw text) on commit drop;
    create temporary table given_role (
        line integer, status text, source_id text, person_source_id text, role text, grade text,
        begins_on text, ends_on text, org_source_id text, flaw text) on commit drop;
    create temporary table given_course (
        line integer, status text, source_id text, title text, code text, org_source_id text,
        session_source_id text, flaw text) on commit drop;
    create temporary table given_class (
        line integer, status text, source_id text, title text, course_source_id text, code text, room text,
        org_source_id text, term_source_ids text, flaw text) on commit drop;
    create temporary table given_enrollment (
        line integer, status text, source_id text, class_source_id text, org_source_id text,
        person_source_id text, role text, begins_on text, ends_on text, flaw text) on commit drop;
end $$;

-- begin_import_plan (internal): tables for what is to be done. becomes is a whole row of the directory as the import
-- would leave it, and differs says that the directory has no such row. The ids of new rows are only in columns of
-- their own.
create or replace function begin_import_plan() returns void
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    create temporary table planned_term (
        term_id uuid, source_id text, line integer, parent_source_id text, becomes term, differs boolean,
        is_kept boolean, change text) on commit drop;
    create temporary table planned_term_of_class (class_source_id text, term_id uuid) on commit drop;
    create temporary table planned_location (
        location_id uuid, source_id text, line integer, becomes location, differs boolean, change text) on commit drop;
    create temporary table planned_person (
        person_id uuid, source_id text, kind text, line integer, becomes person, is_new boolean, differs boolean,
        is_spared boolean, keeps_email boolean, stays_deactivated boolean, is_kept boolean, change text)
        on commit drop;
    create temporary table planned_role (
        person_id uuid, location_id uuid, role text, change text) on commit drop;
    create temporary table planned_course (
        course_id uuid, source_id text, line integer, becomes course, differs boolean, change text) on commit drop;
    create temporary table planned_class (
        class_id uuid, source_id text, line integer, becomes class, is_new boolean, differs boolean,
        stays_archived boolean, is_kept boolean, change text) on commit drop;
    create temporary table planned_seat (
        class_id uuid, person_id uuid, role text, source_id text, line integer, joined_on date, change text)
        on commit drop;
    create temporary table leaving_person (person_id uuid, kind text) on commit drop;
    create temporary table closing_class (class_id uuid) on commit drop;
    create temporary table marked_seat (class_id uuid, person_id uuid, role text) on commit drop;
    create temporary table kept_seat (class_id uuid, person_id uuid, role text) on commit drop;
    create temporary table ending_seat (
        class_id uuid, person_id uuid, role text, joined_at timestamptz, is_of_closing_class boolean) on commit drop;
end $$;

-- import_staging (internal): the names of those tables.
create or replace function import_staging() returns text[] language sql immutable
    return array['given_session', 'given_org', 'given_user', 'given_role', 'given_course', 'given_class',
        'given_enrollment', 'staged_location', 'staged_student', 'staged_staff', 'staged_course',
        'staged_class', 'staged_seat', 'staged_term', 'staged_scope', 'staged_role', 'staged_removal', 'staged_skip',
        'staged_left_out', 'staged_mistake', 'staged_finding',
        'planned_term', 'planned_term_of_class', 'planned_location', 'planned_person', 'planned_role',
        'planned_course', 'planned_class',
        'planned_seat', 'leaving_person', 'closing_class', 'marked_seat', 'kept_seat',
        'ending_seat'];

-- analyse_import_staging: runs after some of those tables were filled. Without statistics the plan of the merge is a
-- hundred times as slow.
create or replace function analyse_import_staging(variadic p_tables text[]) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    staging text;
begin
    foreach staging in array p_tables loop
        if staging = any (import_staging()) then
            execute format('analyze pg_temp.%I', staging);
        end if;
    end loop;
end $$;

-- import_is_whole (internal): whether the archive has all rows of a kind.
create or replace function import_is_whole(p_kind text) returns boolean
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return exists (select from staged_scope where kind = p_kind and is_whole);
end $$;

-- import_today: the current date of the organization, for periods that begin or end on a day.
create or replace function import_today() returns date
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return (select (moment() at time zone time_zone)::date from organization
             where organization_id = my_organization());
end $$;
