import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("A student who joins while a handout is in progress")
struct JoiningTests {
    /// Ben has been in Biology for that many minutes, and it was known at once.
    private func join(_ school: TestSchool, _ minutes: Int) throws {
        try school.sql(
            """
            insert into school.seat (organization_id, class_id, person_id, role, joined_at)
            values (\(school.hillside), \(school.biology), \(school.id(.ben)), 'student',
                    \(school.ago(minutes)))
            """)
    }

    private func figures(_ school: TestSchool, _ query: String = "") async throws -> JSONValue {
        let report = try await school.get(
            "/v1/classes/source:class-Biology/report\(query)", as: .tom
        ).json
        return report["handouts"]?[0]?["tasks"]?[0] ?? nil
    }

    @Test func `is counted from then on, with the work since then`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([school.result(50, progress: 1, seconds: 30)])
            #expect(try await figures(school)["students"] == 2)
            try join(school, 30)
            try await school.upload(
                [
                    school.result(60, progress: 0.9, seconds: 500),
                    school.result(20, progress: 0.2, seconds: 70),
                ], as: .bensApp)
            let task = try await figures(school)
            #expect(task["students"] == 3)
            #expect(task["classAverage"]?["studentsWithData"] == 2)
            #expect(agree(task["classAverage"]?["durationSeconds"], 50))
            #expect(agree(task["classAverage"]?["progress"], 0.6))
            let cell = try await school.report(handout).json.cell(of: .ben)
            #expect(cell["attempts"] == 1)
            #expect(agree(cell["progress"], 0.2))
        }
    }

    @Test func `sees since when progress is recorded, and reads it in their own report`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            try join(school, 30)
            let joined = try school.sql(
                "select joined_at from school.seat where person_id = \(school.id(.ben)) and class_id = \(school.biology)"
            )[0].timestamp("joined_at")
            let list = try await school.get("/v1/me/assignments", as: .ben)
            #expect(list.items[0]["recording"]?["since"]?.text == joined.description)
            let sams = try await school.get("/v1/me/assignments", as: .sam)
            let published = try school.sql("select publish_at from school.handout")[0]
            #expect(
                sams.items[0]["recording"]?["since"]?.text
                    == (try published.timestamp("publish_at")).description)
            try await school.upload(
                [school.result(60, seconds: 500), school.result(20, seconds: 70)], as: .bensApp)
            let own = try await school.get("/v1/me/report", as: .ben).json
            let tasks = own["handouts"]?[0]?["tasks"]
            #expect(tasks?[0]?["taskId"]?.text == handout.task.uuid.description)
            #expect(tasks?[0]?["attempts"] == 1)
            #expect(agree(tasks?[0]?["durationSeconds"], 70))
        }
    }

    @Test func `brings all of the class's handouts into the changes since then`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            _ = try school.newHandout(path: ["second"])
            try school.settle()
            let since = "?since=\(school.ago(60))"
            let changed = "/v1/classes/source:class-Biology/report" + since
            #expect(try await school.get(changed, as: .tom).json["handouts"] == [])
            let joined = try await school.put(
                "/v1/classes/source:class-Biology/students/source:sis-ben", as: .ada)
            #expect(joined.status < 300)
            let report = try await school.get(changed, as: .tom).json
            #expect(report["handouts"]?.array?.count == 2)
            #expect(try await figures(school, since)["students"] == 3)
        }
    }

    @Test func `stays after leaving if there is something to show, and disappears otherwise`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            _ = try school.newHandout(path: ["never touched"])
            try join(school, 30)
            try await school.upload([school.result(20)], as: .bensApp)
            try school.sql(
                """
                update school.seat set left_at = \(school.ago(5))
                 where person_id = \(school.id(.ben)) and class_id = \(school.biology)
                """)
            let report = try await school.get("/v1/classes/source:class-Biology/report", as: .tom)
            let students = (report.json["handouts"]?.array ?? []).map { handout in
                handout["tasks"]?[0]?["students"]?.int64
            }
            #expect(Set(students) == [3, 2])
            #expect(try await school.report(handout).json.cell(of: .ben)["attempts"] == 1)
        }
    }
}
