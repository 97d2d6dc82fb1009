import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// What OneRoster archives bring, in full and as changes.
@Suite struct OneRoster {
    @Test(arguments: [
        ("oneRoster-1.1", TestArchive.oneRoster1), ("oneRoster-1.2", TestArchive.oneRoster2),
    ])
    func `a bulk archive creates everything it names`(
        format: String, archive: TestArchive
    ) async throws {
        try await withSchool { school in
            let outcome = try await school.importArchive(archive)
            #expect(outcome.errorLines == [])
            #expect(outcome.status == "succeeded")
            #expect(outcome["format"]?.text == format)
            #expect(outcome.counts("orgs.csv") == [3, 0, 0, 0])
            #expect(outcome.counts("users.csv") == [13, 0, 0, 0])
            #expect(outcome.skipped("users.csv") == 1, "the parent")
            #expect(outcome.counts("courses.csv") == [1, 0, 0, 0])
            #expect(outcome.counts("classes.csv") == [2, 0, 0, 0])
            #expect(outcome.counts("enrollments.csv") == [16, 0, 0, 0])
            #expect(outcome["ignoredFiles"] == ["results.csv"])
            #expect(try school.roles(of: "T2") == "staff at L1, teacher at L1, teacher at L2")
            #expect(try school.roles(of: "S1") == "student at L1")
            #expect(try school.seats(of: "T2") == "teacher in K1, teacher in K2")
            #expect(try school.seats(of: "S1") == "student in K1, student in K2")
            #expect(try school.person("S1").text("grade") == "07")
            #expect(try school.person("T1").text("email") == "grace@school.example")
            #expect(try school.className("K1") == "Mathematics, MA-1-A, 12")
            #expect(try school.className("K2") == "Geometry, MA-1-B, -")
            let again = try await school.importArchive(archive)
            #expect(again.counts("users.csv") == [0, 0, 13, 0])
            #expect(again.counts("classes.csv") == [0, 0, 2, 0])
            #expect(again.counts("enrollments.csv") == [0, 0, 16, 0])
        }
    }

    @Test func `the templates and both versions describe the same school`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let before = try school.roster()
            for archive in [TestArchive.oneRoster1, .oneRoster2, .small, .oneRoster2, .oneRoster1] {
                let outcome = try await school.importArchive(archive)
                #expect(outcome.errorLines == [])
                #expect(outcome.status == "succeeded")
                #expect(try school.roster() == before)
            }
        }
    }

    @Test func `an archive without a manifest is read as Apple School Manager reads it`()
        async throws
    {
        try await withSchool { school in
            var archive = TestArchive.oneRoster1
            archive.files["manifest.csv"] = nil
            archive.files["academicSessions.csv"] = nil
            archive.files["results.csv"] = nil
            archive.files["orgs.csv"] = """
                sourcedID,name,type,parentSourceId
                L1,North School,school,
                L2,South School,school,

                """
            archive = archive.replacing("orgSourcedIds", with: "orgSourcedIDs", in: "users.csv")
                .replacing("S1,,,true,L1,student,", with: "S1,active,,true,L1,,", in: "users.csv")
                .replacing(
                    "S11,,,true,L1,student,", with: "S11,tobedeleted,,,L1,,", in: "users.csv"
                )
                .replacing(
                    "R11,,,K1,L1,S11,student,,2025-08-01,2026-01-31\n", with: "",
                    in: "enrollments.csv"
                )
                .replacing(",2025-08-01,2026-01-31", with: ",,", in: "enrollments.csv")
            let outcome = try await school.importArchive(archive)
            #expect(outcome.errorLines == [])
            #expect(outcome.status == "succeeded")
            #expect(outcome.counts("users.csv") == [12, 0, 0, 0])
            #expect(outcome.skipped("users.csv") == 2, "a parent, and a former student")
            #expect(try school.roles(of: "S1") == "student at L1")
            archive.files["courses.csv"] = nil
            let second = try await school.importArchive(archive)
            #expect(second.errorLines == ["courses.csv:-:- missing_file"])
        }
    }

    @Test func `a person who is not enabled is deactivated, and comes back with the next archive`()
        async throws
    {
        try await withSchool { school in
            _ = try await school.importArchive(.oneRoster1)
            let disabled = TestArchive.oneRoster1.replacing(
                "S11,,,true", with: "S11,,,false", in: "users.csv")
            let outcome = try await school.importArchive(disabled)
            #expect(outcome.status == "succeeded")
            #expect(outcome.counts("users.csv") == [0, 0, 12, 1])
            #expect(try school.person("S11").text("status") == "deactivated")
            #expect(try school.seats(of: "S11") == "")
            _ = try await school.importArchive(.oneRoster1)
            #expect(try school.person("S11").text("status") == "new")
            #expect(try school.seats(of: "S11") == "student in K1")
        }
    }

    @Test func `an enrolment that is over or has not begun is not a seat`() async throws {
        try await withSchool { school in
            let archive = TestArchive.oneRoster1
                .replacing(
                    "S11,student,,2025-08-01,2026-01-31",
                    with: "S11,student,,2025-08-01,2025-08-02", in: "enrollments.csv"
                )
                .replacing(
                    "S10,student,,2025-08-01,2026-01-31", with: "S10,student,,9998-08-01,",
                    in: "enrollments.csv")
            let outcome = try await school.importArchive(archive)
            #expect(outcome.errorLines == [])
            #expect(outcome.counts("enrollments.csv") == [14, 0, 0, 0])
            #expect(outcome.skipped("enrollments.csv") == 2)
            #expect(try school.seats(of: "S11") == "")
            #expect(try school.seats(of: "S10") == "")
            let joined = try school.sql(
                """
                select to_char(s.joined_at at time zone o.time_zone, 'YYYY-MM-DD HH24:MI') as day
                  from school.seat as s join school.person as p using (organization_id, person_id)
                  join school.organization as o using (organization_id) where p.source_id = 'S9'
                """)
            #expect(try joined[0].text("day") == "2025-08-01 00:00")
        }
    }
}

/// School years and terms, which OneRoster calls academic sessions.
@Suite struct ImportedTerms {
    @Test func `a class belongs to the smallest term that covers those it is listed for`()
        async throws
    {
        try await withSchool { school in
            let archive = TestArchive.oneRoster1
                .adding(
                    "Z2,,,Spring,term,2026-02-01,2026-07-31,Y1,2026", to: "academicSessions.csv"
                )
                .adding(
                    "Q2,,,Late spring,gradingPeriod,2026-05-01,2026-07-31,Z2,2026",
                    to: "academicSessions.csv"
                )
                .adding("W1,,,Camp,term,2026-08-01,2026-08-15,,2026", to: "academicSessions.csv")
                .adding("K3,,,Whole year,,C1,,scheduled,,L1,\"Z1, Z2\",,,", to: "classes.csv")
                .adding("K4,,,Spring only,,C1,,scheduled,,L1,\"Z2,Q2\",,,", to: "classes.csv")
                .adding("K5,,,Into the holidays,,C1,,scheduled,,L1,\"Z2,W1\",,,", to: "classes.csv")
            let outcome = try await school.importArchive(archive)
            #expect(outcome.errorLines == [])
            #expect(outcome.counts("academicSessions.csv") == [5, 0, 0, 0])
            let terms = try school.sql(
                """
                select string_agg(c.source_id || ' ' || t.source_id, ', ' order by c.source_id) as text
                  from school.class as c join school.term as t using (organization_id, term_id)
                 where c.organization_id = \(school.hillside)
                """)
            #expect(try terms[0].text("text") == "K1 Z1, K2 Z1, K3 Y1, K4 Z2, K5 W1")
            let again = try await school.importArchive(archive)
            #expect(again.counts("academicSessions.csv") == [0, 0, 5, 0])
            #expect(again.counts("classes.csv") == [0, 0, 5, 0])
            _ = try await school.importArchive(.small)
            let kept = try school.sql(
                """
                select t.source_id as text from school.class as c
                  join school.term as t using (organization_id, term_id) where c.source_id = 'K1'
                """)
            #expect(try kept[0].text("text") == "Z1", "the templates know no terms")
        }
    }

    @Test func `a class that is put into a closed term is archived with it`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.oneRoster1)
            let closing: Statement = """
                update school.term set closed_at = school.moment() where source_id = 'Z1'
                """
            try school.sql(closing)
            try school.sql(
                "update school.class set archived_at = school.moment() where source_id in ('K1', 'K2')"
            )
            let outcome = try await school.importArchive(
                TestArchive.oneRoster1.adding(
                    "K3,,,Late,,C1,,scheduled,,L1,Z1,,,", to: "classes.csv"))
            #expect(outcome.errorLines == [])
            #expect(outcome.counts("classes.csv") == [1, 0, 2, 0])
            let archived = try school.sql(
                """
                select count(*) as n from school.class
                 where source_id in ('K1', 'K2', 'K3') and archived_at is not null
                """)
            #expect(try archived[0].int("n") == 3)
        }
    }

    @Test func `changes move a class into a term of the directory`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.oneRoster1)
            let outcome = try await school.importArchive(
                .delta([
                    "academicSessions": ["Z2,,,Spring,term,2026-02-01,2026-07-31,Y1,2026"],
                    "classes": ["K1,,,MA-1-A,,C1,MA-1-A,scheduled,12,L1,\"Z1,Z2\",,,"],
                ]))
            #expect(outcome.errorLines == [])
            #expect(outcome.counts("academicSessions.csv") == [1, 0, 0, 0])
            #expect(outcome.counts("classes.csv") == [0, 1, 0, 0])
            let term = try school.sql(
                """
                select t.source_id as text from school.class as c
                  join school.term as t using (organization_id, term_id) where c.source_id = 'K1'
                """)
            #expect(try term[0].text("text") == "Y1")
        }
    }
}

extension JSONValue {
    func skipped(_ file: String) -> Int {
        let entry = self["files"]?.array?.first { $0["name"]?.text == file }
        return entry?["skipped"]?.int64.map { Int($0) } ?? -1
    }
}

extension TestSchool {
    /// `name, number, room` of a class.
    func className(_ sourceID: String) throws -> String {
        try sql(
            """
            select concat_ws(', ', name, number, coalesce(room, '-')) as text from school.class
             where organization_id = \(hillside) and source_id = \(sourceID)
            """)[0].text("text")
    }

    /// The people, their classes and roles, by the ids of the school's information system.
    func roster() throws -> String {
        try sql(
            """
            select md5(string_agg(line, chr(10) order by line)) as digest from (
                select concat_ws('|', 'person', source_id, given_name, middle_name, family_name, person_number,
                                 grade, email, status) as line
                  from school.person where organization_id = \(hillside) and origin = 'import'
                union all
                select concat_ws('|', 'class', c.source_id, c.number, l.source_id, k.source_id, c.archived_at is null)
                  from school.class as c join school.location as l using (organization_id, location_id)
                  join school.course as k on k.organization_id = c.organization_id and k.course_id = c.course_id
                 where c.organization_id = \(hillside) and c.origin = 'import'
                union all
                select concat_ws('|', 'seat', c.source_id, p.source_id, s.role)
                  from school.seat as s join school.class as c using (organization_id, class_id)
                  join school.person as p using (organization_id, person_id)
                 where s.organization_id = \(hillside) and c.origin = 'import' and s.left_at is null) as everything
            """)[0].text("digest")
    }
}
