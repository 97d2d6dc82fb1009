import Postgres

extension TestDatabase {
    /// Keeps what a database holds now, and makes the functions by which it is emptied and planted again.
    ///
    /// `plant()` brings every row and sequence back, without triggers. `catalogue()` changes with everything else that a
    /// test can change: definitions, privileges, settings, statistics for plans, large objects, and what is prepared or
    /// published.
    static func keepRows(_ connection: BlockingConnection) throws {
        try connection.execute("create schema leased")
        try connection.execute(planting)
        try connection.execute(catalogue)
    }

    private static let planting: Command = """
        do $$
        declare
            kept     record;
            emptying text := '';
            planting text := '';
            has_rows boolean;
            number   bigint;
            is_used  boolean;
        begin
            for kept in
                select c.oid::regclass as name, 'leased.' || quote_ident('kept_' || c.relname) as copy,
                       (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute as a
                         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                           and a.attgenerated = '') as columns
                  from pg_class as c
                 where c.relnamespace = 'school'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
            loop
                emptying := emptying || format('delete from %s; ', kept.name);
                execute format('select exists (select from %s)', kept.name) into has_rows;
                continue when not has_rows;
                execute format('create table %s as select %s from %s', kept.copy, kept.columns, kept.name);
                planting := planting || format('insert into %s (%s) overriding system value select %2$s from %s; ',
                    kept.name, kept.columns, kept.copy);
            end loop;
            for kept in
                select oid::regclass as name from pg_class
                 where relnamespace in ('school'::regnamespace, 'test_clock'::regnamespace) and relkind = 'S'
            loop
                execute format('select last_value, is_called from %s', kept.name) into number, is_used;
                planting := planting || format('perform setval(%L, %s, %L); ', kept.name, number, is_used);
            end loop;
            execute format('create function leased.plant() returns void language plpgsql '
                'set session_replication_role = replica as %L', 'begin ' || emptying || planting || 'end');
        end $$
        """

    private static let catalogue: Command = """
        create table leased.mark as select pg_current_xact_id()::xid as newest;

        create function leased.catalogue() returns text language sql as $$
            with mark as (select age(newest) as age from leased.mark),
            permanent as (
                select oid, xmin, relnamespace, reltuples from pg_class where oid >= 16384 and relpersistence <> 't'),
            row as (
                select 'relation' as kind, xmin from permanent
                union all
                select 'column', a.xmin from pg_attribute as a join permanent as p on p.oid = a.attrelid
                union all
                select 'default', d.xmin from pg_attrdef as d join permanent as p on p.oid = d.adrelid
                union all
                select 'constraint', c.xmin from pg_constraint as c left join permanent as p on p.oid = c.conrelid
                 where c.conrelid = 0 or p.oid is not null
                union all
                select 'index', i.xmin from pg_index as i join permanent as p on p.oid = i.indexrelid
                union all
                select 'schema', xmin from pg_namespace where nspname !~ '^pg_(toast_)?temp_'
                union all select 'function', xmin from pg_proc where oid >= 16384
                union all select 'policy', xmin from pg_policy
                union all select 'trigger', xmin from pg_trigger
                union all select 'event trigger', xmin from pg_event_trigger
                union all select 'rule', xmin from pg_rewrite where oid >= 16384
                union all select 'default privilege', xmin from pg_default_acl
                union all select 'setting', xmin from pg_db_role_setting
                union all select 'publication', xmin from pg_publication
                union all select 'published', xmin from pg_publication_rel
                union all select 'subscription', xmin from pg_subscription
                union all select 'extension', xmin from pg_extension
                union all select 'extended statistics', xmin from pg_statistic_ext
                union all select 'enumeration', xmin from pg_enum
                union all select 'large object', xmin from pg_largeobject_metadata),
            counted as (
                select kind, count(*) as rows, count(*) filter (where age(xmin) < (select age from mark)) as changed
                  from row group by kind
                union all
                select 'statistics', sum(reltuples)::bigint, 0 from permanent
                 where relnamespace = 'school'::regnamespace
                union all
                select 'slot', count(*), 0 from pg_replication_slots where database = current_database()
                union all
                select 'prepared', count(*), 0 from pg_prepared_xacts where database = current_database()
                union all
                select datacl::text, 0, 0 from pg_database where datname = current_database())
            select string_agg(concat_ws(' ', kind, rows, changed), ', ' order by kind) from counted
        $$
        """
}
