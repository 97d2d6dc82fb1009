import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("GET /v1/handouts/{id}/students/{personId}")
struct StudentReportTests {
    private func attempts(
        _ school: TestSchool, _ handout: GivenHandout, of person: String, as persona: Persona = .tom
    ) async throws -> Answer {
        try await school.get("/v1/handouts/\(handout.id.uuid)/students/\(person)", as: persona)
    }

    @Test func `shows every attempt with every item, all but the newest final`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([
                school.result(30, progress: 0.75, seconds: 20, Item.score(5, of: 5)),
                school.attempt(
                    from: school.ago(90), to: .some(nil), seconds: 10, ranges: [],
                    primary: Item.score(1, of: 5),
                    additional: [Item.quantity(3, "b"), Item.quantity(4, "a")],
                    modified: school.ago(60)),
            ])
            let answer = try await attempts(school, handout, of: school.id(.sam).uuid.description)
            #expect(answer.status == 200)
            #expect(answer.json["student"]?["givenName"]?.text == "Sam")
            let list = answer.json["tasks"]?[0]?["attempts"]
            #expect(list?.array?.count == 2)
            let first = list?[0]
            #expect(first?["isFinal"] == true)
            #expect(first?["stoppedAt"] == .null)
            #expect(first?["progress"] == .null)
            #expect(first?["primaryItem"]?["score"]?.int64 == 1)
            let others = first?["additionalItems"]?.array?.compactMap { $0["identifier"]?.text }
            #expect(others == ["b", "a"])
            let second = list?[1]
            #expect(second?["isFinal"] == false)
            #expect(agree(second?["progress"], 0.75))
            #expect(second?["additionalItems"] == [])
        }
    }

    /// Every page from this one on.
    private func pages(_ school: TestSchool, from target: String) async throws -> [Answer] {
        var pages: [Answer] = []
        var next: String? = target
        while let target = next, pages.count < 100 {
            let page = try await school.get(target, as: .tom)
            try #require(page.status == 200)
            pages.append(page)
            next = nextTarget(page)
            #expect((next == nil) == (page.json["nextPageToken"] == nil))
        }
        return pages
    }

    /// An attempt of five seconds, over before the next one begins.
    private func short(
        _ school: TestSchool, _ minutes: Int, _ primary: JSONValue? = nil,
        additional: [JSONValue] = [], at path: [String] = TestSchool.context
    ) -> JSONValue {
        let start = school.ago(minutes)
        let end = Timestamp(milliseconds: start.milliseconds + 5000)
        return school.attempt(
            at: path, from: start, to: .some(end), seconds: 5, primary: primary,
            additional: additional)
    }

    /// The attempts of each task, over all pages.
    private func joined(_ pages: [Answer]) -> [[JSONValue]] {
        var tasks: [(id: String?, attempts: [JSONValue])] = []
        for task in pages.flatMap({ $0.json["tasks"]?.array ?? [] }) {
            if tasks.last?.id != task["taskId"]?.text { tasks.append((task["taskId"]?.text, [])) }
            tasks[tasks.count - 1].attempts += task["attempts"]?.array ?? []
        }
        return tasks.map(\.attempts)
    }

    @Test(arguments: [1, 2, 3, 7, 11, 12, 1000])
    func `attempts come in pages, each well-formed, and all of them once`(limit: Int) async throws {
        try await withSchool { school in
            let handout = try school.newHandout(publishedAt: school.ago(500))
            try school.newTask(
                of: handout.id, in: school.biology, path: ["none"], position: 2,
                at: school.ago(500))
            try school.newTask(
                of: handout.id, in: school.biology, path: ["more"], position: 3,
                at: school.ago(500))
            // Some pairs began at the same moment.
            try await school.upload(
                (0..<6).map { short(school, 400 - $0 / 2 * 10, Item.quantity(Double($0))) })
            try await school.upload(
                (0..<5).map {
                    short(school, 300 - $0, Item.quantity(Double($0)), at: ["more"])
                })
            let target = "/v1/handouts/\(handout.id.uuid)/students/\(school.id(.sam).uuid)"
            let whole = try await pages(school, from: target)
            #expect(whole.count == 1)
            #expect(joined(whole).map(\.count) == [6, 0, 5])
            #expect(
                whole[0].json["tasks"]?[0]?["attempts"]?.array?.filter { $0["isFinal"] == false }
                    .count == 1)
            let some = try await pages(school, from: target + "?limit=\(limit)")
            #expect(some.count == (12 + limit - 1) / limit)
            #expect(joined(some) == joined(whole))
            for page in some {
                #expect(page.json["student"] == whole[0].json["student"])
                #expect(page.json["handout"] == whole[0].json["handout"])
            }
        }
    }

    @Test func `a page ends before its items become too many`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            let title = String(repeating: "x", count: 250)
            let items = (0..<200).map { Item.quantity(1, "\(title)\($0)") }
            for minute in 0..<12 {
                try await school.upload([short(school, 60 - minute, additional: items)])
            }
            let target = "/v1/handouts/\(handout.id.uuid)/students/\(school.id(.sam).uuid)"
            let all = try await pages(school, from: target)
            #expect(all.count > 1)
            #expect(all.allSatisfy { $0.body.count < 700_000 })
            #expect(joined(all).map(\.count) == [12])
        }
    }

    @Test func `a token of another list is refused, and rows deleted meanwhile are not an error`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([school.result(60), school.result(40)])
            let target = "/v1/handouts/\(handout.id.uuid)/students/\(school.id(.sam).uuid)?limit=1"
            let first = try await school.get(target, as: .tom)
            let next = try #require(nextTarget(first))
            for token in ["nonsense", "WyJ4Il0", "WyJ4IiwieSJd"] {
                let answer = try await school.get(target + "&pageToken=\(token)", as: .tom)
                #expect(answer.status == 400)
                #expect(
                    answer.json["detail"]?.text?.contains("pageToken") == true
                        || answer.json["errors"] != nil)
            }
            try school.sql("delete from school.activity")
            let second = try await school.get(next, as: .tom)
            #expect(second.status == 200)
            #expect(second.json["tasks"] == [])
            #expect(second.json["student"]?["givenName"] == "Sam")
        }
    }

    @Test func `a student without attempts has tasks without attempts`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            let answer = try await attempts(school, handout, of: "source:sis-sue")
            #expect(answer.status == 200)
            #expect(answer.json["student"]?["personId"]?.text == school.id(.sue).uuid.description)
            #expect(answer.json["tasks"]?[0]?["attempts"] == [])
        }
    }

    @Test func `people unrelated to the handout are not found`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(to: [.sue])
            for person in [Persona.sam, .ben, .cora, .omar] {
                let answer = try await attempts(
                    school, handout, of: school.id(person).uuid.description)
                #expect(answer.status == 404, "\(person)")
            }
            let unknown = try await attempts(school, handout, of: "source:nobody")
            #expect(unknown.status == 404)
            let malformed = try await attempts(school, handout, of: "sam")
            #expect(malformed.status == 404)
        }
    }

    @Test func `an attempt that did not count here is not shown and makes none final`()
        async throws
    {
        try await withSchool { school in
            let early = try school.newHandout(publishedAt: school.ago(100))
            try school.sql("update school.handout set locked_at = \(school.ago(60))")
            let late = try school.newHandout(by: .cora, publishedAt: school.ago(50))
            try await school.upload([school.result(90), school.result(40)])
            for handout in [early, late] {
                let answer = try await attempts(
                    school, handout, of: school.id(.sam).uuid.description)
                let list = answer.json["tasks"]?[0]?["attempts"]?.array ?? []
                #expect(list.count == 1)
                #expect(list.first?["isFinal"] == false)
            }
        }
    }
}
