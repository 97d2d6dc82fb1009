import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("Work that was due before a student joined")
struct NewcomerTests {
    /// Ben has been in Biology since that many minutes before the moment, until then if there is an end.
    private func join(
        _ school: TestSchool, _ minutes: Int, until end: Int? = nil, before moment: Timestamp? = nil
    ) throws {
        let moment = moment ?? school.ago(0)
        func before(_ minutes: Int) -> Timestamp {
            Timestamp(milliseconds: moment.milliseconds - Int64(minutes) * 60_000)
        }
        try school.sql(
            """
            insert into school.seat (organization_id, class_id, person_id, role, joined_at, left_at)
            values (\(school.hillside), \(school.biology), \(school.id(.ben)), 'student',
                    \(before(minutes)), \(end.map(before)))
            """)
    }

    private func path(_ handout: GivenHandout, _ persona: Persona = .ben) -> String {
        "/v1/handouts/\(handout.id.uuid)/students/\(persona.personID.uuid)"
    }

    /// Ben's late and beforeJoined wherever they are told.
    private func marks(
        _ school: TestSchool, _ handout: GivenHandout
    ) async throws -> Set<[Bool?]> {
        let report = try await school.report(handout).json.cell(of: .ben)
        let attempts = try await school.get(path(handout), as: .tom).json["tasks"]?[0]
        let student = try await school.get(
            "/v1/classes/source:class-Biology/students/source:sis-ben/report", as: .tom
        ).json["handouts"]?[0]?["tasks"]?[0]
        let own = try await school.get("/v1/me/report", as: .ben).json["handouts"]?[0]?["tasks"]?[0]
        let ownAttempts = try await school.get(
            "/v1/me/handouts/\(handout.id.uuid)/attempts", as: .ben
        ).json["tasks"]?[0]
        let listed = try await school.get("/v1/me/assignments", as: .ben).items.first
        let held = try await school.get("/v1/me/handouts/\(handout.id.uuid)", as: .ben)
            .json["assignments"]?[0]
        return Set(
            [report, attempts, student, own, ownAttempts, listed, held].map {
                [$0?["late"]?.bool, $0?["beforeJoined"]?.bool]
            })
    }

    /// Students, done and late wherever a class is counted.
    private func counts(_ school: TestSchool) async throws -> Set<[Int64?]> {
        let handout = try await school.get("/v1/handouts?counts=true", as: .tom).items[0]["counts"]
        let overview = try await school.get("/v1/me/overview", as: .tom)
            .json["late"]?[0]?["counts"]
        let report = try await school.get("/v1/classes/source:class-Biology/report", as: .tom)
        let task = report.json["handouts"]?[0]?["tasks"]?[0]
        return Set(
            [handout, overview].map { counts in
                ["assigned", "done", "late"].map { counts?[$0]?.int64 }
            } + [["students", "studentsDone", "studentsLate"].map { task?[$0]?.int64 }])
    }

    private func done(_ school: TestSchool, _ handout: GivenHandout) async throws {
        let done = try await school.put("/v1/assignments/\(handout.task.uuid)/done", as: .ben)
        #expect(done.status == 200)
    }

    @Test func `is neither late nor counted until a teacher gives it`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(dueAt: school.ago(60))
            try join(school, 30)
            #expect(try await marks(school, handout) == [[false, true]])
            #expect(try await counts(school) == [[2, 0, 2]])
            #expect(try await app(school) == [0, 0, 0])
            try await done(school, handout)
            #expect(try await marks(school, handout) == [[false, true]], "nor once it is done")
            #expect(try await counts(school) == [[2, 0, 2]])

            #expect(try await school.put(path(handout), as: .tess).status == 404)
            #expect(try await school.put(path(handout, .tom), as: .tom).status == 404)
            #expect(try await school.put(path(handout), as: .tom).status == 204)
            #expect(try await marks(school, handout) == [[false, false]])
            #expect(try await counts(school) == [[3, 1, 2]])
            #expect(try await app(school) == [1, 1, 0])
            #expect(try await school.put(path(handout), as: .tom).status == 204, "again")
            #expect(try await school.put(path(handout, .sam), as: .tom).status == 204)
            #expect(try await counts(school) == [[3, 1, 2]])
            let chosen = try school.sql("select person_id from school.handout_recipient")
            #expect(try chosen.map { try $0.uuid("person_id") } == [school.id(.ben).uuid])
        }
    }

    /// Ben's tasks, done and late in the app.
    private func app(_ school: TestSchool) async throws -> [Int64?]? {
        let answer = try await school.get(
            "/v1/classes/source:class-Biology/apps/\(TestIDs.quizzler)/students", as: .tom)
        let ben = answer.json["items"]?.array?
            .first { $0["personId"]?.text == school.id(.ben).uuid.description }
        return ben.map { ben in ["tasks", "tasksDone", "tasksLate"].map { ben[$0]?.int64 } }
    }

    @Test(
        arguments: [
            (90, nil, true), (60, nil, true), (59, nil, false), (100, 80, true), (300, 130, false),
        ] as [(Int, Int?, Bool)])
    func `goes by whether a seat was held between publication and the due time`(
        joined: Int, left: Int?, isLate: Bool
    ) async throws {
        try await withSchool { school in
            // One moment for all, since a seat that begins when it is due is just in time.
            let due = school.ago(60)
            let now = Timestamp(milliseconds: due.milliseconds + 60 * 60_000)
            let handout = try school.newHandout(dueAt: due)
            try join(school, joined, until: left, before: now)
            if left != nil { try join(school, 30) }
            #expect(try await marks(school, handout) == [[isLate, !isLate]])
        }
    }

    @Test func `of a handout that was published later is late for who was there then`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout(
                publishedAt: school.ago(20), dueAt: school.ago(60))
            try join(school, 30)
            #expect(try await marks(school, handout) == [[true, false]])
        }
    }

    @Test func `counts for whom the teacher chose it, and is late for nobody who came later`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout(dueAt: school.ago(60), to: [.ben, .sam])
            try join(school, 30)
            #expect(try await marks(school, handout) == [[false, false]])
            #expect(try await counts(school) == [[2, 0, 1]])
        }
    }
}
