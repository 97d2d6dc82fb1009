import Exports
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Folders that a rule of retention no longer keeps.
@Suite struct KeptFolders {
    private func day(_ daysAgo: Int) -> String {
        Day(daysSince1970: Int(Clock.system.now.milliseconds / 86_400_000) - daysAgo).description
    }

    private func keep(_ days: Int, _ school: TestSchool, since daysAgo: Int = 31) throws {
        try school.sql(
            """
            insert into school.retention_rule (organization_id, kind, days, effective_at)
            values (\(school.hillside), 'exports', \(Int32(days)), now() - make_interval(days => \(Int32(daysAgo))))
            """)
    }

    private func isFull(_ folder: String) throws -> Bool {
        try JSONValue(parsing: content("manifest.json", in: folder))["isFull"] == true
    }

    @Test func `old folders go, and the first export that could not be read alone is full`()
        async throws
    {
        try await withSchool { school in
            try await withFolder { root in
                let folder = "\(root)/\(school.hillside.uuid)"
                _ = try school.give()
                #expect(try isFull(school.export(root, day(400))))
                try school.export(root, day(400), again: true)
                #expect(try !isFull(school.export(root, day(200))))
                try keep(300, school)
                try school.letClockProveRight()
                #expect(try isFull(school.export(root, day(1))))
                #expect(try fileNames(folder) == [day(200), day(1)])
                #expect(try !isFull(school.export(root, day(0))), "the last full one is there")
                let events = try school.sql(
                    """
                    select standing, (details ->> 'exports')::integer as folders from school.audit_event
                     where kind = 'retention'
                    """)
                #expect(events.count == 1)
                #expect(try events[0].int("folders") == 2)
                #expect(try events[0].text("standing") == "exporter")
            }
        }
    }

    @Test func `nothing goes without a rule, before it takes effect, or while a hold stands`()
        async throws
    {
        try await withSchool { school in
            try await withFolder { root in
                let folder = "\(root)/\(school.hillside.uuid)"
                try school.letClockProveRight()
                try school.export(root, day(400))
                try school.export(root, day(3))
                try keep(300, school, since: -1)
                try school.export(root, day(2))
                try school.sql(
                    "update school.retention_rule set effective_at = now() - interval '1 day'")
                try school.sql(
                    """
                    insert into school.retention_hold (organization_id, hold_id, person_id, reason)
                    values (\(school.hillside), gen_random_uuid(), \(school.id(.sam)), 'An appeal.')
                    """)
                #expect(try !isFull(school.export(root, day(1))))
                #expect(try fileNames(folder).count == 4)
                try school.sql("delete from school.retention_hold")
                try school.export(root, day(0))
                #expect(try fileNames(folder).count == 4, "one went, and one came")
            }
        }
    }
}
