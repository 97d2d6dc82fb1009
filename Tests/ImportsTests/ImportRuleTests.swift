import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// An archive with one mistake, and what is said about it.
struct Mistake: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let archive: TestArchive
    let says: [String]

    init(_ name: String, _ archive: TestArchive, says: String...) {
        testDescription = name
        self.archive = archive
        self.says = says
    }

    private static let small = TestArchive.small

    static let ofHeaders = [
        Mistake(
            "a column renamed",
            small.replacing("location_name", with: "name", in: "locations.csv"),
            says: "locations.csv:1:name unknown_column",
            "locations.csv:1:location_name missing_column"),
        Mistake(
            "a column in capitals",
            small.replacing("course_id,", with: "COURSE_ID,", in: "courses.csv"),
            says: "courses.csv:1:COURSE_ID unknown_column",
            "courses.csv:1:course_id missing_column"),
        Mistake(
            "a column twice",
            small.replacing(
                "course_number,course_name,", with: "course_name,course_name,", in: "courses.csv"),
            says: "courses.csv:1:course_name duplicate_column",
            "courses.csv:1:course_number missing_column"),
        Mistake(
            "columns in another order",
            small.replacing("roster_id,class_id", with: "class_id,roster_id", in: "rosters.csv"),
            says: "rosters.csv:1:- wrong_column_order"),
        Mistake(
            "a sixteenth instructor",
            small.replacing(
                "instructor_id_3,", with: "instructor_id_3,instructor_id_16,", in: "classes.csv"),
            says: "classes.csv:1:instructor_id_16 unknown_column"),
        Mistake(
            "a file without a header",
            small.replacing(small.files["courses.csv"]!, with: "", in: "courses.csv"),
            says: "courses.csv:-:- empty_file"),
    ]

    static let ofValues = [
        Mistake(
            "no ID", small.adding(",,Ann,,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:person_id missing_value"),
        Mistake(
            "no first name", small.adding("T3,,,,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:first_name missing_value"),
        Mistake(
            "no last name", small.adding("S12,,Ann,,,,,,,L1", to: "students.csv"),
            says: "students.csv:13:last_name missing_value"),
        Mistake(
            "no location", small.adding("S12,,Ann,,Lee,,,,,", to: "students.csv"),
            says: "students.csv:13:location_id missing_value"),
        Mistake(
            "no name of a location", small.adding("L3,", to: "locations.csv"),
            says: "locations.csv:4:location_name missing_value"),
        Mistake(
            "no course of a class", small.adding("K3,,,T1,,,L1", to: "classes.csv"),
            says: "classes.csv:4:course_id missing_value"),
        Mistake(
            "no ID of a roster", small.adding(",K2,S3", to: "rosters.csv"),
            says: "rosters.csv:15:roster_id missing_value"),
        Mistake(
            "a password policy of five", small.adding("S12,,Ann,,Lee,,,,5,L1", to: "students.csv"),
            says: "students.csv:13:password_policy invalid_password_policy"),
        Mistake(
            "an underscore in an ID", small.adding("T_3,,Ann,,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:person_id invalid_identifier"),
        Mistake(
            "a space in an ID", small.adding("R 14,K2,S3", to: "rosters.csv"),
            says: "rosters.csv:15:roster_id invalid_identifier"),
        Mistake(
            "an ID of 256 characters",
            small.adding("\(String(repeating: "T", count: 256)),,Ann,,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:person_id too_long"),
        Mistake(
            "a name of 257 characters",
            small.adding("T3,,\(String(repeating: "a", count: 257)),,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:first_name too_long"),
        Mistake(
            "a grade of 65 characters",
            small.adding(
                "S12,,Ann,,Lee,\(String(repeating: "9", count: 65)),,,,L1", to: "students.csv"),
            says: "students.csv:13:grade_level too_long"),
        Mistake(
            "a space behind the separator", small.adding("T3,, Ann,,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:first_name leading_space"),
        Mistake(
            "curly quotation marks", small.adding("T3,,“Ann”,,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:first_name curly_quotes"),
        Mistake(
            "a bell in a name", small.adding("T3,,An\u{7}n,,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:first_name control_character"),
        Mistake(
            "an e-mail address without a domain",
            small.adding("T3,,Ann,,Lee,ann@,,L1", to: "staff.csv"),
            says: "staff.csv:4:email_address invalid_email"),
        Mistake(
            "a value too few", small.adding("R14,K2", to: "rosters.csv"),
            says: "rosters.csv:15:- wrong_number_of_values"),
        Mistake(
            "a quotation mark that is never closed", small.adding("L3,\"East", to: "locations.csv"),
            says: "locations.csv:4:- malformed_csv"),
    ]

    static let ofReferences = [
        Mistake(
            "a person in two files", small.adding("S1,,Ann,,Lee,,,L1", to: "staff.csv"),
            says: "staff.csv:4:person_id duplicate_id"),
        Mistake(
            "a location twice", small.adding("L2,East", to: "locations.csv"),
            says: "locations.csv:4:location_id duplicate_id"),
        Mistake(
            "a course twice", small.adding("C1,,,L1", to: "courses.csv"),
            says: "courses.csv:3:course_id duplicate_id"),
        Mistake(
            "a class twice", small.adding("K2,,C1,,,,L1", to: "classes.csv"),
            says: "classes.csv:4:class_id duplicate_id"),
        Mistake(
            "a roster twice", small.adding("R1,K2,S3", to: "rosters.csv"),
            says: "rosters.csv:15:roster_id duplicate_id"),
        Mistake(
            "a student twice in a class", small.adding("R14,K2,S2", to: "rosters.csv"),
            says: "rosters.csv:15:student_id duplicate_seat"),
        Mistake(
            "a location that is not there",
            small.adding("S12,,Ann,,Lee,,,,,L9", to: "students.csv"),
            says: "students.csv:13:location_id unknown_reference"),
        Mistake(
            "a course that is not there", small.adding("K3,,C9,,,,L1", to: "classes.csv"),
            says: "classes.csv:4:course_id unknown_reference"),
        Mistake(
            "an instructor who is a student", small.adding("K3,,C1,T1,S1,,L1", to: "classes.csv"),
            says: "classes.csv:4:instructor_id_2 unknown_reference"),
        Mistake(
            "a class that is not there", small.adding("R14,K9,S1", to: "rosters.csv"),
            says: "rosters.csv:15:class_id unknown_reference"),
        Mistake(
            "a student who is a teacher", small.adding("R14,K2,T1", to: "rosters.csv"),
            says: "rosters.csv:15:student_id unknown_reference"),
    ]
}

@Suite struct ImportRules {
    @Test(arguments: [Mistake.ofHeaders, Mistake.ofValues, Mistake.ofReferences])
    func `every mistake is named with its place, and nothing is changed`(
        mistakes: [Mistake]
    ) async throws {
        try await withSchool { school in
            let before = try school.fingerprint()
            for mistake in mistakes {
                let outcome = try await school.importArchive(mistake.archive)
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
            let outcome = try await school.importArchive(archive)
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

    @Test func `of very many mistakes a thousand are listed and all are counted`() async throws {
        try await withSchool { school in
            let seats = (1...1_500).map { "X\($0),C\($0),S1" }.joined(separator: "\n")
            let outcome = try await school.importArchive(
                TestArchive.small.adding(seats, to: "rosters.csv"))
            #expect(outcome.errorLines.count == 1_000)
            #expect(outcome["errorCount"] == 1_500)
        }
    }

    @Test func `both ways of quoting, semicolons and additional columns are read`() async throws {
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

    @Test func `a part that managed IDs are made of must not be empty`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                update school.organization set managed_id_format = '{givenName}.{personNumber}'
                 where organization_id = \(school.hillside)
                """)
            let outcome = try await school.importArchive(.small)
            #expect(
                outcome.errorLines == [
                    "staff.csv:2:person_number no_managed_id",
                    "staff.csv:3:person_number no_managed_id",
                ])
        }
    }
}
