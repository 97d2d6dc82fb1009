import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("GET /v1/handouts/{id}/tasks/{taskId}/items")
struct ItemReportTests {
    private func items(
        _ school: TestSchool, _ handout: GivenHandout, task: UUID? = nil,
        as persona: Persona = .tom, accept: String = "application/json"
    ) async throws -> Answer {
        try await school.get(
            "/v1/handouts/\(handout.id.uuid)/tasks/\(task ?? handout.task.uuid)/items",
            as: persona, headers: [("Accept", accept)])
    }

    /// A question that is right or wrong.
    private func question(_ identifier: String, _ isRight: Bool) -> JSONValue {
        [
            "kind": "binary", "identifier": .text(identifier),
            "title": .text("Question \(identifier)"),
            "value": .bool(isRight), "valueType": "correctIncorrect",
        ]
    }

    private func points(_ identifier: String, _ score: Double) -> JSONValue {
        [
            "kind": "score", "identifier": .text(identifier), "title": "Points",
            "score": JSONValue(floatLiteral: score), "maxScore": 4,
        ]
    }

    private func item(_ identifier: String, of report: JSONValue) -> JSONValue {
        report["items"]?.array?.first { $0["identifier"]?.text == identifier } ?? nil
    }

    @Test func `says for every item how many have it, its average, and who missed it`() async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([
                // An earlier attempt does not count here.
                school.attempt(
                    from: school.ago(90), to: .some(school.ago(80)),
                    additional: [question("q1", false), question("old", false)]),
                school.attempt(
                    from: school.ago(60), to: .some(school.ago(50)), primary: points("total", 3),
                    additional: [question("q1", true), question("q2", false), points("essay", 1)]),
            ])
            try await school.upload(
                [
                    school.attempt(
                        from: school.ago(60), to: .some(school.ago(50)),
                        primary: points("total", 4),
                        additional: [question("q1", true), question("q2", false), Item.quantity(3)])
                ], as: .suesApp)
            let report = try await items(school, handout).json
            #expect(report["task"]?["title"] == "Check")
            #expect(report["studentsWithData"] == 2)
            #expect(report["missedMost"] == "q2")
            let names = report["items"]?.array?.compactMap { $0["identifier"]?.text }
            #expect(names == ["total", "q1", "q2", "essay", "result"])
            #expect(item("total", of: report)["isPrimary"] == true)
            #expect(agree(item("total", of: report)["classAverage"]?["score"], (0.75 + 1) / 2))
            #expect(agree(item("q1", of: report)["classAverage"]?["positiveShare"], 1))
            #expect(item("q1", of: report)["studentsMissed"] == 0)
            let second = item("q2", of: report)
            #expect(second["studentsWithItem"] == 2)
            #expect(second["studentsMissed"] == 2)
            #expect(agree(second["missedShare"], 1))
            let essay = item("essay", of: report)
            #expect(essay["studentsWithItem"] == 1)
            #expect(agree(essay["missedShare"], 1))
            let students = essay["students"]?.array ?? []
            #expect(students.map { $0["givenName"]?.text } == ["Sam", "Sue"])
            #expect(students.map { $0["missed"] } == [true, false])
            #expect(students.first?["item"]?["score"] == 1)
            #expect(students.last?["item"] == .null)
            let hints = item("result", of: report)
            #expect(hints["missedShare"] == .null)
            #expect(hints["studentsMissed"] == 0)
            #expect(agree(hints["classAverage"]?["quantity"], 3))
            #expect(report["notes"] == [])
        }
    }

    @Test func `a total beside questions is not counted as a question`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            for (app, answers) in [(Persona.samsApp, [true, false]), (.suesApp, [true, true])] {
                try await school.upload(
                    [
                        school.attempt(
                            primary: points("total", 1),
                            additional: [question("q1", answers[0]), question("q2", answers[1])])
                    ], as: app)
            }
            let report = try await items(school, handout).json
            #expect(report["missedMost"] == "q2", "everybody has less than half of the points")
            let total = item("total", of: report)
            #expect(total["isPrimary"] == true && total["studentsMissed"] == 0)
            #expect(total["missedShare"] == .null)
            #expect(agree(total["classAverage"]?["score"], 0.25))
            #expect(total["students"]?.array?.map { $0["missed"] } == [false, false])

            let alone = try school.newHandout(path: ["essay"])
            for app in [Persona.samsApp, .suesApp] {
                try await school.upload(
                    [school.attempt(at: ["essay"], primary: points("total", 1))], as: app)
            }
            let other = try await items(school, alone).json
            #expect(other["missedMost"] == "total", "nothing else could be missed")
            #expect(item("total", of: other)["studentsMissed"] == 2)
        }
    }

    @Test(
        arguments: [
            ("correctIncorrect", true), ("passFail", true), ("trueFalse", true), ("yesNo", false),
        ])
    func `a no is missed, but not where it is the answer to a question`(
        valueType: String, isMissed: Bool
    ) async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            for (app, value) in [(Persona.samsApp, false), (.suesApp, true)] {
                let item: JSONValue = [
                    "kind": "binary", "identifier": "q", "title": "Q", "value": .bool(value),
                    "valueType": .text(valueType),
                ]
                try await school.upload([school.attempt(additional: [item])], as: app)
            }
            let report = try await items(school, handout).json
            let shown = item("q", of: report)
            #expect(shown["studentsMissed"] == (isMissed ? 1 : 0))
            #expect(shown["missedShare"] == (isMissed ? 0.5 : JSONValue.null))
            #expect(shown["classAverage"]?["positiveShare"] == 0.5)
            #expect(shown["students"]?.array?.map { $0["missed"] } == [.bool(isMissed), false])
            #expect(report["missedMost"] == (isMissed ? "q" : JSONValue.null))
        }
    }

    @Test func `a score below half of its maximum is missed`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([
                school.attempt(additional: [points("a", 2), points("b", 1.99)])
            ])
            let report = try await items(school, handout).json
            #expect(item("a", of: report)["studentsMissed"] == 0)
            #expect(item("a", of: report)["missedShare"] == 0)
            #expect(item("b", of: report)["studentsMissed"] == 1)
            #expect(report["missedMost"] == "b")
        }
    }

    @Test func `of two missed equally often, the one with the lower average is missed most`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([school.attempt(additional: [points("a", 1), points("b", 0)])])
            #expect(try await items(school, handout).json["missedMost"] == "b")
        }
    }

    @Test func `many items come in pages, and what the class missed most covers all of them`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            let questions = (1...30).map { question("q\($0)", $0 != 29) }
            try await school.upload([school.attempt(additional: questions)])
            let whole = try await items(school, handout)
            #expect(whole.json["items"]?.array?.count == 30)
            #expect(whole.json["nextPageToken"] == nil)
            #expect(whole.header("link") == nil)
            var target: String? =
                "/v1/handouts/\(handout.id.uuid)/tasks/\(handout.task.uuid)/items?limit=7"
            var seen: [JSONValue] = []
            var pages = 0
            while let next = target {
                let page = try await school.get(next, as: .tom)
                try #require(page.status == 200)
                #expect(page.json["missedMost"] == "q29")
                #expect(page.json["studentsWithData"] == 1)
                seen += page.json["items"]?.array ?? []
                pages += 1
                target = nextTarget(page)
                #expect((target == nil) == (page.json["nextPageToken"] == nil))
            }
            #expect(pages == 5)
            #expect(seen == whole.json["items"]?.array)
            let table = try await school.get(
                "/v1/handouts/\(handout.id.uuid)/tasks/\(handout.task.uuid)/items?limit=7",
                as: .tom, headers: [("Accept", "text/csv")])
            #expect(table.text.split(separator: "\r\n").count == 8)
            #expect(nextTarget(table) != nil)
        }
    }

    @Test func `an item of mixed kinds has no average and is missed by nobody`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([school.attempt(additional: [question("q", false)])])
            try await school.upload([school.attempt(additional: [points("q", 0)])], as: .suesApp)
            let report = try await items(school, handout).json
            let mixed = item("q", of: report)
            #expect(mixed["mixedKinds"] == true)
            #expect(mixed["kind"] == .null)
            #expect(mixed["studentsMissed"] == .null)
            #expect(mixed["classAverage"] == ["score": nil, "quantity": nil, "positiveShare": nil])
            #expect(report["missedMost"] == .null)
        }
    }

    @Test func `CSV has a line for each item and student`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([
                school.attempt(additional: [question("q1", false), points("q2", 1)])
            ])
            let table = try await items(school, handout, accept: "text/csv")
            let lines = table.text.split(separator: "\r\n").map {
                $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            }
            try #require(lines.count == 3)
            let first = Dictionary(uniqueKeysWithValues: zip(lines[0], lines[1]))
            #expect(first["identifier"] == "q1")
            #expect(first["title"] == "Question q1")
            #expect(first["missedShare"] == "1")
            #expect(first["givenName"] == "Sam")
            #expect(first["itemValue"] == "false")
            let second = Dictionary(uniqueKeysWithValues: zip(lines[0], lines[2]))
            #expect(second["classAverageScore"] == "0.25")
            #expect(second["itemScore"] == "1")
        }
    }

    @Test func `a task without data says so, and a task of another handout is not found`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            let other = try school.newHandout(path: ["other"])
            let report = try await items(school, handout).json
            #expect(report["items"] == [])
            #expect(report.noteCodes == ["nothing_reported"])
            #expect(try await items(school, handout, task: other.task.uuid).status == 404)
        }
    }

    @Test func `is for the class's teachers`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([school.attempt(additional: [question("q1", false)])])
            #expect(try await items(school, handout, as: .cora).status == 200)
            for persona in [Persona.tess, .otto] {
                #expect(try await items(school, handout, as: persona).status == 404)
            }
            for persona in [Persona.ada, .sam, .exporter, .samsApp, .olga] {
                let answer = try await items(school, handout, as: persona)
                #expect(answer.status == 403)
                #expect(answer.json["detail"]?.text?.contains("through what was assigned") == true)
            }
        }
    }
}
