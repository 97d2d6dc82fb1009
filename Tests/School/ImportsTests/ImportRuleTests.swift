import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// An archive with one mistake, and what is reported about it.
struct Mistake: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let archive: TestArchive
    let says: [String]

    init(_ name: String, _ archive: TestArchive, says: String...) {
        testDescription = name
        self.archive = archive
        self.says = says
    }
}

@Suite struct ImportRules {
    @Test(arguments: [Mistake.ofHeaders, Mistake.ofValues, Mistake.ofReferences])
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

    @Test func `all mistakes are reported at once, file by file and from top to bottom`()
        async throws
    {
        try await withSchool { school in
            let archive = TestArchive.small
                .adding("R14,K9,S99", to: "rosters.csv")
                .adding("S12,,,,Lee,,,,7,L1", to: "students.csv")
                .replacing("L2,South School", with: "L2,", in: "locations.csv")
                .adding("readme", to: "readme.txt")
            let outcome = try await school.importArchive(archive, strict: true)
            #expect(
                outcome.errorLines == [
                    "readme.txt:-:- unknown_file",
                    "locations.csv:3:location_name missing_value",
                    "students.csv:13:first_name missing_value",
                    "students.csv:13:password_policy invalid_password_policy",
                    "rosters.csv:15:class_id unknown_reference",
                    "rosters.csv:15:student_id unknown_reference",
                ])
            let texts = outcome["errors"]?.array?.compactMap { $0["text"]?.text } ?? []
            #expect(texts.contains("There is no \"K9\" in classes.csv."))
            #expect(texts.contains("first_name must not be empty."))
        }
    }

    @Test func `with very many mistakes a thousand are listed and all are counted`() async throws {
        try await withSchool { school in
            let seats = (1...1_500).map { "X\($0),C\($0),S1" }.joined(separator: "\n")
            let outcome = try await school.importArchive(
                TestArchive.small.adding(seats, to: "rosters.csv"), strict: true)
            #expect(outcome.errorLines.count == 1_000)
            #expect(outcome["errorCount"] == 1_500)
        }
    }

    @Test func `both ways of quoting, semicolons and additional columns are accepted`() async throws
    {
        try await withSchool { school in
            var archive = TestArchive.small
            archive.files["locations.csv"] =
                "\u{FEFF}location_id;location_name\r\nL1;\"North, the \"\"old\"\" one\"\r\n"
                + "L2;South \\\"new\\\"\r\n"
            archive.files["staff.csv"] = """
                person_id,person_number,first_name,middle_name,last_name,email_address,sis_username,location_id,location_id_3
                T1,,Grace,,Hopper,,,L1,L2
                T2,,"Alan\\
                Mathison",,Turing,,,L1,

                """
            archive.files["classes.csv"] = """
                class_id,class_number,course_id,instructor_id,instructor_id_2,instructor_id_3,instructor_id_4,location_id,class_display_name
                K1,,C1,T1,,,T2,L1,Our class
                K2,,C1,T2,,,,L2,

                """
            let outcome = try await school.importArchive(archive)
            #expect(outcome.errorLines == [])
            let names = try school.sql(
                """
                select string_agg(name, '|' order by name) as names from school.location
                 where source_id in ('L1', 'L2')
                """)
            #expect(try names[0].text("names") == "North, the \"old\" one|South \"new\"")
            let people = try school.sql(
                "select given_name from school.person where source_id = 'T2'")
            #expect(try people[0].text("given_name") == "Alan Mathison")
            let roles = try school.sql(
                """
                select string_agg(r.role || ' at ' || l.source_id, ', ' order by r.role, l.source_id) as roles
                  from school.person_role as r join school.person as p using (organization_id, person_id)
                  join school.location as l using (organization_id, location_id)
                 where p.source_id = 'T1'
                """)
            #expect(try roles[0].text("roles") == "staff at L1, staff at L2, teacher at L1")
            let classes = try school.sql(
                "select display_name from school.class where source_id = 'K1'")
            #expect(try classes[0].text("display_name") == "Our class")
        }
    }

    @Test func `no class becomes larger than the organization allows`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                update school.organization set class_students_max = 9, class_teachers_max = 1
                 where organization_id = \(school.hillside)
                """)
            let before = try school.fingerprint()
            let outcome = try await school.importArchive(.small)
            #expect(
                outcome.errorLines == [
                    "classes.csv:2:instructor_id class_too_large",
                    "rosters.csv:11:student_id class_too_large",
                ])
            let texts = outcome["errors"]?.array?.compactMap { $0["text"]?.text } ?? []
            #expect(
                texts.last
                    == "A class may have at most 9 students, and \"K1\" would have more.")
            #expect(try school.fingerprint() == before)
            let other = try await school.importArchive(.oneRoster1)
            #expect(
                other.errorLines == [
                    "enrollments.csv:11:userSourcedId class_too_large",
                    "enrollments.csv:16:userSourcedId class_too_large",
                ])
        }
    }

    @Test func `a part that managed IDs are made of must not be empty`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                update school.organization set managed_id_format = '{givenName}.{personNumber}'
                 where organization_id = \(school.hillside)
                """)
            let outcome = try await school.importArchive(.small, strict: true)
            #expect(
                outcome.errorLines == [
                    "staff.csv:2:person_number no_managed_id",
                    "staff.csv:3:person_number no_managed_id",
                ])
            try school.sql(
                """
                update school.organization set managed_id_format = '{givenName}.{grade}'
                 where organization_id = \(school.hillside)
                """)
            let graded = try await school.importArchive(
                TestArchive.small.replacing(
                    "Given3,,Family3,07", with: "Given3,,Family3,", in: "students.csv"),
                strict: true)
            #expect(
                graded.errorLines == ["students.csv:4:grade_level no_managed_id"],
                "staff have no grade, and need none")
        }
    }
}
