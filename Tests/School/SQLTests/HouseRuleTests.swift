import Postgres
import TestKit
import Testing

/// A rule that a query over the catalogue can check: it lists everything that breaks the rule.
struct Rule: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let breakers: Statement
}

/// What must hold for everything in the schema, whoever adds to it.
@Suite struct HouseRules {
    @Test(arguments: rules) func `nothing breaks a house rule`(rule: Rule) async throws {
        try await withSchool { school in
            let breakers = try school.sql(rule.breakers).map { try $0.text("name") }
            #expect(breakers.isEmpty)
        }
    }

    @Test(arguments: [
        "true", "publish_at is not null", "organization_id = author_id",
        "organization_id = (select my_organization()) or author_id = (select my_person())",
        "author_id = (select my_person()) and organization_id = (select my_organization())",
        """
        organization_id = (select my_organization()) and title = '' or author_id = (select my_person())
        """,
        """
        exists (select from class as c where c.organization_id = (select my_organization()))
        """,
    ])
    func `a policy that drops the organization is found`(condition: String) async throws {
        try await withSchool { school in
            let breakers = { try school.sql(Self.policies[0].breakers).map { try $0.text("name") } }
            #expect(try breakers().isEmpty)
            try school.sql("select set_config('test.condition', \(condition), false)")
            try school.sql(
                """
                do $$ begin
                    set local search_path = school;
                    execute format('create policy planted on handout for select to school_teacher using (%s)',
                                   current_setting('test.condition'));
                    execute format('create policy implanted on handout for insert to school_teacher with check (%s)',
                                   current_setting('test.condition'));
                end $$
                """)
            #expect(try breakers().sorted() == ["handout: implanted", "handout: planted"])
        }
    }

    @Test func `the rules look at tables that exist`() async throws {
        try await withSchool { school in
            let rows = try school.sql(
                """
                select count(*) as count from pg_class
                 where relnamespace = 'school'::regnamespace and relkind in ('r', 'p')
                """)
            #expect(try rows[0].int("count") > 25)
        }
    }

    static let rules = tables + keys + functions + roles + policies

    static let tables = [
        Rule(
            testDescription: "every table has row-level security, and none forces it",
            breakers: """
                select relname::text as name from pg_class
                 where relnamespace = 'school'::regnamespace and relkind in ('r', 'p')
                   and (not relrowsecurity or relforcerowsecurity)
                """),
        Rule(
            testDescription: "every table belongs to the owner",
            breakers: """
                select relname::text as name from pg_class
                 where relnamespace = 'school'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
                   and relowner <> 'school_owner'::regrole
                """),
        Rule(
            testDescription: "every table has a comment",
            breakers: """
                select relname::text as name from pg_class
                 where relnamespace = 'school'::regnamespace and relkind in ('r', 'p')
                   and not relispartition and obj_description(oid, 'pg_class') is null
                """),
        Rule(
            testDescription: "every view runs with the caller's rights",
            breakers: """
                select relname::text as name from pg_class
                 where relnamespace = 'school'::regnamespace and relkind in ('v', 'm')
                   and not coalesce(reloptions::text like '%security_invoker=%', false)
                """),
        Rule(
            testDescription: "nobody has grants on a partition",
            breakers: """
                select c.relname::text as name from pg_class as c, aclexplode(c.relacl) as a
                 where c.relnamespace = 'school'::regnamespace and c.relispartition
                   and a.grantee <> 'school_owner'::regrole
                """),
        Rule(
            testDescription: "nothing is granted to public, and no policy is for public",
            breakers: """
                select c.relname::text as name from pg_class as c, aclexplode(c.relacl) as a
                 where c.relnamespace = 'school'::regnamespace and a.grantee = 0
                union all
                select policyname::text from pg_policies
                 where schemaname = 'school' and 'public' = any (roles)
                """),
        Rule(
            testDescription: "timestamps have a zone and milliseconds",
            breakers: """
                select format('%s.%s', c.relname, a.attname) as name
                  from pg_attribute as a join pg_class as c on c.oid = a.attrelid
                 where c.relnamespace = 'school'::regnamespace and c.relkind in ('r', 'p')
                   and a.attnum > 0 and not a.attisdropped
                   and (a.atttypid = 'timestamp'::regtype
                        or (a.atttypid = 'timestamptz'::regtype and a.atttypmod <> 3))
                """),
    ]

    /// Tables that concern the deployment or the schema and not one tenant.
    static let keys = [
        Rule(
            testDescription: "every key of a tenant's table begins with the organization",
            breakers: """
                select c.conname::text as name
                  from pg_constraint as c
                  join pg_attribute as a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
                 where c.connamespace = 'school'::regnamespace and c.contype in ('p', 'u', 'f')
                   and a.attname <> 'organization_id'
                   and c.conrelid::regclass::text not in (
                       'school.migration', 'school.applied_schema', 'school.applied_object', 'school.domain_directory',
                       'school.managed_id_directory', 'school.development_directory', 'school.deployment_team',
                       'school.deployment_key', 'school.deployment_bundle', 'school.device_code', 'school.pseudonym_key',
                       'school.signing_key', 'school.client_directory', 'school.clock', 'school.clock_look')
                """),
        Rule(
            // The bounds of a term are compared with those of its siblings by a number that is made of the
            // organization, the parent and the kind: a column of its own would need an extension.
            testDescription:
                "every unique index and exclusion of a tenant's table begins with the organization",
            breakers: """
                select i.indexrelid::regclass::text as name
                  from pg_index as i join pg_class as c on c.oid = i.indrelid
                  join pg_attribute as o on o.attrelid = c.oid and o.attname = 'organization_id'
                 where c.relnamespace = 'school'::regnamespace and (i.indisunique or i.indisexclusion)
                   and i.indkey[0] <> o.attnum
                   and c.relname not in ('domain_directory', 'managed_id_directory', 'development_directory',
                                         'device_code', 'client_directory')
                   and i.indexrelid::regclass::text <> 'school.term_does_not_overlap_its_siblings'
                """),
        Rule(
            // One that leaves out nulls will do: a key with a null in it refers to nothing.
            testDescription: "every foreign key can use an index",
            breakers: """
                select c.conname::text as name from pg_constraint as c
                 where c.contype = 'f' and c.connamespace = 'school'::regnamespace
                   and not exists (
                       select from pg_index as i
                        where i.indrelid = c.conrelid
                          and (i.indpred is null
                               or pg_get_expr(i.indpred, i.indrelid) in (
                                   select format('(%I IS NOT NULL)', a.attname) from pg_attribute as a
                                    where a.attrelid = c.conrelid and a.attnum = any (c.conkey)))
                          and ((i.indkey::int2[])[0:array_length(c.conkey, 1) - 1] @> c.conkey
                               or (i.indisunique and i.indkey::int2[] <@ c.conkey)))
                """),
        Rule(
            testDescription: "no foreign key sets columns to null",
            breakers: """
                select conname::text as name from pg_constraint
                 where contype = 'f' and connamespace = 'school'::regnamespace
                   and confdeltype in ('n', 'd')
                """),
        Rule(
            testDescription: "every constraint has a chosen name",
            breakers: """
                select conname::text as name from pg_constraint
                 where connamespace = 'school'::regnamespace and contype in ('c', 'f', 'u')
                   and conname ~ '_(check|fkey|key)[0-9]*$'
                """),
        Rule(
            testDescription: "nothing visible comes from a sequence",
            breakers: """
                select relname::text as name from pg_class
                 where relnamespace = 'school'::regnamespace and relkind = 'S'
                """),
    ]

    static let functions = [
        Rule(
            testDescription: "every function with the owner's rights pins its search path",
            breakers: """
                select proname::text as name from pg_proc
                 where pronamespace = 'school'::regnamespace and prosecdef
                   and not coalesce(proconfig::text like '%search_path=%', false)
                """),
        Rule(
            testDescription: "PostgreSQL knows what every plain SQL function uses",
            breakers: """
                select p.proname::text as name from pg_proc as p join pg_language as l on l.oid = p.prolang
                 where p.pronamespace = 'school'::regnamespace and l.lanname = 'sql' and p.prosqlbody is null
                """),
        Rule(
            testDescription: "public can execute no function",
            breakers: """
                select p.proname::text as name
                  from pg_proc as p,
                       aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
                 where p.pronamespace = 'school'::regnamespace and a.grantee = 0
                """),
        Rule(
            testDescription: """
                every function with the owner's rights that a standing calls asks for its organization
                """,
            breakers: """
                select distinct p.proname::text as name from pg_proc as p cross join pg_roles as r
                 where p.pronamespace = 'school'::regnamespace and p.prosecdef
                   and r.rolname like 'school\\_%' and has_function_privilege(r.oid, p.oid, 'execute')
                   and r.rolname not in ('school_owner', 'school_server', 'school_exporter_login')
                   and p.prosrc !~ 'my_organization\\(|check_organization\\('
                   and p.proname not in ('begin_import_staging', 'analyse_import_staging')
                """),
    ]

    static let roles = [
        Rule(
            testDescription: "the logins own nothing, bypass nothing and inherit nothing",
            breakers: """
                select rolname::text as name from pg_roles as r
                 where rolname in ('school_server', 'school_exporter_login')
                   and (rolsuper or rolbypassrls or rolinherit or rolcreaterole or rolcreatedb
                        or exists (select from pg_shdepend as d
                                    where d.refobjid = r.oid and d.deptype = 'o'))
                """),
        Rule(
            testDescription: "nobody creates or reads large objects, which have no policies",
            breakers: """
                select distinct p.proname::text as name
                  from pg_proc as p cross join pg_roles as r
                 where p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ '^(lo_|loread|lowrite)'
                   and r.rolname like 'school\\_%' and has_function_privilege(r.oid, p.oid, 'execute')
                """),
        Rule(
            testDescription: "no standing can log in or bypass anything",
            breakers: """
                select rolname::text as name from pg_roles
                 where rolname like 'school\\_%'
                   and rolname not in ('school_server', 'school_exporter_login')
                   and (rolcanlogin or rolsuper or rolbypassrls)
                """),
        Rule(
            testDescription: "no standing owns anything",
            breakers: """
                select c.relname::text as name from pg_class as c join pg_roles as r on r.oid = c.relowner
                 where r.rolname like 'school\\_%' and r.rolname <> 'school_owner'
                """),
    ]
}
