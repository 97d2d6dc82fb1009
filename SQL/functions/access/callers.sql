-- Functions of access: who is calling, and everything that a sign-in needs.
--
-- The sign-in functions run before the caller is known, and school_server itself executes them.

-- Who is calling: set for one transaction before the statement. Without these settings no row is visible.

create or replace function my_organization() returns uuid language sql stable parallel safe
    return nullif(current_setting('school.organization', true), '')::uuid;

create or replace function my_person() returns uuid language sql stable parallel safe
    return nullif(current_setting('school.person', true), '')::uuid;

create or replace function my_app() returns text language sql stable parallel safe
    return nullif(current_setting('school.app', true), '');

create or replace function my_environment() returns text language sql stable parallel safe
    return nullif(current_setting('school.environment', true), '');

create or replace function my_team() returns text language sql stable parallel safe
    return nullif(current_setting('school.team', true), '');

create or replace function my_service_account() returns uuid language sql stable parallel safe
    return nullif(current_setting('school.service_account', true), '')::uuid;

-- my_standing: the standing of the request, in the words of person_role; also inside definer functions.
create or replace function my_standing() returns text language sql stable parallel safe
    return case current_setting('role', true)
        when 'school_site_manager'    then 'siteManager'
        when 'school_people_manager'  then 'peopleManager'
        when 'school_content_manager' then 'contentManager'
        when 'school_roster_reader'   then 'rosterReader'
        when 'school_directory_writer' then 'directoryWriter'
        else replace(nullif(current_setting('role', true), 'none'), 'school_', '') end;

-- moment: now, truncated to milliseconds as columns store it, so that it is never in the future. Nothing else asks the
-- clock (Tests/School/SQLTests/ClockRuleTests.swift), so that tests set the time.
create or replace function moment() returns timestamptz language sql stable parallel safe
    return date_trunc('milliseconds', now());

-- latest_moment: the same by the running clock. moment() is when the transaction began; what it waited for, such as a
-- lock, happened later.
create or replace function latest_moment() returns timestamptz language sql volatile parallel safe
    return date_trunc('milliseconds', clock_timestamp());

-- new_id: a version 7 UUID, for rows whose id the caller does not choose.
create or replace function new_id() returns uuid language sql volatile parallel safe
    return encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6), 52, 1), 53, 1), 'hex')::uuid;

grant execute on function my_organization(), my_person(), my_app(), my_environment(), my_team(),
    my_service_account(), my_standing(), moment(), latest_moment(), new_id() to school_standing, school_server;
grant execute on function moment() to school_exporter_login;

-- bump_version: counts the changes of a row that can be fetched by itself, for ETags.
create or replace function bump_version() returns trigger language plpgsql
    set search_path = school, pg_temp as $$
begin
    new.version := old.version + 1;
    new.updated_at := moment();
    return new;
end $$;

-- touch: records when a row changed that is never fetched by itself.
create or replace function touch() returns trigger language plpgsql
    set search_path = school, pg_temp as $$
begin
    new.updated_at := moment();
    return new;
end $$;

-- bump_parent(table, key): a change of children is a change of their parent. It counts once per transaction, and not
-- for a parent that this transaction changed itself, so that the version a statement returned is still right at the
-- end.
create or replace function bump_parent() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    execute format('update %1$I as parent set updated_at = moment()
        from (select distinct organization_id as of, %2$I as key from changed) as child
       where parent.organization_id = child.of and parent.%2$I = child.key
         and parent.xmin <> pg_current_xact_id()::xid', tg_argv[0], tg_argv[1]);
    return null;
end $$;

create or replace trigger bump_version before update on organization
    for each row execute function bump_version();
create or replace trigger touch before update on credential
    for each row execute function touch();

-- schema_digest: the digest of what was applied last; null if nothing was.
create or replace function schema_digest() returns bytea language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select sha256 from applied_schema);
end $$;

-- schema_serves_from: the newest migration a server must know to serve with what was applied last.
create or replace function schema_serves_from() returns integer language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select serves_from from applied_schema);
end $$;
grant execute on function schema_digest(), schema_serves_from() to school_server, school_exporter_login;
