import Postgres

extension Command {
    static var dropPoliciesAndTriggers: Command {
        """
        do $$
        declare
            dropping record;
        begin
            for dropping in
                select policyname, tablename from pg_policies where schemaname = 'school' loop
                execute format('drop policy %I on school.%I', dropping.policyname, dropping.tablename);
            end loop;
            for dropping in
                select t.tgname, t.tgrelid::regclass as of from pg_trigger as t
                  join pg_class as c on c.oid = t.tgrelid
                 where c.relnamespace = 'school'::regnamespace and not t.tgisinternal
                   and t.tgparentid = 0 loop
                execute format('drop trigger %I on %s', dropping.tgname, dropping.of);
            end loop;
        end $$
        """
    }

    /// Drops the functions that `homeroom.dropping` names, with the functions, triggers and policies that use them.
    /// Never a column: no table uses a function that is named here.
    static var dropFunctions: Command {
        """
        do $$
        declare
            doomed text;
        begin
            select string_agg(p.oid::regprocedure::text, ', ') into doomed
              from pg_proc as p
             where p.pronamespace = 'school'::regnamespace
               and p.proname = any (string_to_array(current_setting('homeroom.dropping'), ','));
            if doomed is not null then
                execute 'drop routine ' || doomed || ' cascade';
            end if;
        end $$
        """
    }

    /// Revokes from everyone but the owner, also from roles that are not of ours.
    static var revokeEverything: Command {
        """
        do $$
        declare
            grantees text;
        begin
            select 'public, ' || string_agg(quote_ident(rolname), ', ') into grantees
              from pg_roles
             where rolname <> 'school_owner'
               and (rolname like 'school\\_%'
                    or oid in (select x.grantee
                                 from pg_class as c cross join aclexplode(c.relacl) as x
                                where c.relnamespace = 'school'::regnamespace
                               union all
                               select x.grantee
                                 from pg_class as c
                                 join pg_attribute as a on a.attrelid = c.oid cross join aclexplode(a.attacl) as x
                                where c.relnamespace = 'school'::regnamespace
                               union all
                               select x.grantee
                                 from pg_proc as p cross join aclexplode(p.proacl) as x
                                where p.pronamespace = 'school'::regnamespace));
            execute format('revoke all on all tables in schema school from %s cascade', grantees);
            execute format('revoke all on all sequences in schema school from %s cascade', grantees);
            execute format('revoke all on all routines in schema school from %s cascade', grantees);
        end $$
        """
    }

    /// Row security is on for every table, and never forced: functions of the owner see all rows on purpose.
    static var secureRows: Command {
        """
        do $$
        declare
            opened regclass;
        begin
            for opened in
                select c.oid from pg_class as c
                 where c.relnamespace = 'school'::regnamespace and c.relkind in ('r', 'p')
                   and c.relowner = 'school_owner'::regrole and (not c.relrowsecurity or c.relforcerowsecurity) loop
                execute format('alter table %s enable row level security, no force row level security', opened);
            end loop;
        end $$
        """
    }

    /// Enables the triggers that enforce foreign keys, as the login: only a superuser may.
    static var enforceForeignKeys: Command {
        """
        do $$
        declare
            loose regclass;
        begin
            if not (select rolsuper from pg_roles where rolname = session_user) then
                return;
            end if;
            for loose in
                select distinct t.tgrelid from pg_trigger as t join pg_class as c on c.oid = t.tgrelid
                 where c.relnamespace = 'school'::regnamespace and t.tgisinternal and t.tgenabled <> 'O' loop
                execute format('alter table %s enable trigger all', loose);
            end loop;
        end $$
        """
    }
}
