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

    @Test func `a second time changes nothing`() async throws {
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

    @Test func `the answer does not tell whether there was anything`() async throws {
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
            #expect(try school.sql("select from school.upload_receipt").count == 3)
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
