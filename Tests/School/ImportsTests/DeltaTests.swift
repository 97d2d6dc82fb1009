import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// Archives that hold only changes.
@Suite struct Deltas {
    @Test func `only marked rows are removed, and unnamed ones stay`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.oneRoster1)
            let outcome = try await school.importArchive(
                .delta([
                    "users": [
                        "S12,,,true,L1,student,s12,,Given12,Family12,,12,,,,,08,",
                        "S1,,,true,L1,student,s1,,Renamed,Family1,,1,,,,,07,",
                        "-S11,,,,,,,,,,,,,,,,,",
                    ],
                    "enrollments": [
                        "R17,,,K1,L1,S12,student,,,", "-R13,,,,,,,,,",
                    ],
                ]))
            #expect(outcome.errorLines == [])
            #expect(outcome.status == "succeeded")
            #expect(outcome.counts("users.csv") == [1, 1, 0, 1])
            #expect(outcome.counts("enrollments.csv") == [1, 0, 0, 2])
            #expect(try school.seats(of: "S12") == "student in K1")
            #expect(try school.seats(of: "S2") == "student in K1")
            #expect(try school.person("S1").text("given_name") == "Renamed")
            #expect(try school.person("S11").text("status") == "deactivated")
            #expect(try school.roles(of: "T2") == "staff at L1, teacher at L1, teacher at L2")
            #expect(try school.seats(of: "S1") == "student in K1, student in K2")
        }
    }

    @Test func `applying the same changes twice is the same as once`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.oneRoster1)
            let changes = TestArchive.delta([
                "users": ["-S11,,,,,,,,,,,,,,,,,"],
                "classes": ["K1,,,Algebra,,C1,MA-1-A,scheduled,14,L1,Z1,,,"],
                "enrollments": ["-R13,,,,,,,,,"],
            ])
            #expect(try await school.importArchive(changes).status == "succeeded")
            let before = try school.fingerprint()
            let again = try await school.importArchive(changes)
            #expect(again.errorLines == [])
            #expect(again.counts("users.csv") == [0, 0, 0, 0])
            #expect(again.counts("classes.csv") == [0, 0, 1, 0])
            #expect(try school.fingerprint() == before)
            #expect(try school.className("K1") == "Algebra, MA-1-A, 14")
        }
    }

    @Test func `a class may be closed, and its seats end with it`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.oneRoster1)
            let location = try #require(
                try await school.handIn(
                    TestArchive.delta(["classes": ["-K2,,,,,,,,,,,,,"]]).bytes(), as: .ada
                ).header("location"))
            let waiting = try await school.ended(location)
            #expect(waiting.status == "awaitingApproval", "it is one class of two")
            #expect(waiting.counts("classes.csv") == [0, 0, 0, 1])
            #expect(waiting.counts("enrollments.csv") == [0, 0, 0, 3])
            _ = try await school.post("\(location)/approval", as: .ada)
            #expect(try await school.ended(location).status == "succeeded")
            #expect(try school.seats(of: "S1") == "student in K1")
        }
    }

    @Test func `an id that now means another seat ends the old one`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.oneRoster1)
            let outcome = try await school.importArchive(
                .delta(["enrollments": ["R13,,,K2,L2,S3,student,,,"]]))
            #expect(outcome.errorLines == [])
            #expect(outcome.counts("enrollments.csv") == [1, 0, 0, 1])
            #expect(try school.seats(of: "S2") == "student in K1")
            #expect(try school.seats(of: "S3") == "student in K1, student in K2")
        }
    }

    @Test func `a person who begins to teach becomes a teacher there`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.oneRoster1)
            _ = try await school.importArchive(
                .delta(["enrollments": ["R18,,,K2,L2,T1,teacher,,,"]]))
            #expect(try school.roles(of: "T1") == "staff at L1, teacher at L1, teacher at L2")
            #expect(try school.seats(of: "T1") == "teacher in K1, teacher in K2")
        }
    }

    @Test func `a reference that neither the archive nor the directory has is not found`()
        async throws
    {
        try await withSchool { school in
            _ = try await school.importArchive(.oneRoster1)
            let outcome = try await school.importArchive(
                .delta([
                    "enrollments": ["R17,,,K9,L1,S1,student,,,", "R18,,,K1,L1,S99,student,,,"],
                    "classes": ["K3,,,New,,C9,,scheduled,,L9,Z1,,,"],
                ]), strict: true)
            #expect(
                outcome.errorLines == [
                    "classes.csv:2:courseSourcedId unknown_reference",
                    "classes.csv:2:schoolSourcedId unknown_reference",
                    "enrollments.csv:2:classSourcedId unknown_reference",
                    "enrollments.csv:3:userSourcedId unknown_reference",
                ])
            let texts = outcome["errors"]?.array?.compactMap { $0["text"]?.text } ?? []
            #expect(texts.contains("There is no \"K9\" in classes.csv or in the directory."))
        }
    }
}
