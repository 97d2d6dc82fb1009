import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("A student's own handouts")
struct OwnHandoutTests {
    private func own(_ handout: JSONValue) -> String {
        "/v1/me/handouts/\(handout["id"]?.text ?? "")"
    }

    /// The names of the teachers in the first assignment of the list, and in the handout.
    private func teachers(
        _ school: TestSchool, of handout: JSONValue
    ) async throws -> [[String?]] {
        let list = try await school.get("/v1/me/assignments", as: .sam)
        let one = try await school.get(own(handout), as: .sam)
        return [list.items.first?["handout"]?["teachers"], one.json["teachers"]].map {
            ($0?.array ?? []).map { $0["givenName"]?.text }
        }
    }

    @Test func `a handout shows what the list shows of its assignments`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout(recipients: ["source:sis-sam"])
            let quiz = try #require(handout["tasks"]?[0]?["id"]?.text)
            _ = try await school.put("/v1/assignments/\(quiz)/opened", as: .sam)
            _ = try await school.put(
                school.path(handout, "/students/source:sis-sam/tasks/\(quiz)/return"), as: .tom,
                json: ["note": "Once more", "tryAgain": true])
            let answer = try await school.get(own(handout), as: .sam)
            #expect(answer.status == 200)
            #expect(answer.json["id"] == handout["id"])
            #expect(answer.json["title"] == "Capitals")
            #expect(answer.json["className"] == "Biology")
            #expect(answer.json["publishAt"] == handout["publishAt"])
            #expect(answer.json["locked"] == false)
            let assignments = answer.json["assignments"]?.array ?? []
            #expect(assignments.map { $0["task"]?["kind"] } == ["appActivity", "link"])
            #expect(assignments.first?["returned"]?["note"] == "Once more")
            #expect(assignments.first?["recording"]?["since"] == handout["publishAt"])
            #expect(assignments.first?["target"]?["universalLinkURL"] == "https://quizzler.example")
            let list = try await school.get("/v1/me/assignments", as: .sam).items
            #expect(list.count == 2)
            for (one, other) in zip(assignments, list) {
                for name in [
                    "id", "task", "late", "beforeJoined", "openedAt", "doneAt", "returned",
                    "recording", "target",
                ] {
                    #expect(one[name] == other[name], "\(name)")
                }
            }
        }
    }

    @Test(arguments: [
        (Persona.sam, 200), (.sue, 404), (.ben, 404), (.omar, 404), (.tom, 403), (.ada, 403),
        (.exporter, 403), (.samsApp, 403),
    ])
    func `a handout for chosen students is theirs`(persona: Persona, status: Int) async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout(recipients: ["source:sis-sam"])
            #expect(try school.exists(handout))
            #expect(try await school.get(own(handout), as: persona).status == status)
        }
    }

    @Test func `what is not published, was deleted or is another class's is not there`()
        async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            let draft = try await school.handout(publishAt: nil)
            let scheduled = try await school.handout(publishAt: "2999-01-01T00:00:00Z")
            let deleted = try await school.handout()
            #expect(try await school.get(own(deleted), as: .sam).status == 200)
            _ = try await school.delete(school.path(deleted), as: .tom)
            for handout in [draft, scheduled, deleted] {
                #expect(try school.exists(handout))
                #expect(try await school.get(own(handout), as: .sam).status == 404)
            }
            let given = try await school.handout()
            try school.sql(
                "update school.seat set left_at = now() where person_id = \(school.id(.sam))")
            #expect(try await school.get(own(given), as: .sue).status == 200)
            #expect(try await school.get(own(given), as: .sam).status == 404)
            #expect(try await school.get("/v1/me/handouts/nonsense", as: .sam).status == 404)
        }
    }

    @Test func `students read the names of those who teach the class now`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            #expect(
                try await teachers(school, of: handout) == [["Cora", "Tom"], ["Cora", "Tom"]])
            let text = try await school.get(own(handout), as: .sam).text
            #expect(text.contains("Cora") && !text.contains("hillside.example"))
            try school.sql(
                "update school.person set deactivated_at = now() where person_id = \(school.id(.cora))"
            )
            #expect(try await teachers(school, of: handout) == [["Tom"], ["Tom"]])
            try school.sql(
                """
                update school.person set deactivated_at = null where person_id = \(school.id(.cora))
                """)
            try school.sql(
                "update school.seat set left_at = now() where person_id = \(school.id(.tom))")
            #expect(try await teachers(school, of: handout) == [["Cora"], ["Cora"]])
        }
    }

    @Test func `the list is narrowed by class`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            _ = try await school.handout()
            _ = try school.newHandout(in: school.chemistry, by: .tess)
            for (persona, biology, chemistry) in [(Persona.sam, 2, 0), (.ben, 0, 1)] {
                for (name, count) in [("Biology", biology), ("Chemistry", chemistry)] {
                    let answer = try await school.get(
                        "/v1/me/assignments?classId=source:class-\(name)", as: persona)
                    #expect(answer.items.count == count, "\(name) for \(persona)")
                    #expect(answer.items.allSatisfy { $0["handout"]?["className"]?.text == name })
                }
            }
        }
    }

    @Test(arguments: [1, 2, 3, 100])
    func `what is due first comes first, over all pages`(limit: Int) async throws {
        try await withSchool { school in
            for (minutes, title) in [
                (30, "c"), (nil, "never 2"), (-30, "a"), (20, "b"), (nil, "never 1"), (20, "b2"),
            ] as [(Int?, String)] {
                let given = try school.newHandout(
                    dueAt: minutes.map {
                        Timestamp(milliseconds: 1_900_000_000_000 + Int64($0) * 60_000)
                    })
                try school.newTask(
                    of: given.id, in: school.biology, path: ["more"], title: "More", position: 2)
                try school.sql(
                    "update school.handout set title = \(title) where handout_id = \(given.id)")
            }
            var tasks: [String] = []
            var target = "/v1/me/assignments?order=due&limit=\(limit)"
            while true {
                let page = try await school.get(target, as: .sam)
                #expect(page.status == 200)
                tasks += page.items.map {
                    "\($0["handout"]?["title"]?.text ?? "") \($0["task"]?["title"]?.text ?? "")"
                }
                guard let token = page.json["nextPageToken"]?.text else { break }
                let other = try await school.get(
                    "/v1/me/assignments?limit=\(limit)&pageToken=\(token)", as: .sam)
                #expect(other.status == 400)
                target = "/v1/me/assignments?order=due&limit=\(limit)&pageToken=\(token)"
            }
            let titles = ["a", "b2", "b", "c", "never 1", "never 2"]
            #expect(tasks == titles.flatMap { ["\($0) Check", "\($0) More"] })
        }
    }
}
