import JSONBytes
import Postgres
import TestKit
import Testing

@Suite struct OneRosterRules {
    @Test(arguments: [
        Mistake.ofManifests, Mistake.ofStandardHeaders, Mistake.ofStandardValues,
        Mistake.ofStandardReferences, Mistake.ofChanges,
    ])
    func `every mistake is named with its location, and nothing is changed`(
        mistakes: [Mistake]
    ) async throws {
        try await withSchool { school in
            let before = try school.fingerprint()
            for mistake in mistakes {
                let outcome = try await school.importArchive(mistake.archive, strict: true)
                #expect(outcome.status == "failed", "\(mistake.testDescription)")
                #expect(outcome.errorLines == mistake.says, "\(mistake.testDescription)")
            }
            #expect(try school.fingerprint() == before)
        }
    }

    @Test func `mistakes in all files are reported at once, in words for people`() async throws {
        try await withSchool { school in
            let archive = TestArchive.oneRoster1
                .replacing("S3,,,true", with: "S3,,,TRUE", in: "users.csv")
                .replacing(
                    "Y1,,,2025-2026,schoolYear,2025-08-01",
                    with: "Y1,,,2025-2026,schoolYear,1.8.25", in: "academicSessions.csv"
                )
                .adding("R17,,,K9,L1,S1,student,,,", to: "enrollments.csv")
            let outcome = try await school.importArchive(archive, strict: true)
            #expect(
                outcome.errorLines == [
                    "academicSessions.csv:2:startDate invalid_date",
                    "users.csv:4:enabledUser invalid_boolean",
                    "enrollments.csv:18:classSourcedId unknown_reference",
                ])
            let texts = outcome["errors"]?.array?.compactMap { $0["text"]?.text } ?? []
            #expect(
                texts == [
                    "\"1.8.25\" is not a date. Write it as 2026-08-31.",
                    "Write true or false, in small letters, instead of \"TRUE\".",
                    "There is no \"K9\" in classes.csv.",
                ])
        }
    }

    @Test func `semicolons, a byte order mark, quotes and additional columns are accepted`()
        async throws
    {
        try await withSchool { school in
            var archive = TestArchive.oneRoster1
            archive.files["orgs.csv"] =
                "\u{FEFF}sourcedId;status;dateLastModified;name;type;identifier;parentSourcedId;metadata.phone\r\n"
                + "D1;;;District;district;;;\r\n"
                + "L1;;;\"North; the \"\"old\"\" one\";school;;D1;555\r\nL2;;;South \\ East;school;;D1;\r\n"
            let outcome = try await school.importArchive(archive)
            #expect(outcome.errorLines == [])
            let names = try school.sql(
                """
                select string_agg(name, '|' order by name) as names from school.location
                 where source_id in ('L1', 'L2')
                """)
            #expect(try names[0].text("names") == "North; the \"old\" one|South \\ East")
        }
    }
}
