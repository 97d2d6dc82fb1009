-- Roles: created before any table.
--
-- Applied first by every migration and safe to repeat. Existing roles and memberships are left alone, so that a login
-- without the right to create roles can apply a newer version on a server where a database administrator created the
-- roles.
--
--   school_owner           owns schema and tables; no one logs in as it
--   school_server          the service: owns nothing, inherits nothing, becomes one standing per request
--   school_exporter_login  the nightly job: may become school_exporter and nothing else
--   school_<standing>      what a caller is while a request runs
--   school_<group>         what several standings have in common; they inherit from it

do $$
declare
    standings constant text[] := array[
        'school_administrator', 'school_site_manager', 'school_people_manager',
        'school_content_manager', 'school_manager', 'school_teacher', 'school_staff',
        'school_student', 'school_provisioner', 'school_exporter', 'school_roster_reader',
        'school_directory_writer', 'school_tool', 'school_developer', 'school_app'];
    memberships text[][] := array[
        -- directory managers write the directory, directory readers read it
        ['school_directory_reader',  'school_directory_manager'],
        ['school_directory_manager', 'school_administrator'],
        ['school_directory_manager', 'school_site_manager'],
        ['school_directory_manager', 'school_people_manager'],
        ['school_directory_manager', 'school_provisioner'],
        ['school_directory_reader',  'school_manager'],
        ['school_directory_reader',  'school_content_manager'],
        -- every person with a managed ID, in his or her own name
        ['school_person', 'school_administrator'],
        ['school_person', 'school_site_manager'],
        ['school_person', 'school_people_manager'],
        ['school_person', 'school_content_manager'],
        ['school_person', 'school_manager'],
        ['school_person', 'school_teacher'],
        ['school_person', 'school_staff'],
        ['school_person', 'school_student'],
        ['school_exporter', 'school_exporter_login']];
    wanted     text;
    membership text[];
    is_owner   boolean;
begin
    foreach wanted in array standings || array[
        'school_owner', 'school_standing', 'school_person',
        'school_directory_manager', 'school_directory_reader'] loop
        if not exists (select from pg_roles where rolname = wanted) then
            execute format('create role %I nologin', wanted);
        end if;
    end loop;
    -- Nobody acts as a standing of an earlier version. Its role stays, as other databases of the same PostgreSQL may give
    -- it rights.
    for membership in
        select array[m.roleid::regrole::text, m.member::regrole::text] from pg_auth_members as m
         where 'school_device_manager' in (m.roleid::regrole::text, m.member::regrole::text)
           and (m.roleid::regrole::text like 'school\_%' and m.member::regrole::text like 'school\_%') loop
        begin
            execute format('revoke %I from %I', membership[1], membership[2]);
        exception when insufficient_privilege or internal_error then
            null; -- Another migration does it just now, or homeroom doctor says what a database administrator should revoke.
        end;
    end loop;
    foreach wanted in array array['school_server', 'school_exporter_login'] loop
        if not exists (select from pg_roles where rolname = wanted) then
            execute format('create role %I login noinherit', wanted);
        end if;
    end loop;
    foreach wanted in array standings loop
        memberships := memberships
            || array[array['school_standing', wanted]] || array[array['school_server', wanted]];
    end loop;
    foreach membership slice 1 in array memberships loop
        if membership[1] = 'school_server' then
            membership := array[membership[2], membership[1]];
        end if;
        if not exists (
            select from pg_auth_members as m
             where m.roleid = membership[1]::regrole and m.member = membership[2]::regrole) then
            execute format('grant %I to %I', membership[1], membership[2]);
        end if;
    end loop;
    -- The login that creates the schema acts as its owner. A superuser may do that; others need a grant: since
    -- PostgreSQL 16 creating a role only gives the right to administer it.
    if current_setting('server_version_num')::integer >= 160000 then
        is_owner := pg_has_role('school_owner', 'set') and pg_has_role('school_owner', 'usage');
    else
        is_owner := pg_has_role('school_owner', 'member');
    end if;
    if not is_owner then
        begin
            execute format('grant school_owner to %I', current_user);
        exception when insufficient_privilege then
            raise exception 'the login % may not act as school_owner; who may should run: grant school_owner to %',
                current_user, quote_ident(current_user);
        end;
    end if;
    if not exists (select from pg_namespace where nspname = 'school') then
        execute 'create schema school authorization school_owner';
    end if;
    -- For finding people by parts of their names. A trusted extension: anyone who may create in the database may
    -- install it. In a schema of its own, because the functions of ours are dropped and recreated.
    if not exists (select from pg_extension where extname = 'pg_trgm') then
        execute 'create schema if not exists school_extension';
        execute 'create extension pg_trgm schema school_extension';
        execute 'grant usage on schema school_extension to school_owner';
    end if;
    -- Nothing is kept in large objects, which are outside all policies. Only a superuser can close them.
    if (select rolsuper from pg_roles where rolname = current_user) then
        for wanted in
            select p.oid::regprocedure::text from pg_proc as p
             where p.pronamespace = 'pg_catalog'::regnamespace
               and (p.proname like 'lo\_%' or p.proname in ('loread', 'lowrite'))
               and has_function_privilege('public', p.oid, 'execute') loop
            execute format('revoke execute on function %s from public', wanted);
        end loop;
    end if;
    -- Only functions of the owner create temporary tables: a standing owns no table.
    if has_database_privilege('public', current_database(), 'temporary')
       and (select pg_has_role(datdba, 'usage') from pg_database where datname = current_database()) then
        execute format('grant temporary on database %I to school_owner', current_database());
        execute format('revoke temporary on database %I from public', current_database());
    end if;
end $$;

set local role school_owner;
set local search_path = school, pg_temp;

alter default privileges revoke execute on functions from public;
alter default privileges revoke usage on types from public;
-- Nobody else uses the schema, and nobody but its owner makes anything in it.
do $$
declare
    grantee text;
begin
    for grantee in
        select distinct case x.grantee when 0 then 'public' else x.grantee::regrole::text end
          from pg_namespace as n cross join aclexplode(n.nspacl) as x
         where n.nspname = 'school' and x.grantee <> n.nspowner
           and (x.privilege_type <> 'USAGE' or x.is_grantable
                or x.grantee <> all (array['school_standing', 'school_server', 'school_exporter_login']::regrole[])) loop
        execute format('revoke all on schema school from %s cascade', grantee);
    end loop;
end $$;
grant usage on schema school to school_standing, school_server, school_exporter_login;

-- The migrator's own state: which files of migrations/ were applied, and their content then; the digest of everything
-- that was applied last, which `serve` compares with its own, and the number of the migration that a server must know
-- to serve with it (SQL/compatibility); and the form of each function, trigger and policy after that, so that the
-- next version replaces only what changed. Existing tables are left alone: altering a table, even without a change,
-- would wait for its readers.
create table if not exists migration (
    name       text           not null,
    sha256     bytea          not null,
    applied_at timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint migration_pkey          primary key (name),
    constraint migration_sha256_length check (octet_length(sha256) = 32)
);
create table if not exists applied_schema (
    is_only    boolean        not null default true,
    sha256     bytea          not null,
    applied_at timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint applied_schema_pkey          primary key (is_only),
    constraint applied_schema_is_one_row    check (is_only),
    constraint applied_schema_sha256_length check (octet_length(sha256) = 32)
);
create table if not exists applied_object (
    kind        text not null,
    name        text not null,
    sha256      text not null,
    signature   text not null,
    fingerprint text not null,

    constraint applied_object_pkey primary key (kind, name)
);
do $$
declare
    own text;
begin
    if not exists (select from pg_attribute
                    where attrelid = 'applied_schema'::regclass and attname = 'serves_from') then
        alter table applied_schema add column serves_from integer not null default 0;
    end if;
    foreach own in array array['migration', 'applied_schema', 'applied_object'] loop
        if not (select relrowsecurity from pg_class where oid = own::regclass) then
            execute format('alter table %I enable row level security', own);
        end if;
    end loop;
end $$;
comment on table migration      is 'A file of migrations/ that was applied; never edited afterwards.';
comment on table applied_schema is
    'The digest over all files of SQL/ as they were applied last, and who may serve beside that; one row.';
comment on table applied_object is
    'A function, trigger or policy as its file said it and as PostgreSQL understood it; a row more for all rights.';
