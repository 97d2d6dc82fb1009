import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import OneRoster

/// What a transaction changed that began before a client asked, and ended after.
@Suite struct LateChangeTests {
    @Test func `what is committed after a client asked is listed when it asks again`() async throws
    {
        try await withSchool { school in
            let late = try BlockingConnection(school.ownerURL)
            try late.execute("begin")
            try late.query(
                "update school.person set given_name = 'Late' where person_id = \(school.id(.sam))"
            )
            let asked = try school.sql(
                "select date_trunc('milliseconds', clock_timestamp()) as at")[0].timestamp("at")
            let before = try await school.roster("users/sis-sam").json["user"]
            #expect(before?["givenName"] == "Sam")
            try late.execute("commit")
            for comparator in ["%3E", "%3E%3D"] {
                let since = "users?filter=dateLastModified\(comparator)'\(asked)'"
                #expect(try await school.ids(since).contains("sis-sam"))
            }
            let after = try await school.roster("users/sis-sam").json["user"]
            #expect(after?["givenName"] == "Late")
            let shown = try #require(after?["dateLastModified"]?.text)
            #expect(shown <= "\(asked)", "what is shown is when it began")
        }
    }

    /// As if nobody had changed for long.
    private func forgetChanges(_ school: TestSchool) throws {
        let tables: [Statement] = ["person", "change", "change_transaction"]
        for table in tables {
            try school.sql("alter table school.\(fragment: table) disable trigger user")
        }
        try school.sql("update school.person set updated_at = '2026-01-01'")
        try school.sql("delete from school.change")
        try school.sql("delete from school.change_transaction")
        try school.sql(
            """
            insert into school.change_transaction (organization_id, transaction, position)
            values (\(school.hillside), '1', 1)
            """)
    }

    /// A transaction that changed a person, with so many minutes since it began and ended.
    private func change(_ person: Persona, began: Int, ended: Int, _ school: TestSchool) throws {
        try school.sql(
            """
            insert into school.change_transaction (organization_id, transaction, position)
            select \(school.hillside), \(began)::bigint::text::xid8,
                   floor(extract(epoch from now() - make_interval(mins => \(ended)::integer)) * 1000000)::bigint
            """)
        try school.sql(
            """
            insert into school.change (organization_id, transaction, kind, subject_id, what, noted_at)
            select \(school.hillside), \(began)::bigint::text::xid8, 'person', \(school.id(person)), 'changed',
                   date_trunc('milliseconds', now() - make_interval(mins => \(began)::integer))
            """)
        try school.sql(
            """
            update school.person as p set updated_at = c.noted_at
              from school.change as c
             where p.person_id = \(school.id(person)) and c.subject_id = p.person_id
            """)
    }

    @Test func `a client is shown what an import of hours changed, and not much more`()
        async throws
    {
        try await withSchool { school in
            try forgetChanges(school)
            try change(.sam, began: 180, ended: 60, school)
            try change(.ben, began: 241, ended: 240, school)
            func changed(_ minutes: Int) async throws -> [String] {
                let asked = try school.sql(
                    """
                    select date_trunc('milliseconds', now() - make_interval(mins => \(minutes)::integer)) as at
                    """)[0].timestamp("at")
                return try await school.ids("users?filter=dateLastModified%3E'\(asked)'")
            }
            #expect(try await changed(120) == ["sis-sam"], "it ended after that")
            #expect(try await changed(30) == [])
            #expect(try await changed(300) == ["sis-ben", "sis-sam"])
            // Of then nothing is known, so it goes back by a day.
            try school.sql(
                """
                insert into school.change_feed as f (organization_id, forgotten_through)
                values (\(school.hillside), floor(extract(epoch from now()) * 1000000)::bigint)
                    on conflict on constraint change_feed_pkey do update
                       set forgotten_through = excluded.forgotten_through
                """)
            #expect(try await changed(120) == ["sis-ben", "sis-sam"])
            #expect(try await changed(30) == ["sis-ben", "sis-sam"])
        }
    }
}
