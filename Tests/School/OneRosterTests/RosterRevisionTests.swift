import Postgres
import School
import TestKit
import Testing

/// How changes of the roster are counted.
@Suite struct RosterRevisionTests {
    private func changes(_ school: TestSchool) throws -> Int {
        try school.sql(
            """
            select coalesce(sum(changes), 0)::bigint as sum from school.roster_change
             where organization_id = \(school.hillside)
            """)[0].int("sum")
    }

    @Test func `a transaction counts once, also after what it undid`() async throws {
        try await withSchool { school in
            let before = try changes(school)
            try school.sql(
                """
                do $$
                begin
                    begin
                        update school.class set room = 'undone' where name = 'Biology';
                        raise exception 'undone';
                    exception when raise_exception then null;
                    end;
                    update school.class set room = '1' where name = 'Biology';
                    update school.class set room = '2' where name = 'Biology';
                end $$
                """)
            #expect(try changes(school) == before + 1)
            // Nothing is left of it for the next transaction of the same connection.
            try school.sql("update school.class set room = '3' where name = 'Biology'")
            #expect(try changes(school) == before + 2)
            try school.sql(
                """
                do $$
                begin
                    update school.class set room = 'undone' where name = 'Biology';
                    raise exception 'undone';
                exception when raise_exception then null;
                end $$
                """)
            #expect(try changes(school) == before + 2)
        }
    }

    @Test func `a transaction that changes several rosters counts for each`() async throws {
        try await withSchool { school in
            let sums: Statement = """
                select sum(changes)::bigint as sum from school.roster_change
                 group by organization_id order by organization_id
                """
            try school.sql("update school.location set name = name || '!'")
            let before = try school.sql(sums).map { try $0.int("sum") }
            try #require(before.count > 1)
            try school.sql(
                """
                do $$
                begin
                    update school.class set room = '1' where name = 'Biology';
                    update school.location set name = name || '?';
                    update school.class set room = '2' where name = 'Biology';
                end $$
                """)
            let after = try school.sql(sums).map { try $0.int("sum") }
            #expect(zip(before, after).allSatisfy { $0 < $1 })
        }
    }

    @Test func `a change looks at none of those before it, and all are added up`() async throws {
        try await withSchool(in: .shared()) { school in
            try school.sql(
                """
                insert into school.roster_change (organization_id, change_id)
                select \(school.hillside), school.new_id() from generate_series(1, 5000)
                """)
            try school.sql(
                """
                create function pg_temp.rows_read() returns bigint language sql volatile
                    return (select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)
                              from pg_stat_xact_user_tables where relname = 'roster_change')
                """)
            // Both in one transaction, as that is what PostgreSQL counts for.
            try school.sql(
                """
                do $$
                declare
                    organization constant uuid := (select organization_id from school.class where name = 'Biology');
                begin
                    update school.class set room = '1' where name = 'Biology';
                    update school.class set room = '2' where name = 'Biology';
                    if pg_temp.rows_read() > 10 then
                        raise 'a change read % rows', pg_temp.rows_read();
                    end if;
                    perform count(changed_at) from school.roster_change where organization_id = organization;
                    if pg_temp.rows_read() < 5000 then
                        raise 'what is read is not counted: %', pg_temp.rows_read();
                    end if;
                end $$
                """)
            let sum: Statement = "select sum(changes)::bigint as sum from school.roster_change"
            let before = try school.sql(sum)[0].int("sum")
            // As long as a batch was full there may be more.
            #expect(try school.sql("select school.remove_outdated() as is_more")[0].bool("is_more"))
            for _ in 1...5 { try school.sql("select school.remove_outdated()") }
            let rows = try school.sql("select from school.roster_change")
            let rosters = try school.sql(
                "select distinct organization_id from school.roster_change")
            #expect(rows.count == rosters.count)
            #expect(try school.sql(sum)[0].int("sum") == before)
        }
    }
}
