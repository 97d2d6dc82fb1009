import JSONBytes
import Postgres
import TestKit
import Testing

/// Archives as information systems, spreadsheets and people make them.
@Suite struct UsualArchives {
    @Test(arguments: [
        UsualArchive.words, UsualArchive.dates, UsualArchive.forms, UsualArchive.encodings,
        UsualArchive.containers, UsualArchive.relations,
    ])
    func `what is certain is put right, what is not is left out, and the rest is taken`(
        cases: [UsualArchive]
    ) async throws {
        try await withSchool { school in
            for usual in cases {
                let plan = try await school.importArchive(usual.archive, mode: "preview")
                let name = usual.testDescription
                #expect(plan.status == "planned", "\(name)")
                #expect(plan.errorLines == [], "\(name)")
                #expect(plan.noteLines == usual.notes, "\(name)")
                #expect(plan.lines(of: "warnings") == usual.warnings, "\(name)")
                #expect(plan.newPeople == usual.people, "\(name)")
            }
        }
    }

    @Test func `what is put right is stored as it is meant`() async throws {
        try await withSchool { school in
            let archive = TestArchive.oneRoster1
                .replacing("Given3,", with: "“Given3”  ,", in: "users.csv")
                .replacing("Given4,", with: "Robert “Bob”,", in: "users.csv")
                .replacing(
                    "S5,student,,2025-08-01", with: "S5,Student,,1.8.2025", in: "enrollments.csv"
                )
                .replacing(
                    "schoolYear,2025-08-01", with: "schoolYear,8/31/2025",
                    in: "academicSessions.csv")
            #expect(try await school.importArchive(archive).status == "succeeded")
            #expect(try school.person("S3").text("given_name") == "Given3")
            #expect(try school.person("S4").text("given_name") == "Robert “Bob”")
            let term = try school.sql(
                "select starts_on::text as day from school.term where source_id = 'Y1'")
            #expect(try term[0].text("day") == "2025-08-31")
            #expect(try school.seats(of: "S5") == "student in K1")
        }
    }

    @Test func `a strict import refuses what others put right`() async throws {
        try await withSchool { school in
            let archive = TestArchive.oneRoster1.replacing(
                "S3,,,true", with: "S3,,,TRUE", in: "users.csv")
            let strict = try await school.importArchive(archive, mode: "preview", strict: true)
            #expect(strict.status == "failed" && strict["strict"] == true)
            #expect(strict.errorLines == ["users.csv:4:enabledUser invalid_boolean"])
            let usual = try await school.importArchive(archive, mode: "preview")
            #expect(usual.status == "planned" && usual["strict"] == false)
            let note = try #require(usual["tallies"]?.array?.first)
            #expect(note["level"] == "note" && note["count"] == 1)
            #expect(note["lines"]?.array == [4])
        }
    }

    @Test func `files that are not UTF-8 are refused with what to do`() async throws {
        try await withSchool { school in
            let archive = TestArchive.oneRoster1
                .encoding("users.csv") { text in
                    Array(text.replacing("Given3", with: "Gi#en3").utf8).map {
                        $0 == 0x23 ? 0xE4 : $0
                    }
                }
            let outcome = try await school.importArchive(archive)
            #expect(outcome.errorLines == ["users.csv:4:- invalid_utf8"])
            let text = outcome["errors"]?.array?.first?["text"]?.text ?? ""
            #expect(text.contains("In Excel, save it as \"CSV UTF-8\""))
        }
    }

    @Test func `an archive in an archive, and one without people, are refused`() async throws {
        try await withSchool { school in
            var nested = TestArchive()
            nested.rawFiles["roster.zip"] = try TestArchive.oneRoster1.bytes()
            let refused = try await school.importArchive(nested)
            #expect(refused.errorLines == ["roster.zip:-:- missing_file"])
            let empty = TestArchive.oneRoster1.rewriting("users.csv") {
                String($0.prefix { $0 != "\n" }) + "\n"
            }.rewriting("enrollments.csv") { String($0.prefix { $0 != "\n" }) + "\n" }
            let nobody = try await school.importArchive(empty)
            #expect(nobody.errorLines == ["users.csv:-:- no_people"])
        }
    }
}
