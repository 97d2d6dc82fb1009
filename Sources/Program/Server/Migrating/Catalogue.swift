import Postgres

/// PostgreSQL's functions, triggers, policies and rights of schema `school`; functions only if no table needs them.
enum Catalogue {
    /// A digest of each object as PostgreSQL's catalogue has it; a different digest means that someone changed the
    /// object.
    static func fingerprints(
        _ connection: BlockingConnection
    ) throws -> [DefinedObject: String] {
        var found: [DefinedObject: String] = [:]
        for row in try connection.query(Self.objects) {
            let (kind, name) = (try row.text("kind"), try row.text("name"))
            let table = try row.optionalText("of")
            guard let kind = DefinedObject.Kind(rawValue: kind) else { continue }
            let label = table.map { "\(name) on \($0)" } ?? name
            found[DefinedObject(kind, label, name: name, table: table)] =
                try row.text("fingerprint")
        }
        return found
    }

    /// What was applied last, and how PostgreSQL recorded it then.
    static func applied(
        _ connection: BlockingConnection
    ) throws -> [DefinedObject: (digest: String, signature: String, fingerprint: String)] {
        var found: [DefinedObject: (digest: String, signature: String, fingerprint: String)] = [:]
        let rows = try connection.query(
            "select kind, name, sha256, signature, fingerprint from school.applied_object")
        for row in rows {
            guard let kind = DefinedObject.Kind(rawValue: try row.text("kind")) else { continue }
            found[DefinedObject(kind, try row.text("name"))] = (
                try row.text("sha256"), try row.text("signature"), try row.text("fingerprint")
            )
        }
        return found
    }

    /// The kind of the row that says which PostgreSQL the others are of.
    static let server = "server"

    /// That PostgreSQL: each version prints objects in its own way, and what was dumped and read again, as by an upgrade,
    /// is printed otherwise, too.
    static let printer: Statement = """
        concat_ws('/', current_setting('server_version_num')::integer / 10000,
                  (select system_identifier from pg_control_system()))
        """

    /// Whether what was noted is as this PostgreSQL prints it, and not the one before an upgrade.
    static func isOfThisServer(_ connection: BlockingConnection) throws -> Bool {
        try connection.query(
            """
            select exists (select from school.applied_object
                            where kind = \(server)
                              and fingerprint = \(fragment: printer)) as is_so
            """)[0].bool("is_so")
    }

    static func remember(
        _ wordings: [DefinedObject: Wording], _ connection: BlockingConnection
    ) throws {
        let fingerprints = try Self.fingerprints(connection)
        let kept = wordings.sorted { $0.key.label < $1.key.label }
        try connection.query("delete from school.applied_object")
        try connection.query(
            """
            insert into school.applied_object (kind, name, sha256, signature, fingerprint)
            select * from unnest(\(kept.map(\.key.kind.rawValue)), \(kept.map(\.key.label)),
                                 \(kept.map(\.value.digest)), \(kept.map(\.value.signature)),
                                 \(kept.map { fingerprints[$0.key] ?? "" }))
            union all
            select \(server), '', '', '', \(fragment: printer)
            """)
    }

    private static let objects: Statement = """
        with recursive kept (oid) as (
            select d.refobjid from pg_depend as d
             where d.refclassid = 'pg_proc'::regclass
               and d.classid in ('pg_attrdef'::regclass, 'pg_class'::regclass, 'pg_constraint'::regclass)
            union
            select d.refobjid from kept join pg_depend as d on d.objid = kept.oid
             where d.classid = 'pg_proc'::regclass and d.refclassid = 'pg_proc'::regclass)
        select 'function' as kind, p.proname::text as name, null as of,
               md5(string_agg(pg_get_functiondef(p.oid), '' order by p.oid::regprocedure::text)) as fingerprint
          from pg_proc as p
         where p.pronamespace = 'school'::regnamespace and p.prokind in ('f', 'p')
           and p.oid not in (select oid from kept)
         group by p.proname
        union all
        select 'trigger', t.tgname::text, c.relname::text, md5(pg_get_triggerdef(t.oid) || t.tgenabled::text)
          from pg_trigger as t join pg_class as c on c.oid = t.tgrelid
         where c.relnamespace = 'school'::regnamespace and not t.tgisinternal and t.tgparentid = 0
           and t.tgname not like 'homeroom\\_move\\_%'
        union all
        select 'policy', p.policyname::text, p.tablename::text, md5(to_jsonb(p)::text)
          from pg_policies as p
         where p.schemaname = 'school'
        union all
        select 'rights', '', null,
               coalesce(md5(string_agg(given.on_what || given.rights, ' ' order by given.on_what)), '')
          from (select c.relname::text as on_what, c.relacl::text as rights
                  from pg_class as c
                 where c.relnamespace = 'school'::regnamespace and c.relacl is not null
                union all
                select format('%s.%s', c.relname, a.attname), a.attacl::text
                  from pg_attribute as a join pg_class as c on c.oid = a.attrelid
                 where c.relnamespace = 'school'::regnamespace and a.attacl is not null
                union all
                select p.oid::regprocedure::text, p.proacl::text
                  from pg_proc as p
                 where p.pronamespace = 'school'::regnamespace and p.proacl is not null) as given
        """
}

extension Statement {
    /// Who holds locks on tables of the schema, the oldest transaction first.
    static var lockHolders: Statement {
        """
        select a.pid, a.usename::text as name, nullif(a.application_name, '') as application,
               a.backend_type as kind, a.state,
               to_char(a.xact_start at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since,
               substring(upper(a.query) from '^\\s*(SELECT|INSERT|UPDATE|DELETE|COPY|WITH|CALL|MERGE|VACUUM)\\M')
                   as doing
          from pg_stat_activity as a
         where a.pid <> pg_backend_pid() and a.datname = current_database()
           and exists (select from pg_locks as l join pg_class as c on c.oid = l.relation
                        where l.pid = a.pid and l.granted and l.locktype = 'relation'
                          and c.relnamespace = 'school'::regnamespace)
         order by a.xact_start nulls last limit 5
        """
    }
}
