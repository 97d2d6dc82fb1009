import Postgres
import School
import TestKit
import Testing

/// Audit events and their seals are added and never touched again.
@Suite struct AppendOnly {
    @Test
    func `no role may write, change, remove or empty events or seals, not even in a partition`()
        async throws
    {
        try await withSchool { school in
            let tables = try school.sql(Self.tables).map { try $0.text("name") }
            #expect(tables.contains("audit_event") && tables.contains("audit_seal"))
            #expect(tables.filter { $0.hasPrefix("audit_event_") }.count > 3)
            let granted = try school.sql(
                """
                select format('%s may %s %s', r.rolname, p.privilege, c.relname) as name
                  from pg_class as c cross join pg_roles as r
                 cross join unnest('{insert,update,delete,truncate,references,trigger}'::text[]) as p (privilege)
                 where c.relnamespace = 'school'::regnamespace and c.relkind in ('r', 'p')
                   and c.relname like 'audit\\_%'
                   and r.rolname like 'school\\_%' and r.rolname <> 'school_owner'
                   and (has_table_privilege(r.oid, c.oid, p.privilege)
                        or p.privilege in ('insert', 'update', 'references')
                           and has_any_column_privilege(r.oid, c.oid, p.privilege))
                """)
            #expect(try granted.map { try $0.text("name") }.isEmpty)
        }
    }

    @Test func `any attempt is refused`() async throws {
        try await withPopulatedSchool { populated in
            let tables = try populated.school.sql(Self.tables).map { try $0.text("name") }
            try populated.school.sql(
                """
                create function test.run(text) returns void language plpgsql
                    as 'begin execute $1; end'
                """)
            for standing in Standing.allCases {
                let caller = populated.caller(standing)
                for table in tables {
                    let attempts: [Statement] = [
                        "format('update school.%I set organization_id = null', \(table))",
                        "format('delete from school.%I', \(table))",
                        "format('truncate school.%I', \(table))",
                    ]
                    for attempt in attempts {
                        let outcome = try populated.attempt(
                            "select test.run(\(fragment: attempt))", as: caller)
                        #expect(outcome == .refused, "\(standing) on \(table)")
                    }
                }
            }
        }
    }

    private static let tables: Statement = """
        select relname::text as name from pg_class
         where relnamespace = 'school'::regnamespace and relkind in ('r', 'p') and relname like 'audit\\_%'
        """
}
