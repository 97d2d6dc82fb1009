import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("POST /v1/me/completions")
struct CompletionTests {
    private func complete(
        _ school: TestSchool, _ path: JSONValue, as persona: Persona = .samsApp
    ) async throws -> Answer {
        try await school.post("/v1/me/completions", as: persona, json: ["identifierPath": path])
    }

    private func doneTasks(_ school: TestSchool) throws -> [UUID] {
        try school.sql(
            """
            select task_id from school.assignment where done_at is not null
               and person_id = \(school.id(.sam)) order by task_id
            """
        ).map { try $0.uuid("task_id") }
    }

    @Test func `marks every open assignment of the context and no other`() async throws {
        try await withSchool { school in
            let first = try school.newHandout()
            let second = try school.newHandout(by: .cora)
            _ = try school.newHandout(path: ["unit-2"])
            _ = try school.newHandout(to: [.sue])
            let locked = try school.newHandout()
            try school.sql(
                "update school.handout set locked_at = now() where handout_id = \(locked.id)")
            _ = try school.newHandout(bundle: "org.example.other")
            let answer = try await complete(school, ["unit-2", "check-1"])
            #expect(answer.status == 202)
            #expect(try doneTasks(school) == [first.task.uuid, second.task.uuid].sorted())
        }
    }

    @Test func `changes nothing the second time`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let first = try await complete(school, ["unit-2", "check-1"])
            let before = try school.sql("select done_at from school.assignment")[0]
                .timestamp("done_at")
            let second = try await complete(school, ["unit-2", "check-1"])
            let after = try school.sql("select done_at from school.assignment")[0]
                .timestamp("done_at")
            #expect(before == after)
            #expect(first.body == second.body)
        }
    }

    @Test func `the answer does not reveal whether there was anything to mark`() async throws {
        try await withSchool { school in
            let nothing = try await complete(school, ["unit-2", "check-1"])
            _ = try school.newHandout()
            let something = try await complete(school, ["unit-2", "check-1"])
            let teachers = try await complete(school, ["unit-2", "check-1"], as: .tomsApp)
            #expect(try doneTasks(school).count == 1)
            for answer in [nothing, teachers] {
                #expect(answer.status == something.status)
                #expect(answer.body == something.body)
                #expect(answer.headers == something.headers)
            }
        }
    }

    @Test func `means this context alone, or the whole app where the path is empty`()
        async throws
    {
        try await withSchool { school in
            let parent = try school.newHandout(path: ["unit-2"])
            let child = try school.newHandout()
            let whole = try school.newHandout(path: [])
            try school.sql(
                """
                update school.task set kind = 'wholeApp', identifier_path = null
                 where task_id = \(whole.task)
                """)
            _ = try await complete(school, ["unit-2"])
            #expect(try doneTasks(school) == [parent.task.uuid])
            _ = try await complete(school, [])
            #expect(try doneTasks(school) == [parent.task.uuid, whole.task.uuid].sorted())
            _ = try await complete(school, ["unit-2", "check-1"])
            #expect(try doneTasks(school).contains(child.task.uuid))
        }
    }

    @Test func `is independent of progress, and of whether progress is recorded`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([school.attempt(ranges: [[0, 1]])])
            #expect(try doneTasks(school) == [], "not everything is done")
            try school.sql("update school.person set is_progress_paused = true")
            _ = try await complete(school, ["unit-2", "check-1"])
            #expect(try doneTasks(school) == [handout.task.uuid])
        }
    }

    @Test func `does nothing for those who have left, before publication, or twice for two seats`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            _ = try school.newHandout(publishedAt: school.ago(-60))
            try school.sql(
                """
                update school.seat set left_at = \(school.ago(-90)) where person_id = \(school.id(.sam))
                """)
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role, joined_at)
                values (\(school.hillside), \(school.biology), \(school.id(.sam)), 'student', now())
                """)
            let answer = try await complete(school, ["unit-2", "check-1"])
            #expect(answer.status == 202)
            #expect(try doneTasks(school) == [handout.task.uuid])
            try school.sql("delete from school.assignment")
            try school.sql(
                "update school.seat set left_at = now() where person_id = \(school.id(.sam))")
            _ = try await complete(school, ["unit-2", "check-1"])
            #expect(try doneTasks(school) == [])
        }
    }

    @Test func `is for apps and for paths`() async throws {
        try await withSchool { school in
            for persona in [Persona.sam, .tom, .ada] {
                let answer = try await complete(school, ["x"], as: persona)
                #expect(answer.status == 403)
            }
            let answer = try await complete(school, "x")
            #expect(answer.pointers == ["/identifierPath"])
        }
    }
}
