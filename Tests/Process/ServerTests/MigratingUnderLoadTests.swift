import AloneKit
import Foundation
import Postgres
import TestKit
import Testing

@testable import ServerKit

/// A migration replaces what changed, and does not wait while others queue behind it.
@Suite struct MigratingUnderLoad {
    @Test func `unchanged definitions are left alone`() throws {
        try withEmptyDatabase { empty in
            _ = try empty.migrate()
            let before = try empty.rowVersions()
            try empty.changePolicies(of: "audit")
            let access = try empty.definitions.read("functions/access/callers.sql")
            try empty.definitions.write(
                access.replacing(
                    "new.version := old.version + 1", with: "new.version := 1 + old.version"),
                to: "functions/access/callers.sql")
            try empty.definitions.append("-- a word more\n", to: "functions/handouts/handouts.sql")
            _ = try empty.migrate()
            let after = try empty.rowVersions()
            let changed = Set(after.filter { before[$0.key] != $0.value }.keys)
            #expect(changed.contains("function bump_version"))
            #expect(changed.contains { $0.hasPrefix("policy ") && $0.hasSuffix(" on audit_event") })
            #expect(
                changed.allSatisfy {
                    $0 == "function bump_version" || $0.hasSuffix(" audit_event")
                },
                "\(changed)")
            #expect(Set(before.keys) == Set(after.keys))

            _ = try empty.migrate(isWhole: true)
            let whole = try empty.rowVersions()
            #expect(after.allSatisfy { whole[$0.key] != $0.value }, "and everything on demand")
        }
    }

    @Test func `a function with another result takes its policies along`() throws {
        try withEmptyDatabase { empty in
            func define(_ type: String) throws {
                try empty.definitions.write(
                    """
                    set local role school_owner;
                    create or replace function school.brief(given integer default 1) returns \(type)
                        language sql stable return given;
                    grant execute on function school.brief(integer) to school_staff;
                    """, to: "functions/zz_brief.sql")
            }
            try define("integer")
            try empty.definitions.write(
                """
                set local role school_owner;
                create policy "by brief" on school.location for update to school_staff
                    using (organization_id = school.my_organization() and school.brief() = 1);
                """, to: "policies/zz_brief.sql")
            _ = try empty.migrate()
            try define("bigint")
            _ = try empty.migrate()
            let shape = try empty.shape()
            #expect(shape.contains("function school.brief(integer)"))
            #expect(shape.contains("RETURNS bigint"))
            #expect(shape.contains("by brief"))
            _ = try empty.migrate(isWhole: true)
            #expect(try empty.shape() == shape)
        }
    }

    @Test func `a function that generates a column belongs to its migration and stays`() throws {
        try withEmptyDatabase { empty in
            try empty.definitions.write(
                """
                set local role school_owner;
                create function school.doubled(number integer) returns integer language sql immutable
                    return number * 2;
                create function school.quadrupled(number integer) returns integer language sql immutable
                    return school.doubled(school.doubled(number));
                create table school.sum (
                    number  integer not null,
                    fourths integer generated always as (school.quadrupled(number)) stored);
                alter table school.sum enable row level security;
                """, to: "migrations/9000_sum.sql")
            _ = try empty.migrate()
            try empty.connect().query("insert into school.sum (number) values (2)")
            for isWhole in [false, true] {
                try empty.definitions.append(
                    "-- a word more\n", to: "functions/handouts/handouts.sql")
                _ = try empty.migrate(isWhole: isWhole)
                let found = try empty.connect().query("select fourths from school.sum")
                #expect(try found[0].int("fourths") == 8)
            }
        }
    }

    @Test func `a body that is parsed at creation may hold semicolons and cases`() throws {
        try withEmptyDatabase { empty in
            try empty.definitions.write(
                """
                set local role school_owner;
                create or replace function school.brief(number integer) returns setof text language sql
                begin atomic
                    select 'end;' where number is null;
                    -- The last one counts; end;
                    select case when number > 0 then case number when 1 then 'one' else 'more' end
                                else 'none' end;
                end;
                grant execute on function school.brief(integer) to school_staff;
                """, to: "functions/zz_brief.sql")
            _ = try empty.migrate()
            let found = try empty.connect().query("select school.brief(1) as word")
            #expect(try found.map { try $0.text("word") } == ["one"])
        }
    }

    @Test func `a function is created after those that its body names`() throws {
        try withEmptyDatabase { empty in
            func defineInner(_ type: String) throws {
                try empty.definitions.write(
                    "create or replace function inner_sum(n \(type)) returns \(type) language sql return n + 1;",
                    to: "functions/reports/zz_inner.sql")
            }
            try empty.definitions.write(
                """
                create or replace function outer_sum(n integer) returns bigint language sql stable
                begin atomic
                    select inner_sum(n) * 2;
                end;
                """, to: "functions/access/aa_outer.sql")
            for type in ["integer", "bigint"] {
                try defineInner(type)
                _ = try empty.migrate()
                let found = try empty.connect().query("select school.outer_sum(3) as sum")
                #expect(try found[0].int("sum") == 8)
            }
        }
    }

    @Test func `manual changes are reverted to what the files say`() throws {
        try withEmptyDatabase { empty in
            _ = try empty.migrate()
            let before = try empty.shape()
            let connection = try empty.connect()
            for damage: Command in [
                "drop policy \"exporters read what was published\" on school.handout",
                "alter policy \"students read what is given to them\" on school.handout using (true)",
                "create policy \"everything\" on school.handout for select to school_student using (true)",
                "grant select on school.credential to school_student",
                "revoke select on school.handout from school_teacher",
                "drop trigger touch on school.task",
                "alter table school.assignment disable trigger bump_version",
                "create function school.moment(integer) returns integer language sql return 1",
                "create function school.alien() returns integer language sql return 1",
                """
                create or replace function school.my_person() returns uuid language sql stable parallel safe
                    return null::uuid
                """,
            ] {
                try connection.execute(damage)
            }
            #expect(try empty.shape() != before)
            try empty.definitions.append("-- a word more\n", to: "functions/handouts/handouts.sql")
            _ = try empty.migrate()
            #expect(try empty.shape() == before)
        }
    }

    @Test(.alone) func `a long reader blocks neither the others nor what it does not read`() throws
    {
        try withEmptyDatabase { empty in
            _ = try empty.migrate()
            let reader = try BlockingConnection(empty.url + " application_name='long one'")
            try reader.execute("begin")
            try reader.query("select count(*) from school.handout")
            try empty.changePolicies(of: "audit")
            _ = try empty.migrate(patienceSeconds: 0)

            let before = try empty.shape()
            try empty.changePolicies(of: "handouts")
            let pauses = try Readers(of: empty.url)
            let refusal = #expect(throws: (any Error).self) {
                try empty.migrate(patienceSeconds: 2)
            }
            let longest = pauses.stop()
            #expect(longest < .seconds(1), "others waited \(longest)")
            let text = "\(String(describing: refusal))"
            let process = try reader.query("select pg_backend_pid() as pid")[0].int("pid")
            #expect(text.contains("process \(process) (user "))
            #expect(
                text.contains("application long one, idle in transaction, last statement SELECT"))
            #expect(text.contains("in a transaction since 20"))
            #expect(!text.contains("count(*)"))
            #expect(try empty.shape() == before)

            DispatchQueue.global().asyncAfter(deadline: .now() + 0.7) {
                try? reader.execute("commit")
            }
            _ = try empty.migrate()
            #expect(try empty.shape() != before)
        }
    }
}

/// Reads handouts again and again on a thread of its own, and measures the longest wait.
private final class Readers: @unchecked Sendable {
    private let connection: BlockingConnection
    private let lock = NSLock()
    private let end = DispatchSemaphore(value: 0)
    private var isStopped = false
    private var longest = Duration.zero

    init(of url: String) throws {
        connection = try BlockingConnection(url)
        Thread.detachNewThread { [self] in
            while !lock.withLock({ isStopped }) {
                let wait = ContinuousClock().measure {
                    _ = try? connection.query("select count(*) from school.handout")
                }
                longest = max(longest, wait)
                usleep(5_000)
            }
            end.signal()
        }
    }

    func stop() -> Duration {
        lock.withLock { isStopped = true }
        end.wait()
        return longest
    }
}

extension EmptyDatabase {
    /// Each function, trigger and policy with the transaction that wrote it.
    fileprivate func rowVersions() throws -> [String: String] {
        var versions: [String: String] = [:]
        let rows = try connect().query(
            """
            select 'function ' || proname as label, xmin::text as version from pg_proc
             where pronamespace = 'school'::regnamespace
            union all
            select format('policy %s on %s', p.polname, c.relname), p.xmin::text
              from pg_policy as p join pg_class as c on c.oid = p.polrelid
             where c.relnamespace = 'school'::regnamespace
            union all
            select format('trigger %s on %s', t.tgname, c.relname), t.xmin::text
              from pg_trigger as t join pg_class as c on c.oid = t.tgrelid
             where c.relnamespace = 'school'::regnamespace and not t.tgisinternal and t.tgparentid = 0
            union all
            select 'rights of ' || relname, xmin::text from pg_class
             where relnamespace = 'school'::regnamespace and relkind = 'r' and relacl is not null
               and relname in ('handout', 'person')
            """)
        for row in rows { versions[try row.text("label")] = try row.text("version") }
        return versions
    }

    /// Rewords every policy of a file without changing its meaning.
    fileprivate func changePolicies(of feature: String) throws {
        let file = "policies/\(feature).sql"
        try definitions.write(
            definitions.read(file).replacing(
                "organization_id = (select my_organization())",
                with: "organization_id = (select my_organization()) and true"
            ).replacing(
                "organization_id = my_organization()",
                with: "organization_id = my_organization() and true"),
            to: file)
    }
}
