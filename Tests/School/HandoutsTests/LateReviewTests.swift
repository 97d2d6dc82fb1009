import Crypto
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What a teacher was not shown is neither looked at nor returned, whenever it was done.
@Suite struct LateReviews {
    /// A handout of Tom's, both of whose tasks Sam has done and the first Sue.
    private func work(_ school: TestSchool) async throws -> (path: String, tasks: [String]) {
        try school.plantContexts()
        let handout = try await school.handout()
        let tasks = (handout["tasks"]?.array ?? []).compactMap { $0["id"]?.text }
        for task in tasks {
            #expect(try await school.put("/v1/assignments/\(task)/done", as: .sam).status == 200)
        }
        #expect(try await school.put("/v1/assignments/\(tasks[0])/done", as: .sue).status == 200)
        return (school.path(handout), tasks)
    }

    /// How many students' work a teacher has to review.
    private func toReview(_ school: TestSchool, _ persona: Persona = .tom) async throws -> Int64 {
        let answer = try await school.get("/v1/me/overview", as: persona)
        return answer.json["toReview"]?[0]?["studentsToReview"]?.int64 ?? 0
    }

    private func ids(_ personas: [Persona], _ school: TestSchool) -> JSONValue {
        .array(personas.map { .text(school.id($0).uuid.description) })
    }

    /// What the report shows as done.
    private func shown(_ school: TestSchool, _ path: String) async throws -> [JSONValue] {
        let report = try await school.get(path + "/report", as: .tom).json
        return (report["tasks"]?.array ?? []).flatMap { task in
            (task["students"]?.array ?? []).compactMap { student in
                guard student["doneAt"]?.text != nil else { return nil }
                return [
                    "personId": student["personId"] ?? .null, "taskId": task["taskId"] ?? .null,
                    "doneAt": student["doneAt"] ?? .null,
                ]
            }
        }
    }

    /// A mark done of Sue's that is on its way: done before the teacher reads, and committed only after that.
    private func doneOnItsWay(_ task: String, _ school: TestSchool) throws -> BlockingConnection {
        let late = try BlockingConnection(school.ownerURL)
        try late.execute("begin")
        try late.query(
            """
            insert into school.assignment (organization_id, task_id, person_id, done_at)
            select a.organization_id, \(UUID(task)), a.person_id, a.done_at - interval '1 second'
              from school.assignment as a where a.person_id = \(school.id(.sue))
            """)
        return late
    }

    @Test func `work that is committed after it was read stays to review, though done before`()
        async throws
    {
        try await withSchool { school in
            let work = try await work(school)
            let late = try doneOnItsWay(work.tasks[1], school)
            let shown = try await shown(school, work.path)
            #expect(shown.count == 3)
            let until = try await school.get("/v1/me/overview", as: .tom).json["generatedAt"]
            try late.execute("commit")
            let body: JSONValue = [
                "personIds": ids([.sam, .sue], school), "until": until ?? .null,
                "work": .array(shown),
            ]
            let marked = try await school.put(work.path + "/reviewed", as: .tom, json: body)
            #expect(marked.json["students"] == 2)
            #expect(try await toReview(school) == 1, "Sue's second task was not shown")
            let returned = try await school.post(work.path + "/returns", as: .cora, json: body)
            #expect(returned.json["students"] == 2)
            #expect(try await toReview(school) == 1, "nor is it returned")
            let sues = try await school.get("/v1/me/assignments?state=completed", as: .sue).items
            #expect(sues.count == 2)
            #expect(
                sues.filter { $0["returned"]?.isNull == true }.map { $0["id"]?.text }
                    == [work.tasks[1]])
        }
    }

    @Test func `what is committed after a mark stays to review, too`() async throws {
        try await withSchool { school in
            let work = try await work(school)
            let late = try doneOnItsWay(work.tasks[1], school)
            let marked = try await school.put(work.path + "/reviewed", as: .tom)
            #expect(marked.json["students"] == 2)
            #expect(try await toReview(school) == 0)
            try late.execute("commit")
            #expect(try await toReview(school) == 1, "nobody has looked at it")
        }
    }

    @Test func `what was done again is not returned as what was shown`() async throws {
        try await withSchool { school in
            let work = try await work(school)
            let shown = try await shown(school, work.path)
            let done = "/v1/assignments/\(work.tasks[0])/done"
            #expect(try await school.delete(done, as: .sue).status == 200)
            try school.setMoment(ahead: .seconds(60))
            #expect(try await school.put(done, as: .sue).status == 200)
            let body: JSONValue = [
                "personIds": ids([.sam, .sue], school), "work": .array(shown), "tryAgain": true,
            ]
            let returned = try await school.post(work.path + "/returns", as: .tom, json: body)
            #expect(returned.json["students"] == 1)
            #expect(try await toReview(school) == 1)
        }
    }

    @Test func `a count is looked at only as long as it stands for the same work`() async throws {
        try await withSchool { school in
            let work = try await work(school)
            let late = try doneOnItsWay(work.tasks[1], school)
            func seen() async throws -> JSONValue {
                let overview = try await school.get("/v1/me/overview", as: .tom).json
                return [
                    "until": overview["generatedAt"] ?? .null,
                    "digest": overview["toReview"]?[0]?["workDigest"] ?? .null,
                ]
            }
            let before = try await seen()
            try late.execute("commit")
            let refused = try await school.put(work.path + "/reviewed", as: .tom, json: before)
            #expect(refused.status == 409 && refused.code == "work_changed")
            #expect(try await toReview(school) == 2)
            let marked = try await school.put(
                work.path + "/reviewed", as: .tom, json: try await seen())
            #expect(marked.json["students"] == 2)
            #expect(try await toReview(school) == 0)
        }
    }

    @Test func `who no longer teaches the class sees no marks, and returns nothing`() async throws {
        try await withSchool { school in
            let work = try await work(school)
            #expect(try await school.put(work.path + "/reviewed", as: .cora).status == 200)
            let marks: Statement = "select from school.review"
            #expect(try school.sql(marks, as: school.caller(.cora)).count == 3)
            let seat = "/v1/classes/\(school.biology.uuid)/teachers/\(school.id(.cora).uuid)"
            #expect(try await school.delete(seat, as: .ada).status == 204)
            #expect(try school.sql(marks).count == 3, "they are there")
            #expect(try school.sql(marks, as: school.caller(.cora)).isEmpty)
            #expect(try await school.get(work.path + "/reviewed", as: .cora).status == 404)
            let returned = try await school.post(
                work.path + "/returns", as: .cora, json: ["personIds": ids([.sam], school)])
            #expect(returned.status == 404)
            #expect(try await toReview(school) == 2)
        }
    }

    @Test func `returning much at once costs what it does`() async throws {
        try await withSchool(requestsPerSecond: 1) { school in
            let work = try await work(school)
            let all = (0..<40).map { _ in JSONValue.text(UUID.v7().description) }
            // The allowance is 10. The call costs 1, and its body 4.
            let one: JSONValue = ["personIds": .array(all), "taskIds": [.text(work.tasks[0])]]
            let few: JSONValue = ["personIds": ids([.sam], school)]
            #expect(
                try await school.post(work.path + "/returns", as: .cora, json: one).status == 200)
            let both: JSONValue = ["personIds": .array(all)]
            let refused = try await school.post(work.path + "/returns", as: .tom, json: both)
            #expect(refused.status == 429)
            #expect(
                try await school.post(work.path + "/returns", as: .tom, json: few).status == 200)
        }
    }
}
