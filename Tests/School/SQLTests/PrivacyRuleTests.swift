import Postgres
import School
import TestKit
import Testing

/// The rules of privacy as sentences, tested in the database as the standings themselves: whatever the server forgets
/// to ask for, this is all that PostgreSQL reveals.
@Suite struct PrivacyRules {
    static let handouts: Statement = "select title as label from school.handout"
    static let activities: Statement =
        "select test.called(activity_id) as label from school.activity"

    @Test func `a draft is its author's alone`() async throws {
        try await withPopulatedSchool { populated in
            let asTom = try populated.labels(Self.handouts, as: populated.caller(.teacher))
            let asCora = try populated.labels(Self.handouts, as: populated.school.caller(.cora))
            #expect(asTom.contains("draft") && !asTom.contains("draft of cora"))
            #expect(asCora.contains("draft of cora") && !asCora.contains("draft"))
            #expect(asTom.isSuperset(of: ["published", "scheduled", "for sue"]))
            #expect(asCora.isSuperset(of: ["published", "scheduled", "for sue"]))
        }
    }

    @Test func `a draft does not reveal whom it chooses`() async throws {
        try await withPopulatedSchool { populated in
            let recipients: Statement = """
                select test.called(handout_id) as label from school.handout_recipient
                 where person_id = test.id('sam')
                """
            #expect(try populated.labels(recipients) == ["draft", "for sam"])
            let asSam = try populated.labels(recipients, as: populated.caller(.student))
            #expect(asSam == ["for sam"])
        }
    }

    @Test func `a teacher of another class sees no activity of this one`() async throws {
        try await withPopulatedSchool { populated in
            let asTom = try populated.labels(Self.activities, as: populated.caller(.teacher))
            let asTess = try populated.labels(Self.activities, as: populated.school.caller(.tess))
            #expect(asTom.contains("sam did published"))
            #expect(asTess == ["ben did reaction"])
        }
    }

    @Test func `a former teacher of a class sees nothing of it any more`() async throws {
        try await withPopulatedSchool { populated in
            let tara = populated.caller("tara", .teacher)
            let handouts = try populated.labels(Self.handouts, as: tara)
            #expect(handouts.isEmpty)
            #expect(try populated.labels(Self.activities, as: tara).isEmpty)
        }
    }

    @Test func `an archived class stays with its last teachers`() async throws {
        try await withPopulatedSchool { populated in
            let asTom = try populated.labels(Self.handouts, as: populated.caller(.teacher))
            #expect(asTom.contains("old"))
            let tara = populated.caller("tara", .teacher)
            #expect(try !populated.labels(Self.handouts, as: tara).contains("old"))
        }
    }

    @Test(arguments: [
        Standing.administrator, .siteManager, .peopleManager, .contentManager, .manager, .staff,
        .provisioner, .developer, .app,
    ])
    func `those who manage the school, and apps, see no progress and no handout`(
        standing: Standing
    ) async throws {
        try await withPopulatedSchool { populated in
            let questions: [Statement] = [
                Self.handouts, Self.activities,
                "select title as label from school.task",
                "select test.called(person_id) as label from school.assignment",
                "select test.called(person_id) as label from school.handout_recipient",
                "select test.called(person_id) as label from school.activity_item",
                "select test.called(person_id) as label from school.activity_assignment",
            ]
            for question in questions {
                #expect(try !populated.labels(question).isEmpty)
                let seen = try populated.labels(question, as: populated.caller(standing))
                #expect(seen.isEmpty)
            }
        }
    }

    @Test func `unassigned work is the student's alone`() async throws {
        try await withPopulatedSchool { populated in
            for standing in Standing.allCases {
                let seen = try populated.labels(Self.activities, as: populated.caller(standing))
                #expect(seen.contains("sam did nothing assigned") == (standing == .student))
            }
        }
    }

    @Test func `deleting a handout hides what counted for it`() async throws {
        try await withPopulatedSchool { populated in
            let tom = populated.caller(.teacher)
            #expect(try !populated.labels(Self.activities, as: tom).contains("sam did deleted"))
            try populated.school.sql("update school.handout set deleted_at = null")
            #expect(try populated.labels(Self.activities, as: tom).contains("sam did deleted"))
        }
    }

    @Test func `an exporter reads what counts for a published handout and nothing else`()
        async throws
    {
        try await withPopulatedSchool { populated in
            let exporter = populated.caller(.exporter)
            let seen = try populated.labels(Self.activities, as: exporter)
            let all = try populated.labels(Self.activities)
            #expect(
                all.subtracting(seen) == [
                    "sam did nothing assigned", "sam did deleted", "omar did rivers",
                ])
            let given = try populated.labels(Self.handouts, as: exporter)
            #expect(given.isDisjoint(with: ["draft", "draft of cora", "scheduled", "deleted"]))
        }
    }

    @Test func `an exporter reads no managed ID and no address`() async throws {
        try await withPopulatedSchool { populated in
            let managedIDs: Statement = "select managed_id as label from school.person"
            let addresses: Statement = "select coalesce(email, '') as label from school.person"
            for question in [managedIDs, addresses] {
                let all = try populated.labels(question)
                #expect(!all.isEmpty)
                #expect(try populated.labels(question, as: populated.caller(.exporter)).isEmpty)
            }
        }
    }

    @Test func `a student who left sees no handout`() async throws {
        try await withPopulatedSchool { populated in
            let lea = populated.caller("lea", .student)
            #expect(try populated.labels(Self.handouts, as: lea).isEmpty)
            #expect(try populated.labels(Self.activities, as: lea) == ["lea did published"])
            try populated.school.sql(
                "update school.seat set left_at = null where person_id = test.id('lea')")
            #expect(try populated.labels(Self.handouts, as: lea) == ["published"])
        }
    }

    @Test func `students see their own handouts and nobody else's`() async throws {
        try await withPopulatedSchool { populated in
            let asSam = try populated.labels(Self.handouts, as: populated.school.caller(.sam))
            let asSue = try populated.labels(Self.handouts, as: populated.school.caller(.sue))
            #expect(asSam == ["published", "for sam"])
            #expect(asSue == ["published", "for sue"])
        }
    }

    @Test func `ids of another organization give no access`() async throws {
        try await withPopulatedSchool { populated in
            let tom = Caller(
                organizationID: populated.school.elsewhere,
                personID: populated.school.id(.tom), standings: [.teacher])
            let sam = Caller(
                organizationID: populated.school.elsewhere,
                personID: populated.school.id(.sam), standings: [.student])
            for caller in [tom, sam] {
                let handouts = try populated.labels(Self.handouts, as: caller)
                #expect(handouts.isEmpty)
                #expect(try populated.labels(Self.activities, as: caller).isEmpty)
            }
        }
    }
}
