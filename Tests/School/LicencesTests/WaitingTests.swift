import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// How many students are given an app and hold no licence of it.
@Suite struct WaitingStudents {
    private static let apps = "/v1/apps"
    private static let pools = "/v1/apps/\(TestSchool.quizzlerID)/pools"

    /// Students who wait for Quizzler, in the list of apps and in that of its pools.
    private func waiting(_ school: TestSchool, as persona: Persona = .ada) async throws -> [Int] {
        let apps = try await school.get(Self.apps, as: persona)
        let pools = try await school.get(Self.pools, as: persona)
        #expect(apps.status == 200 && pools.status == 200)
        return (apps.items + pools.items).map { $0["waitingCount"]?.int64.map(Int.init) ?? -1 }
    }

    @Test func `those wait who are given the app and hold no licence`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(5)
            #expect(try await waiting(school) == [0, 0])
            _ = try school.newHandout()
            #expect(try await waiting(school) == [2, 2])
            try school.makeMaraContentManager()
            #expect(try await waiting(school, as: .mara) == [2, 2])
            #expect(try await school.grant(school.people(.sam)).status == 201)
            #expect(try await waiting(school) == [1, 1])
        }
    }

    @Test func `whom a handout chose makes no difference`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(5)
            _ = try school.newHandout(in: TestIDs.chemistry, by: .tess, to: [.ben])
            #expect(try await waiting(school) == [0, 0], "fewer than five: it would tell who")
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role, joined_at)
                select \(school.hillside), \(TestIDs.chemistry), p.person_id, 'student', now() - interval '1 day'
                  from school.person as p
                 where p.organization_id = \(school.hillside) and p.person_id <> \(school.id(.ben))
                   and p.person_id = any (\([Persona.sam, .sue, .mara, .petra].map { school.id($0).uuid }))
                """)
            #expect(try await waiting(school) == [5, 5], "the whole class")
            for student in [Persona.sam, .ben] {
                #expect(try await school.grant(school.people(student)).status == 201)
            }
            #expect(try await waiting(school) == [3, 3], "each counts, chosen or not")
        }
    }

    @Test func `what students did makes no difference`() async throws {
        try await withSchool { school in
            try await school.buyQuizzler(5)
            let handout = try school.newHandout()
            #expect(try await waiting(school) == [2, 2])
            let done = "/v1/assignments/\(handout.task.uuid)/done"
            #expect(try await school.put(done, as: .sam).status == 200)
            try await school.upload([school.attempt()], as: .suesApp)
            #expect(try await waiting(school) == [2, 2])
        }
    }

    private static let ends: [Statement] = [
        "update school.handout set locked_at = now()",
        "update school.handout set completed_at = now()",
        "update school.handout set deleted_at = now()",
        "update school.handout set publish_at = now() + interval '1 day'",
        "update school.handout set environment = 'development'",
        "update school.class set archived_at = now()",
        "update school.seat set left_at = now() where role = 'student'",
        "update school.task set bundle_id = 'org.example.other'",
        """
        insert into school.licence (organization_id, licence_id, adam_id, location_id, serial_number)
        select p.organization_id, school.new_id(), p.adam_id, p.location_id, 'F9FXK2Q1Q1GC' from school.pool as p
        """,
    ]

    @Test(arguments: ends.indices)
    func `nobody waits for what is not open to them, or for an app on devices`(
        index: Int
    ) async throws {
        try await withSchool { school in
            try await school.buyQuizzler(5)
            _ = try school.newHandout()
            #expect(try await waiting(school) == [2, 2])
            try school.sql(Self.ends[index])
            #expect(try await waiting(school) == [0, 0])
        }
    }

    @Test func `each location counts its own classes, and the app each student once`()
        async throws
    {
        try await withSchool { school in
            try await school.buyQuizzler(5)
            try await school.addAnnex()
            try await school.buy(3, of: TestSchool.quizzlerID, at: "source:annex")
            _ = try school.newHandout()
            _ = try school.newHandout(in: TestIDs.chemistry, by: .tess)
            #expect(try await waiting(school).prefix(1) == [3])
            try school.sql(
                """
                update school.class set location_id = (select location_id from school.location
                                                        where source_id = 'annex')
                 where class_id = \(TestIDs.chemistry)
                """)
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role, joined_at)
                values (\(school.hillside), \(TestIDs.chemistry), \(school.id(.sam)), 'student',
                        now() - interval '1 day')
                """)
            let counts = try await waiting(school)
            #expect(counts[0] == 3 && counts.dropFirst().sorted() == [2, 2])
        }
    }

    @Test func `a single app or pool does not have the count, because its tag would not change`()
        async throws
    {
        try await withSchool { school in
            try await school.buyQuizzler(5)
            _ = try school.newHandout()
            #expect(try await waiting(school) == [2, 2])
            for path in [Self.apps + "/\(TestSchool.quizzlerID)", Self.pools + "/source:main"] {
                let answer = try await school.get(path, as: .ada)
                #expect(answer.status == 200 && answer.json["waitingCount"] == nil)
            }
        }
    }
}
