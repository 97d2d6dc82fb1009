import Crypto
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Statements that come again, and others with their ids.
@Suite("ids of xAPI statements")
struct StatementRepeatTests {
    @Test func `the same statement is taken once, however it is written`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let id = UUID.v7()
            let statement = try school.statement(
                "scored", id: id, result: ["score": ["raw": 1, "max": 2.0]])
            #expect(try await school.putStatement(statement, id: "\(id)").status == 204)
            let members = Array((statement.object?.members ?? []).reversed())
            let again = JSONValue.object(JSONObject(members.map { ($0.key, $0.value) }))
                .with("result", ["score": ["max": 2, "raw": 1]])
                .with("stored", .text(school.ago(0).description)).with("version", "1.0.3")
                .with("verb", ["id": "http://adlnet.gov/expapi/verbs/scored"])
            #expect(try await school.state(again).status == 200)
            let upper = "\(id)".uppercased()
            #expect(try await school.putStatement(again.with("id", nil), id: upper).status == 204)
            #expect(try school.storedCount() == 1)
            #expect(try school.receiptCount() == 1)
        }
    }

    @Test func `another statement with the id is refused, and nothing of its request is taken`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            let id = UUID.v7()
            try await school.state(try school.statement("initialized", id: id))
            let other = try school.statement("completed", id: id)
            let answer = try await school.state(.array([try school.statement(), other]))
            #expect(answer.status == 409 && answer.code == "statement_conflict")
            #expect(answer.pointers == ["/1/id"])
            #expect(answer.header("X-Experience-API-Version") == "1.0.3")
            #expect(try await school.putStatement(other, id: "\(id)").status == 409)
            #expect(try school.storedCount() == 1)
            #expect(try school.receiptCount() == 1)
        }
    }

    @Test func `ids count for one person alone`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let id = UUID.v7()
            let first = try await school.state(try school.statement("initialized", id: id))
            let second = try await school.state(
                try school.statement("completed", id: id, by: .suesApp), as: .suesApp)
            #expect(first.status == 200 && second.status == 200)
            #expect(try school.storedCount() == 1)
            #expect(try school.storedCount(of: .sue) == 1)
        }
    }

    @Test func `of many at once one is taken`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let ids = (0..<20).map { _ in UUID.v7() }
            let statements = try ids.map { try school.statement("attempted", id: $0) }
            let statuses = try await withThrowingTaskGroup(
                of: Int.self, returning: [Int].self
            ) { group in
                for round in 0..<6 {
                    let body = round % 2 == 0 ? statements : statements.reversed()
                    group.addTask { try await school.state(.array(body)).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 6))
            #expect(try school.receiptCount() == 20)
            #expect(try school.storedCount() == 20)
        }
    }

    @Test func `a receipt does not show whose it is`() async throws {
        try await withSchool { school in
            try await school.state(try school.statement())
            let rows = try school.sql("select r::text as row from school.statement_receipt as r")
            try #require(rows.count == 1)
            let row = try rows[0].text("row")
            #expect(!row.contains("\(Persona.sam.personID.uuid)") && !row.contains("quizzler"))
            // The same id and content of someone else leave other digests.
            let id = UUID.v7()
            for app in [Persona.samsApp, .suesApp] {
                try await school.state(try school.statement(id: id, by: app), as: app)
            }
            let digests = try school.sql(
                "select encode(statement, 'hex') as digest from school.statement_receipt")
            #expect(Set(try digests.map { try $0.text("digest") }).count == 3)
        }
    }

    @Test func `someone who sends too many waits`() async throws {
        try await withSchool { school in
            let statement = try school.statement(id: nil, about: "https://elsewhere.example/1")
            let many = JSONValue.array(Array(repeating: statement, count: 500))
            var statuses: [Int] = []
            for _ in 0..<6 { statuses.append(try await school.state(many).status) }
            #expect(statuses.first == 200 && statuses.last == 429)
            let other = try await school.state(
                try school.statement(by: .suesApp), as: .suesApp)
            #expect(other.status == 200)
        }
    }
}
