import API
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Scores of line items that tools made: additional items of the student's attempt.
@Suite struct ScoresOfLineItems {
    private func subject(_ graded: GradedTask, _ persona: Persona = .sam) async throws -> JSONValue
    {
        try await graded.school.launched(graded.task, in: graded.tool, as: persona)["sub"] ?? nil
    }

    @Test func `a score is an additional item beside the task's`() async throws {
        try await withGradedTask { graded in
            let school = graded.school
            let sam = try await subject(graded)
            let first = try await graded.make()
            let second = try await graded.make(["label": "Chapter 2"])
            let part: [String: JSONValue] = ["userId": sam, "scoreGiven": 4, "scoreMaximum": 5]
            let answer = try await school.score(part, at: first, token: graded.token)
            #expect(answer.status == 204 && answer.body.isEmpty)
            var attempts = try await graded.attempts()
            #expect(
                attempts.count == 1 && GradedTask.additional(attempts.first) == ["Chapter 1 4.0"])
            #expect(attempts.first?["primaryItem"] == .null && attempts.first?["progress"] == .null)
            #expect(try await graded.results(first) == [4])
            #expect(try await graded.results(graded.task) == [])

            _ = try await school.score(["userId": sam], at: graded.task, token: graded.token)
            _ = try await school.score(
                ["userId": sam, "scoreGiven": 2, "scoreMaximum": 5], at: second,
                token: graded.token)
            attempts = try await graded.attempts()
            #expect(attempts.count == 1)
            #expect(GradedTask.additional(attempts.first) == ["Chapter 1 4.0", "Chapter 2 2.0"])
            #expect(attempts.first?["primaryItem"]?["score"]?.double == 7)
            #expect(attempts.first?["progress"]?.double == 1)
            #expect(try await graded.results(graded.task) == [7])
            #expect(try await graded.results(second) == [2])
            let items = try await school.get(
                "/v1/handouts/\(graded.handout)/tasks/\(graded.task)/items", as: .tom)
            let titles = (items.json["items"]?.array ?? []).compactMap { $0["title"]?.text }
            #expect(Set(titles) == ["Score", "Chapter 1", "Chapter 2"], "\(items.text)")
            let differing = try school.sql(
                "select * from school.check_progress_differs(\(school.hillside), null)")
            #expect(differing.isEmpty)
        }
    }

    @Test func `each figure is as it was changed last, in whatever order scores come`() async throws
    {
        let orders = [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 0, 3, 1]]
        for order in orders {
            try await withGradedTask { graded in
                let sam = try await subject(graded)
                let made = [
                    try await graded.make(), try await graded.make(["label": "Chapter 2"]),
                ]
                let begun = Clock.system.now.milliseconds - 600_000
                let scores: [(item: String, given: JSONValue)] = [
                    (graded.task, 1), (made[0], 2), (made[1], 3), (made[0], 4), (graded.task, 5),
                ]
                for place in order + order {
                    let moment = Timestamp(milliseconds: begun + Int64(place) * 10_000 + 1)
                    let answer = try await graded.school.score(
                        [
                            "userId": sam, "scoreGiven": scores[place].given,
                            "timestamp": .text(moment.description),
                        ], at: scores[place].item, token: graded.token)
                    #expect(answer.status == 204)
                }
                let attempts = try await graded.attempts()
                #expect(attempts.count == 1)
                #expect(attempts.first?["primaryItem"]?["score"]?.double == 5, "\(order)")
                #expect(
                    GradedTask.additional(attempts.first) == ["Chapter 1 4.0", "Chapter 2 3.0"],
                    "\(order)")
            }
        }
    }

    @Test func `hundreds of scores of one attempt keep each figure`() async throws {
        try await withGradedTask { graded in
            let sam = try await subject(graded)
            let made = [try await graded.make(), try await graded.make(["label": "Chapter 2"])]
            let begun = Clock.system.now.milliseconds - 3_600_000
            // The first chapter is scored once, before everything else that will be merged.
            for number in 0..<130 {
                let item = number == 0 ? made[0] : number.isMultiple(of: 2) ? made[1] : graded.task
                let moment = Timestamp(milliseconds: begun + Int64(number) * 2000 + 1)
                _ = try await graded.school.score(
                    [
                        "userId": sam, "scoreGiven": JSONValue(integerLiteral: Int64(number)),
                        "scoreMaximum": 1000, "timestamp": .text(moment.description),
                    ], at: item, token: graded.token)
            }
            let parts = try graded.school.sql("select from school.activity_part").count
            #expect(parts <= 100, "they were merged")
            let attempts = try await graded.attempts()
            #expect(attempts.first?["primaryItem"]?["score"]?.double == 129)
            #expect(
                GradedTask.additional(attempts.first) == ["Chapter 1 0.0", "Chapter 2 128.0"])
        }
    }

    @Test func `what was not assigned is dropped, and the answer is the same`() async throws {
        try await withGradedTask(recipients: [.text("source:sis-sam")]) { graded in
            let school = graded.school
            let whole = try await school.giveTool(graded.tool)
            let sue: JSONValue =
                try await school.launched(whole.task, in: graded.tool, as: .sue)["sub"] ?? nil
            let made = try await graded.make()
            for user in [sue, "nobody"] {
                let answer = try await school.score(
                    ["userId": user], at: made, token: graded.token)
                #expect(answer.status == 204 && answer.body.isEmpty)
            }
            #expect(try school.stored(graded.task) == 0 && school.stored(whole.task) == 0)
            let sam = try await subject(graded)
            let pending = try await school.score(
                ["userId": sam, "gradingProgress": "Pending"], at: made, token: graded.token)
            #expect(pending.status == 204)
            #expect(try school.stored(graded.task) == 1, "it was begun")
            #expect(GradedTask.additional(try await graded.attempts().first).isEmpty)
            _ = try await school.score(
                ["userId": sam, "scoreGiven": 12], at: made, token: graded.token)
            #expect(GradedTask.additional(try await graded.attempts().first) == ["Chapter 1 10.0"])
            let wrong = try await school.score(
                ["userId": sam, "scoreGiven": -1], at: made, token: graded.token)
            #expect(wrong.status == 422 && wrong.pointers == ["/scoreGiven"])
        }
    }

    @Test func `attempts are told apart, and the latest has the result`() async throws {
        try await withGradedTask { graded in
            let sam = try await subject(graded)
            let made = try await graded.make()
            let begun = Clock.system.now.milliseconds - 600_000
            func report(_ item: String, _ given: JSONValue, attempt: Int64) async throws {
                let start = begun + attempt * 100_000
                _ = try await graded.school.score(
                    [
                        "userId": sam, "scoreGiven": given,
                        "timestamp": .text(Timestamp(milliseconds: start + 40_000).description),
                        "submission": [
                            "startedAt": .text(Timestamp(milliseconds: start).description)
                        ],
                    ], at: item, token: graded.token)
            }
            try await report(made, 1, attempt: 1)
            try await report(graded.task, 2, attempt: 1)
            #expect(try await graded.results(made) == [1])
            try await report(graded.task, 3, attempt: 2)
            let attempts = try await graded.attempts()
            #expect(attempts.map(GradedTask.additional) == [["Chapter 1 1.0"], []])
            #expect(try await graded.results(made) == [])
            #expect(try await graded.results(graded.task) == [3])
        }
    }

    @Test func `a line item that was renamed or deleted leaves scores as they were`() async throws {
        try await withGradedTask { graded in
            let school = graded.school
            let sam = try await subject(graded)
            let made = try await graded.make()
            _ = try await school.score(["userId": sam], at: made, token: graded.token)
            let renamed = try await graded.ask(
                .put, "\(graded.path)/\(made)", graded.item(["label": "Second thoughts"]))
            #expect(renamed.status == 200)
            #expect(GradedTask.additional(try await graded.attempts().first) == ["Chapter 1 7.0"])
            let later = Timestamp(milliseconds: Clock.system.now.milliseconds + 1).description
            _ = try await school.score(
                ["userId": sam, "scoreGiven": 8, "timestamp": .text(later)], at: made,
                token: graded.token)
            #expect(
                GradedTask.additional(try await graded.attempts().first) == ["Second thoughts 8.0"])
            #expect(try await graded.ask(.delete, "\(graded.path)/\(made)").status == 204)
            let late = try await school.score(["userId": sam], at: made, token: graded.token)
            #expect(late.status == 404)
            #expect(try await graded.ask(.get, "\(graded.path)/\(made)/results").status == 404)
            #expect(
                GradedTask.additional(try await graded.attempts().first) == ["Second thoughts 8.0"])
        }
    }
}
