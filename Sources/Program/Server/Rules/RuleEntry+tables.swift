import Postgres

extension BlockingConnection {
    /// Runs the body with this search path, and puts back the former one. Also inside of a transaction.
    func withPath<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        let former = try query("select current_setting('search_path') as path")[0].text("path")
        try query("select set_config('search_path', \(path), false)")
        defer { _ = try? query("select set_config('search_path', \(former), false)") }
        return try body()
    }
}

extension RuleEntry {
    init(_ row: Row) throws {
        let kind = try row.text("kind")
        guard let kind = Kind(rawValue: kind) else { throw CommandFailure("What is \(kind)?") }
        self.init(
            kind: kind, of: try row.text("of"), name: try row.text("name"),
            said: try row.text("said"))
    }

    /// Everything that a database has. Any login may ask, and no function of ours is asked: it could have been replaced.
    static func found(_ connection: BlockingConnection) throws -> [RuleEntry] {
        // What is outside pg_catalog is printed with its schema, whatever the login's own path is.
        try connection.withPath("") {
            try [
                tables, columns, constraints, triggers, policies, functions, rights, roles,
            ].flatMap { try connection.query($0).map(RuleEntry.init) }
        }
    }

    private static let tables: Statement = """
        with relation as (
            select c.* from pg_class as c
             where c.relnamespace = 'school'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S'))
        select 'schema' as kind, '' as of, n.nspname::text as name, n.nspowner::regrole::text as said
          from pg_namespace as n where n.nspname = 'school'
        union all
        select 'table', '', r.relname,
               concat_ws(' ', case r.relkind when 'r' then 'table' when 'p' then 'partitioned' when 'S' then 'sequence'
                                             else 'view ' || array_to_string(r.reloptions, ',') end,
                         case r.relpersistence when 'u' then 'unlogged' end,
                         case when r.relispartition then 'partition' end,
                         case when r.relowner <> 'school_owner'::regrole then 'of ' || r.relowner::regrole end)
          from relation as r
        union all
        select 'row security', r.relname, '',
               case when not r.relrowsecurity then 'off' when r.relforcerowsecurity then 'forced' else 'on' end
          from relation as r where r.relkind in ('r', 'p')
        union all
        select 'rule', r.relname, w.rulename, w.ev_type::text
          from relation as r join pg_rewrite as w on w.ev_class = r.oid
         where w.ev_type <> '1'
        union all
        select 'enforcement', r.relname, '', 'disabled'
          from relation as r
         where exists (select from pg_trigger as t
                        where t.tgrelid = r.oid and t.tgisinternal and t.tgenabled <> 'O')
        """

    /// Partitions have those of their table. The expression of a default is left out: printed differently by versions of
    /// PostgreSQL, and of no one's rights.
    private static let columns: Statement = """
        select 'column' as kind, r.relname::text as of, a.attname::text as name,
               concat_ws(' ', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end,
                         case when a.attgenerated <> '' then 'generated' when a.attidentity <> '' then 'identity'
                              when a.atthasdef then 'default' end,
                         case when a.attcollation <> t.typcollation
                              then 'collate ' || a.attcollation::regcollation::text end) as said
          from pg_class as r
          join pg_attribute as a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
          join pg_type as t on t.oid = a.atttypid
         where r.relnamespace = 'school'::regnamespace and r.relkind in ('r', 'p', 'v', 'm', 'f')
           and not r.relispartition
        """

    private static let constraints: Statement = """
        select 'constraint' as kind, r.relname::text as of, k.conname::text as name, pg_get_constraintdef(k.oid) as said
          from pg_class as r join pg_constraint as k on k.conrelid = r.oid
         where r.relnamespace = 'school'::regnamespace
           and k.conparentid = 0 and k.conislocal and k.contype in ('c', 'f', 'p', 'u', 'x')
        union all
        select 'index', r.relname, c.relname,
               pg_get_indexdef(c.oid) || case when i.indisvalid and i.indisready then '' else ' INVALID' end
          from pg_class as r join pg_index as i on i.indrelid = r.oid
          join pg_class as c on c.oid = i.indexrelid and not c.relispartition
         where r.relnamespace = 'school'::regnamespace and r.relkind <> 't'
           and not exists (select from pg_constraint as k where k.conindid = c.oid and k.conrelid = r.oid)
        """

    /// Without those that a move of an organization makes for its time.
    private static let triggers: Statement = """
        select 'trigger' as kind, r.relname::text as of, t.tgname::text as name,
               concat_ws(' ', case t.tgenabled when 'O' then 'enabled' when 'D' then 'disabled'
                                               else 'enabled ' || t.tgenabled::text end,
                         t.tgtype, t.tgfoid::regproc, case when t.tgdeferrable then 'deferrable' end,
                         case when t.tginitdeferred then 'deferred' end,
                         (select string_agg(a.attname, ',' order by a.attname) from pg_attribute as a
                           where a.attrelid = t.tgrelid and a.attnum = any (t.tgattr::int2[])),
                         t.tgoldtable, t.tgnewtable, nullif(encode(t.tgargs, 'hex'), '')) as said
          from pg_class as r join pg_trigger as t on t.tgrelid = r.oid
         where r.relnamespace = 'school'::regnamespace and not t.tgisinternal
           and t.tgname not like 'homeroom\\_move\\_%'
        """

    private static let policies: Statement = """
        select 'policy' as kind, r.relname::text as of, p.polname::text as name,
               concat_ws(' ', case when p.polpermissive then 'permissive' else 'restrictive' end,
                         case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update'
                                       when 'd' then 'delete' else 'all' end, 'to',
                         (select string_agg(case x.oid when 0 then 'public' else x.oid::regrole::text end, ','
                                            order by x.oid::regrole::text collate "C")
                            from unnest(p.polroles) as x (oid)),
                         case when p.polqual is not null then 'using' end,
                         case when p.polwithcheck is not null then 'check' end) as said
          from pg_class as r join pg_policy as p on p.polrelid = r.oid
         where r.relnamespace = 'school'::regnamespace
        """
}
