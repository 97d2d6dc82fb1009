import Crypto
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("An activity is an attempt at one context of one app")
struct ContextOfPartsTests {
    @Test func `when parts name several contexts, those with the smallest path make the activity`()
        async throws
    {
        try await withSchool { school in
            let first = try school.newHandout(path: ["a"])
            let second = try school.newHandout(path: ["b"])
            let id = UUID(milliseconds: 4, random: (4, 4))
            let parts = [
                school.attempt(id, at: ["b"], seconds: 90, ranges: [[0, 0.9]], primary: item("b")),
                school.attempt(id, at: ["a"], seconds: 10, ranges: [[0, 0.3]], primary: item("a")),
                school.attempt(id, at: ["b"], seconds: 95, ranges: [[0.9, 1]]),
                school.attempt(id, at: ["nowhere"], seconds: 99),
            ]
            for order in [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]] {
                try school.sql("delete from school.activity")
                for part in order { try await school.upload([parts[part]]) }
                let row = try school.sql("select * from school.activity_assignment")[0]
                #expect(try row.double("progress") == 0.3)
                #expect(try row.double("duration_seconds") == 10)
                let links = try school.sql("select task_id from school.activity_assignment")
                #expect(try links.map { try $0.uuid("task_id") } == [first.task.uuid])
                let items = try school.sql("select identifier from school.activity_item")
                #expect(try items.map { try $0.text("identifier") } == ["a"])
            }
            #expect(try await attempts(school, second) == 0)
            #expect(try await attempts(school, first) == 1)
        }
    }

    private func item(_ identifier: String) -> JSONValue {
        ["kind": "quantity", "identifier": .text(identifier), "title": "Q", "quantity": 1]
    }

    private func attempts(_ school: TestSchool, _ handout: GivenHandout) async throws -> Int {
        let rows = try school.sql(
            """
            select count(*) as count from school.activity_assignment
             where handout_id = \(handout.id)
            """)
        return try rows[0].int("count")
    }

    @Test func `an id that another app or environment stored is left alone`() async throws {
        try await withSchool { school in
            _ = try school.newHandout(path: ["b"])
            _ = try school.newHandout(path: ["a"], bundle: "org.example.other")
            _ = try school.newHandout(path: ["a"], environment: "development")
            let id = UUID(milliseconds: 5, random: (5, 5))
            try await school.upload([school.attempt(id, at: ["b"])])
            let before = try school.state()
            for (app, environment) in [
                ("org.example.other", Environment.production),
                (school.quizzler, .development),
            ] {
                func store(_ id: UUID) throws {
                    let parts = JSONValue.array([school.attempt(id, at: ["a"], seconds: 999)])
                    try school.sql(
                        """
                        select school.store_activities(
                            \(school.hillside), \(school.id(.sam)), \(app), \(environment.rawValue),
                            array[date_trunc('milliseconds', now())], array[\(JSONDocument(parts.bytes))])
                        """)
                }
                try store(id)
                #expect(try school.state() == before)
                try store(.v7())
                #expect(try school.state() != before, "its own is stored")
                try school.sql("delete from school.activity where activity_id <> \(id)")
            }
        }
    }
}
