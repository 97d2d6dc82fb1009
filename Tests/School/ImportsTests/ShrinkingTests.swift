import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// An archive that would remove much waits for a person to confirm it.
@Suite struct Shrinking {
    @Test func `an archive that closes half of the classes waits, and continues once approved`()
        async throws
    {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let before = try school.fingerprint()
            let answer = try await school.handIn(TestArchive.withoutSecondClass.bytes(), as: .ada)
            let location = try #require(answer.header("location"))
            let waiting = try await school.ended(location)
            #expect(waiting.status == "awaitingApproval")
            #expect(waiting.counts("classes.csv") == [0, 0, 1, 1])
            #expect(waiting.counts("rosters.csv") == [0, 0, 11, 2])
            #expect(try school.fingerprint() == before)

            let approval = try await school.post("\(location)/approval", as: .petra)
            #expect(approval.status == 202)
            #expect(approval.header("location") == location)
            let done = try await school.ended(location)
            #expect(done.status == "succeeded")
            #expect(done.counts("classes.csv") == [0, 0, 1, 1])
            #expect(try school.seats(of: "S1") == "student in K1")
            let closed = try school.sql(
                "select archived_at is not null as is_archived from school.class where source_id = 'K2'"
            )
            #expect(try closed[0].bool("is_archived"))

            let again = try await school.post("\(location)/approval", as: .petra)
            #expect(again.status == 409)
            #expect(again.code == "approval_not_awaited")
        }
    }

    @Test func `teachers of a class that an archive closes still teach the archived class`()
        async throws
    {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let answer = try await school.handIn(TestArchive.withoutSecondClass.bytes(), as: .ada)
            let location = try #require(answer.header("location"))
            _ = try await school.ended(location)
            _ = try await school.post("\(location)/approval", as: .ada)
            _ = try await school.ended(location)
            let teacher = Caller(
                organizationID: school.hillside,
                personID: PersonID(try school.person("T2").uuid("person_id")), standings: [.teacher]
            )
            let taught = try school.sql(
                "select cardinality(school.my_taught_class_ids()) as n", as: teacher)
            #expect(try taught[0].int("n") == 2)
        }
    }

    @Test func `a tenth may be removed without asking`() async throws {
        try await withSchool { school in
            _ = try await school.importArchive(.small)
            let outcome = try await school.importArchive(.withoutEleventhStudent)
            #expect(outcome.status == "succeeded")
            var archive = TestArchive.withoutEleventhStudent
            for number in [9, 10] {
                archive = archive.replacing(
                    "R\(number),K1,S\(number)\n", with: "", in: "rosters.csv"
                )
                .replacing(
                    "S\(number),\(number),Given\(number),,Family\(number),07,,,8,L1\n", with: "",
                    in: "students.csv")
            }
            #expect(try await school.importArchive(archive).status == "awaitingApproval")
        }
    }
}

extension TestArchive {
    static let withoutEleventhStudent =
        small
        .replacing("R11,K1,S11\n", with: "", in: "rosters.csv")
        .replacing("S11,11,Given11,,Family11,07,,,8,L1\n", with: "", in: "students.csv")

    static let withoutSecondClass =
        small
        .replacing("K2,MA-1-B,C1,T2,,,L2\n", with: "", in: "classes.csv")
        .replacing("R12,K2,S1\nR13,K2,S2\n", with: "", in: "rosters.csv")
}
