import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What becomes of xAPI statements.
@Suite("POST /xapi/statements")
struct StatementTests {
    private func progress(_ percent: Double) -> JSONValue {
        [
            "extensions": .object(
                JSONObject([(TestSchool.cmi5Progress, JSONValue(floatLiteral: percent))]))
        ]
    }

    /// An attempt as apps of cmi5 tell it, which began at that moment.
    private func quiz(_ school: TestSchool, _ start: Timestamp) throws -> [JSONValue] {
        let registration = UUID.v7()
        func later(_ minutes: Int64) -> Timestamp {
            Timestamp(milliseconds: start.milliseconds + minutes * 60_000)
        }
        return [
            try school.statement("initialized", at: start, registration: registration),
            try school.statement(
                "progressed", at: later(10), result: progress(40), registration: registration),
            try school.statement(
                "passed", at: later(20),
                result: [
                    "score": ["raw": 7, "min": 0, "max": 10, "scaled": 0.7], "success": true,
                    "duration": "PT10M",
                ], registration: registration),
            try school.statement("terminated", at: later(21), registration: registration),
        ]
    }

    @Test func `statements of one registration about assigned work are one attempt`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            let start = school.ago(60)
            let statements = try quiz(school, start)
            let answer = try await school.state(.array(statements))
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json.array == statements.compactMap { $0["id"] })
            #expect(answer.header("X-Experience-API-Version") == "1.0.3")
            #expect(answer.header("X-Experience-API-Consistent-Through") != nil)
            #expect(try school.storedCount() == 1)
            let links = try school.sql(
                """
                select task_id, progress, share, kind, duration_seconds as seconds, started_at, stopped_at
                  from school.activity_assignment
                """)
            try #require(links.count == 1)
            #expect(try links[0].uuid("task_id") == handout.task.uuid)
            #expect(try links[0].double("progress") == 0.4)
            #expect(try links[0].text("kind") == "score")
            #expect(try links[0].double("share") == 0.7)
            #expect(try links[0].double("seconds") == 600)
            #expect(try links[0].timestamp("started_at") == start)
            let items = try school.sql(
                "select identifier, value from school.activity_item order by position")
            #expect(try items.map { try $0.text("identifier") } == ["score", "success"])
            #expect(try items[1].bool("value"))
            #expect(try school.disagreeingFigures().isEmpty)
        }
    }

    @Test func `the order of statements and how they are sent make no difference`() async throws {
        let registration = UUID.v7()
        var states: Set<String> = []
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            try await withSchool { school in
                _ = try school.newHandout(publishedAt: school.minute(120))
                var statements: [JSONValue] = []
                for (index, verb) in ["initialized", "progressed", "passed", "terminated"]
                    .enumerated()
                {
                    let results: [JSONValue?] = [
                        nil, progress(40), ["score": ["scaled": 0.5]], nil,
                    ]
                    statements.append(
                        try school.statement(
                            verb, id: UUID(milliseconds: 1, random: (0, UInt64(index))),
                            at: Timestamp(
                                milliseconds: school.minute(60).milliseconds + Int64(index)),
                            result: results[index], registration: registration))
                }
                for index in order { try await school.state(statements[index]) }
                try await school.state(.array(statements))
                #expect(try school.storedCount() == 1)
                states.insert(
                    try school.sql(
                        """
                        select (select concat_ws('|', l.progress, l.share, l.duration_seconds,
                                                 l.stopped_at - l.started_at, l.modified_at - l.started_at)
                                  from school.activity_assignment as l) || (
                               select string_agg(concat_ws('|', identifier, score, value), E'\\n' order by position)
                                 from school.activity_item) as state
                        """)[0].text("state"))
            }
        }
        #expect(states.count == 1, "\(states)")
    }

    @Test func `a score stays when a hundred statements without one follow`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let registration = UUID.v7()
            let start = school.ago(60).milliseconds
            var statements = [
                try school.statement(
                    "scored", at: Timestamp(milliseconds: start),
                    result: ["score": ["raw": 3, "max": 4]], registration: registration)
            ]
            for index in 1...150 {
                statements.append(
                    try school.statement(
                        "progressed", at: Timestamp(milliseconds: start + Int64(index) * 10),
                        result: progress(Double(index) / 2), registration: registration))
            }
            #expect(try await school.state(.array(statements)).status == 200)
            let parts = try school.sql("select count(*) as count from school.activity_part")
            #expect(try parts[0].int("count") <= 100)
            let links = try school.sql(
                "select share, progress, modified_at from school.activity_assignment")
            try #require(links.count == 1)
            #expect(try links[0].double("share") == 0.75)
            #expect(abs(try links[0].double("progress") - 0.75) < 0.001)
            #expect(
                try links[0].timestamp("modified_at") == Timestamp(milliseconds: start + 1500))
            #expect(try school.disagreeingFigures().isEmpty)
        }
    }

    @Test func `a registration may cover several contexts, and none makes attempts of their own`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            _ = try school.newHandout(path: ["unit 3", "ä"])
            let registration = UUID.v7()
            for iri in [school.iri(), school.iri(["unit%203", "%C3%A4"])] {
                for verb in ["initialized", "completed"] {
                    try await school.state(
                        try school.statement(verb, about: iri, registration: registration))
                }
            }
            #expect(try school.storedCount() == 2)
            try await school.state(
                .array([try school.statement("initialized"), try school.statement("completed")]))
            #expect(try school.storedCount() == 4)
        }
    }

    @Test func `what is not assigned is dropped, and the answer is the same`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let assigned = try school.statement("completed", id: nil)
            let kept = try await school.state(assigned)
            try #require(try school.storedCount() == 1)
            var dropped: [Answer] = []
            for iri in [
                school.iri(["unit-2", "check-2"]), "https://elsewhere.example/activities/1",
                "urn:uuid:\(UUID.v7())", "\(TestSchool.server)/docs",
            ] {
                dropped.append(
                    try await school.state(
                        try school.statement("completed", id: nil, about: iri)))
            }
            // Not assigned to Ben, and a verb without a result says nothing about an attempt.
            dropped.append(
                try await school.state(
                    try school.statement("completed", id: nil, by: .bensApp), as: .bensApp))
            dropped.append(
                try await school.state(
                    try school.statement("https://example.org/verbs/liked", id: nil)))
            for answer in dropped {
                // Clients of xAPI know ids of RFC 4122 alone: tincan refuses version 7.
                #expect(answer.json[0]?.text?.dropFirst(14).first == "4")
                #expect(answer.status == kept.status)
                #expect(answer.headers.map(\.name) == kept.headers.map(\.name))
                #expect(answer.body.count == kept.body.count)
            }
            #expect(try school.sql("select from school.activity").count == 1)
            #expect(try school.sql("select from school.upload").isEmpty)
        }
    }

    @Test func `other objects than activities are taken and dropped`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let objects: [JSONValue] = [
                ["objectType": "StatementRef", "id": .text(UUID.v7().description)],
                ["objectType": "Agent", "mbox": "mailto:someone@hillside.example"],
            ]
            for object in objects {
                let answer = try await school.state(
                    try school.statement("commented", more: [("object", object)]))
                #expect(answer.status == 200, "\(answer.text)")
            }
            #expect(try school.storedCount() == 0)
        }
    }

    @Test(arguments: [
        (#"{"score":{"raw":7,"max":10}}"#, "score 7 10"),
        (#"{"score":{"raw":5,"min":-5,"max":15}}"#, "score 10 20"),
        (#"{"score":{"scaled":0.25,"raw":3}}"#, "score 0.25 1"),
        (#"{"score":{"scaled":-0.5}}"#, "score 0 1"), (#"{"score":{"raw":42}}"#, "quantity 42"),
        (#"{"score":{"raw":11,"max":10}}"#, "score 10 10"),
        (#"{"score":{"raw":-1,"max":10}}"#, "score 0 10"),
        (#"{"score":{"raw":1,"min":2,"max":4}}"#, "score 0 2"),
        (#"{"score":{"raw":0,"max":0},"duration":"PT4M"}"#, ""),
        (#"{"score":{"raw":1e-12},"success":true}"#, "quantity 0"),
        (#"{"success":false}"#, "binary false"), (#"{"response":"a\tb"}"#, ""),
    ])
    func `a result becomes the primary item`(result: String, item: String) async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let answer = try await school.state(
                try school.statement(
                    "experienced", result: try JSONValue(parsing: Array(result.utf8))))
            #expect(answer.status == 200, "\(answer.text)")
            let items = try school.sql(
                """
                select concat_ws(' ', kind, score, max_score, quantity, value::text) as item
                  from school.activity_item where is_primary
                """)
            #expect(try items.map { try $0.text("item") } == (item.isEmpty ? [] : [item]))
            #expect(try school.storedCount() == 1)
        }
    }

    @Test func `completed means all of it, unless the result says otherwise`() async throws {
        try await withSchool { school in
            let results: [(String, JSONValue?, Double?)] = [
                ("completed", nil, 1), ("completed", ["completion": false], nil),
                ("experienced", ["completion": true], 1), ("progressed", progress(25), 0.25),
            ]
            for (verb, result, expected) in results {
                let path = [UUID.v7().description]
                let handout = try school.newHandout(path: path)
                try await school.state(
                    try school.statement(verb, about: school.iri(path), result: result))
                let links = try school.sql(
                    """
                    select progress from school.activity_assignment where task_id = \(handout.task)
                    """)
                try #require(links.count == 1)
                #expect(try links[0].optionalDouble("progress") == expected, "\(verb)")
            }
        }
    }

    @Test(arguments: [
        "DAYTTIME+0000", "DAYTTIME+00", "DAYTTIME", "DAY TIMEZ", "DAY TIME+00:00",
    ])
    func `a time is read as programs write it`(form: String) async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let moment = school.ago(5).description
            let (day, time) = (moment.prefix(10), moment.dropFirst(11).prefix(12))
            let text = form.replacing("DAY", with: day).replacing("TIME", with: time)
            let answer = try await school.state(
                try school.statement("completed").with("timestamp", .text(text)))
            #expect(answer.status == 200, "\(text): \(answer.text)")
            #expect(try school.storedCount() == 1)
        }
    }

    @Test func `a statement without a time happened when it arrived`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let before = school.ago(0)
            try await school.state(try school.statement().with("timestamp", nil))
            let links = try school.sql("select started_at from school.activity_assignment")
            try #require(links.count == 1)
            #expect(try links[0].timestamp("started_at") >= before)
        }
    }
}
