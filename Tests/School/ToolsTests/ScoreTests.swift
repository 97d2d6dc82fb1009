import API
import Crypto
import HTTPClient
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Activities

/// `POST /lti/classes/{classId}/line-items/{taskId}/scores`, and what becomes of scores.
@Suite struct ScoresOfTools {
    private func lineItems(_ school: TestSchool) -> String {
        "/lti/classes/\(school.biology.uuid)/line-items"
    }

    @Test func `a score is reported under the rule for apps`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool)
            let token = try await school.toolToken(of: tool, by: fake)
            let sam: JSONValue = try await school.launched(given.task, in: tool)["sub"] ?? nil
            let answer = try await school.score(["userId": sam], at: given.task, token: token)
            #expect(answer.status == 204 && answer.body.isEmpty)
            let report = try await school.get("/v1/handouts/\(given.handout)/report", as: .tom)
            let students = report.json["tasks"]?[0]?["students"]?.array ?? []
            let cell = students.first { $0["givenName"] == "Sam" }
            #expect(cell?["attempts"]?.int64 == 1 && cell?["progress"]?.double == 1)
            #expect(cell?["primaryItem"]?["score"]?.double == 7)
            #expect(cell?["primaryItem"]?["maxScore"]?.double == 10)
            let other = students.first { $0["givenName"] == "Sue" }
            #expect(other?["attempts"]?.int64 == 0)
            let dear = school.features.flatMap(\.endpoints).filter { $0.operation.cost == 5 }
            for end in ["line-items", "line-items/{lineItemId}/scores"] {
                #expect(dear.contains { $0.path == "/lti/classes/{classId}/\(end)" })
            }
            let own = try await school.get("/v1/me/report", as: .sam)
            #expect(own.status == 200)
            for persona in [Persona.tess, .otto] {
                let other = try await school.get(
                    "/v1/handouts/\(given.handout)/report", as: persona)
                #expect(other.status == 404)
            }
            let results = try await school.asTool(
                "\(lineItems(school))/\(given.task)/results", token: token)
            #expect(results.json.array?.count == 1)
            #expect(results.json[0]?["userId"] == sam)
            #expect(results.json[0]?["resultScore"]?.double == 7)
            #expect(results.json[0]?["resultMaximum"]?.double == 10)
        }
    }

    @Test func `scores of one attempt are one attempt, whatever their order`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool)
            let token = try await school.toolToken(of: tool, by: fake)
            let sam: JSONValue = try await school.launched(given.task, in: tool)["sub"] ?? nil
            let begun = Clock.system.now.milliseconds - 600_000
            func moment(_ later: Int64) -> JSONValue {
                .text(Timestamp(milliseconds: begun + later).description)
            }
            func report(_ more: [String: JSONValue]) async throws -> JSONValue? {
                let fields = ["userId": sam].merging(more) { $1 }
                let answer = try await school.score(fields, at: given.task, token: token)
                #expect(answer.status == 204)
                let results = try await school.asTool(
                    "\(lineItems(school))/\(given.task)/results", token: token)
                return results.json[0]?["resultScore"]
            }
            #expect(try await report(["scoreGiven": 5, "timestamp": moment(20)])?.double == 5)
            #expect(try await report(["scoreGiven": 3, "timestamp": moment(10)])?.double == 5)
            #expect(try await report(["scoreGiven": 9, "timestamp": moment(30)])?.double == 9)
            #expect(try await report(["scoreGiven": 9, "timestamp": moment(30)])?.double == 9)
            #expect(try school.stored(given.task) == 1)
            let pending = try await report([
                "scoreGiven": 1, "timestamp": moment(40), "gradingProgress": "Pending",
                "submission": ["startedAt": moment(35)],
            ])
            #expect(pending == nil, "the next attempt has no score yet")
            #expect(try school.stored(given.task) == 2)
        }
    }

    @Test func `what was not assigned is dropped, and the answer is the same`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let all = try await school.giveTool(tool)
            let one = try await school.giveTool(tool, recipients: [.text("source:sis-sam")])
            let token = try await school.toolToken(of: tool, by: fake)
            let sue: JSONValue =
                try await school.launched(all.task, in: tool, as: .sue)["sub"] ?? nil
            let tom: JSONValue =
                try await school.launched(all.task, in: tool, as: .tom)["sub"] ?? nil
            let sam: JSONValue = try await school.launched(one.task, in: tool)["sub"] ?? nil
            for user in [sue, tom, "nobody"] {
                let answer = try await school.score(["userId": user], at: one.task, token: token)
                #expect(answer.status == 204 && answer.body.isEmpty)
            }
            #expect(try school.stored(one.task) == 0)
            #expect(
                try await school.score(["userId": sue], at: all.task, token: token).status == 204)
            #expect(try school.stored(all.task) == 1)
            // Another tool that learned the pseudonym gets nowhere with it.
            let other = try await school.registerTool()
            let stranger = try await school.toolToken(of: other, by: fake)
            let foreign = try await school.score(["userId": sam], at: one.task, token: stranger)
            #expect(foreign.status == 404)
            let locked = try await school.put("/v1/handouts/\(one.handout)/lock", as: .tom)
            #expect(locked.status < 300)
            let late = Timestamp(milliseconds: Clock.system.now.milliseconds + 5000).description
            #expect(
                try await school.score(
                    ["userId": sam, "timestamp": .text(late)], at: one.task, token: token
                ).status == 204)
            #expect(try school.stored(one.task) == 0, "locked")
            try school.sql("update school.organization set is_student_progress_enabled = false")
            let paused = try await school.score(["userId": sam], at: all.task, token: token)
            #expect(paused.status == 204)
            #expect(try school.stored(all.task) == 1, "only what was there")
        }
    }

    @Test(
        arguments: [
            ("userId", JSONValue.null), ("userId", ""), ("userId", 7),
            ("activityProgress", "Done"), ("gradingProgress", nil), ("timestamp", nil),
            ("timestamp", "yesterday"), ("timestamp", "1900-01-01T00:00:00Z"), ("scoreGiven", -1),
            ("scoreGiven", 1e13), ("scoreGiven", "7"), ("scoreMaximum", 0), ("scoreMaximum", nil),
        ] as [(String, JSONValue)])
    func `a score that cannot be read names its place, and stores nothing`(
        field: String, value: JSONValue
    ) async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool)
            let token = try await school.toolToken(of: tool, by: fake)
            let answer = try await school.score(
                ["userId": "somebody"].merging([field: value]) { $1 }, at: given.task, token: token)
            #expect(answer.status == 422 && answer.pointers == ["/\(field)"], "\(answer.text)")
            #expect(try school.sql("select from school.upload").isEmpty)
        }
    }

    @Test func `a token from when apps could have a tool's name does not pass for the tool`()
        async throws
    {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool)
            try school.renameApp(of: .samsApp, "tool:\(tool.id)")
            let taken = try await school.post(
                "/v1/activities", as: .samsApp,
                json: ["activities": [school.attempt(at: [given.task])]])
            #expect(taken.status == 202)
            try school.storeScores()
            #expect(try school.stored(given.task) == 0)
            let token = try await school.toolToken(of: tool, by: fake)
            let sam: JSONValue = try await school.launched(given.task, in: tool)["sub"] ?? nil
            _ = try await school.score(["userId": sam], at: given.task, token: token)
            #expect(try school.stored(given.task) == 1, "the tool itself")
        }
    }

    @Test func `while the inbox is full scores are refused, as uploads are`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool)
            let token = try await school.toolToken(of: tool, by: fake)
            let sam: JSONValue = try await school.launched(given.task, in: tool)["sub"] ?? nil
            let activities = try #require(
                school.features.compactMap { $0 as? Activities }.first)
            func wait(_ count: Int) throws {
                let backlog = try school.sql(
                    """
                    select \(school.hillside) as organization_id, \(count)::bigint as pending,
                           0::bigint as pending_bytes, now() as oldest_at, 0::bigint as failed
                    """)
                try activities.inbox.worker.figures.take(backlog, now: Clock.system.now)
            }
            try wait(50_000)
            let full = try await school.score(["userId": sam], at: given.task, token: token)
            #expect(full.status == 503 && full.header("Retry-After") != nil)
            #expect(try school.stored(given.task) == 0)
            try wait(0)
            let taken = try await school.score(["userId": sam], at: given.task, token: token)
            #expect(taken.status == 204)
            #expect(try school.stored(given.task) == 1)
        }
    }

    @Test func `a score costs the database the same whoever has the pseudonym, and nobody`()
        async throws
    {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool)
            let task = try #require(UUID(given.task))
            let caller = Caller(
                organizationID: school.hillside, personID: nil,
                serviceAccountID: ServiceAccountID(try #require(UUID(tool.id))),
                standings: [.tool])
            let users = [
                try await school.launched(given.task, in: tool)["sub"]?.text ?? "",
                try await school.launched(given.task, in: tool, as: .sue)["sub"]?.text ?? "",
                "nobody",
            ]
            try school.sql("select set_config('track_functions', 'pl', false)")
            for (index, user) in users.enumerated() {
                let row = try school.sql(
                    """
                    with before as materialized (
                        select coalesce(pg_stat_get_xact_function_calls(
                                   'school.tool_subject(uuid, uuid, uuid)'::regprocedure), 0) as calls),
                    taken as materialized (
                        select calls, school.take_tool_score(
                                   \(school.biology), \(task), \(user), null,
                                   jsonb_build_object('stoppedAt', now())) as is_known from before)
                    select is_known, pg_stat_get_xact_function_calls(
                               'school.tool_subject(uuid, uuid, uuid)'::regprocedure) - calls as calls from taken
                    """, as: caller)[0]
                #expect(try row.bool("is_known") && row.int("calls") == 2, "\(index)")
                #expect(try school.sql("select from school.upload").count == index + 1)
            }
            let names = try school.sql(
                "select bundle_id, count(*) as n from school.upload group by 1 order by 1")
            #expect(try names.map { try $0.text("bundle_id") } == ["tool:", "tool:\(tool.id)"])
            #expect(try names.map { try $0.int("n") } == [1, 2])
        }
    }

    @Test func `more than the maximum counts as the maximum, and times may have any offset`()
        async throws
    {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool)
            let token = try await school.toolToken(of: tool, by: fake)
            let sam: JSONValue = try await school.launched(given.task, in: tool)["sub"] ?? nil
            let time = "\(Clock.system.now.description.prefix(19))+0000"
            let answer = try await school.score(
                ["userId": sam, "scoreGiven": 12, "timestamp": .text(time)], at: given.task,
                token: token)
            #expect(answer.status == 204, "\(answer.text)")
            let results = try await school.asTool(
                "\(lineItems(school))/\(given.task)/results?user_id=\(sam.text ?? "")",
                token: token)
            #expect(results.json[0]?["resultScore"]?.double == 10)
        }
    }
}
