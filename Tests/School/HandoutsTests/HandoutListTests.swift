import Crypto
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("GET /v1/handouts")
struct HandoutListTests {
    private func due(_ school: TestSchool, _ handout: JSONValue, _ moment: Timestamp) async throws {
        let answer = try await school.patch(
            school.path(handout), as: .tom, json: ["dueAt": .text(moment.description)])
        #expect(answer.status == 200)
    }

    private func markDone(
        _ school: TestSchool, _ handout: JSONValue, _ tasks: Range<Int>, by persona: Persona
    ) async throws {
        for task in tasks {
            let id = handout["tasks"]?[task]?["id"]?.text ?? ""
            let answer = try await school.put("/v1/assignments/\(id)/done", as: persona)
            #expect(answer.status == 200)
        }
    }

    /// The counts of each handout by its title, as "assigned done late overdue".
    private func counts(
        _ school: TestSchool, as persona: Persona = .tom
    ) async throws -> [String: String] {
        let items = try await school.get("/v1/handouts?counts=true", as: persona).items
        return items.reduce(into: [:]) { counts, item in
            let numbers = ["assigned", "done", "late", "overdue"].map {
                item["counts"]?[$0]?.int64.map(String.init) ?? "none"
            }
            counts[item["title"]?.text ?? ""] = numbers.joined(separator: " ")
        }
    }

    @Test func `counts say how many have it, did all of it, and are late`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let past = try await school.handout("Past")
            let future = try await school.handout("Future")
            let sues = try await school.handout("Sue's", recipients: ["source:sis-sue"])
            _ = try await school.handout("Draft", publishAt: nil)
            try await markDone(school, past, 0..<1, by: .sue)
            try await markDone(school, past, 0..<2, by: .sam)
            try await markDone(school, future, 0..<2, by: .sam)
            try await markDone(school, sues, 0..<1, by: .sue)
            try await due(school, past, school.ago(60))
            try await due(school, future, school.ago(-60))
            let expected = ["Past": "2 1 2 1", "Future": "2 1 0 0", "Sue's": "1 0 0 0"]
            #expect(try await counts(school, as: .cora) == expected)
            let own = expected.merging(["Draft": "2 0 0 0"]) { $1 }
            #expect(try await counts(school) == own)
            #expect(try await counts(school, as: .tess).isEmpty)
            let plain = try await school.get("/v1/handouts", as: .tom).items
            #expect(plain.count == 4)
            #expect(plain.allSatisfy { $0["counts"] == nil })
        }
    }

    @Test func `who was done in time is not late afterwards`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout("Past")
            try await markDone(school, handout, 0..<2, by: .sam)
            try await due(school, handout, school.ago(60))
            #expect(try await counts(school) == ["Past": "2 1 2 1"])
            try school.sql("update school.assignment set done_at = now() - interval '2 hours'")
            #expect(try await counts(school) == ["Past": "2 1 1 1"])
        }
    }

    @Test func `counts leave out who left, and what is not published makes nobody late`()
        async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout("Given")
            try await markDone(school, handout, 0..<2, by: .sam)
            let scheduled = try await school.handout(
                "Scheduled", publishAt: "2999-01-01T00:00:00Z")
            try await due(school, scheduled, school.ago(60))
            #expect(try await counts(school) == ["Given": "2 1 0 0", "Scheduled": "2 0 0 0"])
            try school.sql(
                "update school.seat set left_at = now() where person_id = \(school.id(.sam))")
            let marks = try school.sql("select from school.assignment where done_at is not null")
            #expect(marks.count == 2)
            #expect(try await counts(school) == ["Given": "1 0 0 0", "Scheduled": "1 0 0 0"])
        }
    }

    @Test(arguments: [1, 2, 3, 100])
    func `those due first come first, over all classes and pages`(limit: Int) async throws {
        try await withSchool { school in
            try school.plantContexts()
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role)
                values (\(school.hillside), \(school.chemistry), \(school.id(.tom)), 'teacher')
                """)
            for (title, minutes) in [
                ("c", 30), ("never 2", nil), ("a", -30), ("b", 20), ("never 1", nil), ("b2", 20),
            ] as [(String, Int?)] {
                let given = try await school.handout(title)
                let moment = minutes.map {
                    Timestamp(milliseconds: 1_900_000_000_000 + Int64($0) * 60_000)
                }
                try school.sql(
                    """
                    update school.handout set due_at = \(moment)
                     where handout_id = \(given["id"]?.text.flatMap { UUID($0) })
                    """)
            }
            _ = try school.newHandout(
                in: school.chemistry, by: .tess,
                dueAt: Timestamp(milliseconds: 1_900_000_000_000))
            for query in ["order=due", "order=due&counts=true"] {
                var titles: [String?] = []
                var target = "/v1/handouts?\(query)&limit=\(limit)"
                while true {
                    let page = try await school.get(target, as: .tom)
                    titles += page.items.map { $0["title"]?.text }
                    guard let token = page.json["nextPageToken"]?.text else { break }
                    target = "/v1/handouts?\(query)&limit=\(limit)&pageToken=\(token)"
                }
                #expect(titles == ["a", "Cells", "b2", "b", "c", "never 1", "never 2"])
            }
        }
    }

    @Test func `a page token belongs to one order`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            for number in 1...3 { _ = try await school.handout("\(number)") }
            for (order, other) in [("due", "newest"), ("newest", "due")] {
                let list = "/v1/handouts?limit=1&order=\(order)"
                let page = try await school.get(list, as: .tom)
                let token = try #require(page.json["nextPageToken"]?.text)
                #expect(try await school.get("\(list)&pageToken=\(token)", as: .tom).status == 200)
                let foreign = try await school.get(
                    "/v1/handouts?limit=1&order=\(other)&pageToken=\(token)", as: .tom)
                #expect(foreign.status == 400)
                let bytes = try #require(Base64.decodeURL(token))
                var parts = try JSONValue(parsing: bytes).array ?? []
                if order == "due" { parts[2] = "soon" } else { parts.append("") }
                let forged = Base64.encodeURL(JSONValue.array(parts).bytes)
                #expect(try await school.get("\(list)&pageToken=\(forged)", as: .tom).status == 400)
            }
            #expect(try await school.get("/v1/handouts?order=title", as: .tom).status == 400)
        }
    }
}
