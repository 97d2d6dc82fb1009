import HTTPWire
import JSONBytes
import Postgres
import TestKit
import Testing

/// Whoever is left out is never removed, deactivated or unseated for it.
@Suite struct LeftOutRows {
    /// A row that cannot be used, and of whom it was about.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let before: TestArchive
        let after: TestArchive
        let warnings: [String]

        init(_ name: String, _ before: TestArchive, _ after: TestArchive, _ warnings: String...) {
            testDescription = name
            self.before = before
            self.after = after
            self.warnings = warnings
        }
    }

    private static let bulk = TestArchive.oneRoster1
    private static let second = TestArchive.oneRoster2
    private static let small = TestArchive.small

    static let cases = [
        Case(
            "a student without a name", bulk,
            bulk.mapping("users.csv") { row in
                row[0] == "S3" ? row.prefix(9) + [""] + row.dropFirst(10) : row
            },
            "users.csv:4:familyName missing_value"),
        Case(
            "a student of a school that is not there", bulk,
            bulk.replacing("S3,,,true,L1", with: "S3,,,true,L9", in: "users.csv"),
            "users.csv:4:orgSourcedIds unknown_reference"),
        Case(
            "a teacher who may be enabled or not", bulk,
            bulk.replacing("T2,,,true", with: "T2,,,maybe", in: "users.csv"),
            "users.csv:14:enabledUser invalid_boolean"),
        Case(
            "the role of a student, in version 1.2", second,
            second.replacing("S3,primary,student", with: "S3,primary,pupil", in: "roles.csv"),
            "roles.csv:4:role invalid_word"),
        Case(
            "a class of a school that is not there", bulk,
            bulk.replacing("scheduled,,L2,Z1", with: "scheduled,,L9,Z1", in: "classes.csv"),
            "classes.csv:3:schoolSourcedId unknown_reference"),
        Case(
            "a school without a name", bulk,
            bulk.replacing("L2,,,South School", with: "L2,,,", in: "orgs.csv"),
            "orgs.csv:4:name missing_value"),
        Case(
            "a seat in an unknown role", bulk,
            bulk.replacing("K2,L2,S1,student", with: "K2,L2,S1,visitor", in: "enrollments.csv"),
            "enrollments.csv:13:role invalid_word"),
        Case(
            "a seat with a date that may be two", bulk,
            bulk.replacing(
                "K2,L2,S1,student,,,", with: "K2,L2,S1,student,,8/1/2025,", in: "enrollments.csv"),
            "enrollments.csv:13:beginDate invalid_date"),
        Case(
            "a student of Apple's templates with a wrong location", small,
            small.replacing("Family3,07,,,8,L1", with: "Family3,07,,,8,L9", in: "students.csv"),
            "students.csv:4:location_id unknown_reference"),
        Case(
            "a teacher of Apple's templates without a name", small,
            small.replacing("T2,,Alan,M,Turing", with: "T2,,Alan,M,", in: "staff.csv"),
            "staff.csv:3:last_name missing_value"),
        Case(
            "an instructor who is not there", small,
            small.replacing("C1,T1,T2,", with: "C1,T1,T9,", in: "classes.csv"),
            "classes.csv:2:instructor_id_2 unknown_reference"),
        Case(
            "an instructor with an id that cannot be one", small,
            small.replacing("C1,T1,T2,", with: "C1,T1,T 2,", in: "classes.csv"),
            "classes.csv:2:instructor_id_2 invalid_identifier"),
        Case(
            "a class of Apple's templates with a wrong location", small,
            small.replacing("C1,T1,T2,,L1", with: "C1,T1,T2,,L9", in: "classes.csv"),
            "classes.csv:2:location_id unknown_reference"),
        Case(
            "a class of an unknown course", small,
            small.replacing("K1,MA-1-A,C1", with: "K1,MA-1-A,C9", in: "classes.csv"),
            "classes.csv:2:course_id unknown_reference"),
        Case(
            "an address that is none", bulk,
            bulk.replacing("grace@school.example", with: "n/a", in: "users.csv"),
            "users.csv:13:email invalid_email"),
    ]

    @Test(arguments: cases)
    func `whom and what a row is about stays as it was`(row: Case) async throws {
        try await withSchool { school in
            #expect(try await school.importArchive(row.before).status == "succeeded")
            let before = try school.fingerprint()
            #expect(row.after.files != row.before.files)
            let outcome = try await school.importArchive(row.after)
            #expect(outcome.status == "succeeded")
            #expect(outcome.lines(of: "warnings") == row.warnings)
            #expect(outcome["removals"]?.array?.allSatisfy { $0["removed"] == 0 } == true)
            #expect(try school.fingerprint() == before)
        }
    }

    @Test func `of a row nobody can tell about, removals wait for approval`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.oneRoster1)
            let before = try school.fingerprint()
            let cut = TestArchive.oneRoster1.rewriting("users.csv") { text in
                text.split(separator: "\n").map { $0.hasPrefix("S3,") ? "S,,3" : String($0) }
                    .joined(separator: "\n") + "\n"
            }
            let answer = try await school.handIn(cut.bytes(), as: .ada)
            let location = try #require(answer.header("location"))
            let waiting = try await school.ended(location)
            #expect(waiting.status == "awaitingApproval")
            #expect(waiting["removesMuch"] == false)
            #expect(waiting.counts("users.csv")[3] == 1)
            #expect(
                waiting.lines(of: "warnings").filter { $0.hasPrefix("users") } == [
                    "users.csv:4:- wrong_number_of_values", "users.csv:4:- unknown_row",
                ])
            #expect(try school.fingerprint() == before)
            #expect(try await school.post("\(location)/approval", as: .ada).status == 202)
            #expect(try await school.ended(location).status == "succeeded")
            #expect(try school.person("S3").text("status") == "deactivated")
        }
    }

    @Test func `nobody leaves whose id seems to have changed, before somebody has looked`()
        async throws
    {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let moved = TestArchive.small
                .replacing("S3,3,", with: "S300,3,", in: "students.csv")
                .replacing("K1,S3\n", with: "K1,S300\n", in: "rosters.csv")
            let outcome = try await school.importArchive(moved)
            #expect(outcome.status == "awaitingApproval")
            #expect(outcome.lines(of: "warnings") == ["students.csv:4:person_id moved_id"])
            let repeated = TestArchive.small.replacing("S3,3,", with: "S4,3,", in: "students.csv")
            let doubled = try await school.importArchive(repeated)
            #expect(doubled.status == "awaitingApproval", "S4 is in two rows, and S3 in none")
            #expect(doubled.lines(of: "warnings").contains("students.csv:5:- unknown_row"))
            #expect(try school.person("S3").text("status") != "deactivated")
        }
    }

    @Test func `above a share, nothing is changed, and the organization sets it`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.oneRoster1)
            let before = try school.fingerprint()
            let bad = TestArchive.oneRoster1.mapping("users.csv") { row in
                row[0].hasPrefix("S") ? row.prefix(9) + [""] + row.dropFirst(10) : row
            }
            let failed = try await school.importArchive(bad)
            #expect(failed.status == "failed")
            #expect(failed.errorLines == ["users.csv:2:- too_many_left_out"])
            #expect(failed["warningCount"] == 11)
            #expect(try school.fingerprint() == before)
            let setting = try await school.patch(
                "/v1/organization", as: .ada, json: ["importLeftOutPercent": 100])
            #expect(setting.status == 200 && setting.json["importLeftOutPercent"] == 100)
            let taken = try await school.importArchive(bad)
            #expect(taken.status == "succeeded")
            #expect(taken["files"]?.array?.first { $0["name"] == "users.csv" }?["leftOut"] == 11)
            #expect(try school.fingerprint() == before)
            let tally = taken["tallies"]?.array?.first { $0["level"] == "warning" }
            #expect(tally?["code"] == "missing_value" && tally?["count"] == 11)
            #expect(tally?["lines"]?.array == [2, 3, 4])
        }
    }

    @Test func `a row of an archive of changes that cannot be read changes nothing`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.oneRoster1)
            let before = try school.fingerprint()
            let changes = TestArchive.delta([
                "users": ["S3,,,true,L1,student,s3,,,Family3,,3,,,,,08,"],
                "enrollments": ["R12,,,K2,L2,S1,visitor,,,"],
            ])
            let outcome = try await school.importArchive(changes)
            #expect(outcome.status == "succeeded")
            #expect(
                outcome.lines(of: "warnings") == [
                    "users.csv:2:givenName missing_value", "enrollments.csv:2:role invalid_word",
                ])
            #expect(try school.fingerprint() == before)
        }
    }
}
