import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("GET /v1/me/news")
struct NewsTests {
    private static let list = "/v1/me/news"
    private static let seen = "/v1/me/news/seen"

    /// What is new for a persona, such as `finished Cells 2`, the newest first.
    private func news(
        _ school: TestSchool, as persona: Persona = .tom, _ query: String = ""
    ) async throws -> [String] {
        let answer = try await school.get(Self.list + query, as: persona)
        #expect(answer.status == 200)
        return answer.items.map(line)
    }

    private func line(_ item: JSONValue) -> String {
        [
            item["kind"]?.text, item["handoutTitle"]?.text, item["excerpt"]?.text,
            item["author"]?["givenName"]?.text,
            item["studentCount"]?.int64.map { "\($0)" },
            (item["students"]?.array ?? []).compactMap { $0["givenName"]?.text }
                .joined(separator: " "),
        ].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
    }

    private func unseen(_ school: TestSchool, as persona: Persona = .tom) async throws -> Int64? {
        try await school.get(Self.seen, as: persona).json["unseenCount"]?.int64
    }

    private func markDone(
        _ school: TestSchool, _ handout: GivenHandout, by persona: Persona,
        at moment: Timestamp? = nil
    ) async throws {
        let path = "/v1/assignments/\(handout.task.uuid)/done"
        #expect(try await school.put(path, as: persona).status == 200)
        try school.sql(
            """
            update school.assignment set done_at = coalesce(\(moment), done_at)
             where task_id = \(handout.task) and person_id = \(school.id(persona))
            """)
    }

    /// An old handout in Biology by Tom, so that its publication is no news.
    private func oldHandout(
        _ school: TestSchool, in classID: ClassID = TestIDs.biology, by author: Persona = .tom
    ) throws -> GivenHandout {
        try school.newHandout(in: classID, by: author, publishedAt: school.ago(60 * 24 * 31))
    }

    @Test func `students who finish a handout are one item, until everyone has`() async throws {
        try await withSchool { school in
            let handout = try oldHandout(school)
            #expect(try await news(school).isEmpty)
            try await markDone(school, handout, by: .sam)
            #expect(try await news(school) == ["finished Cells 1"])
            #expect(try await news(school, as: .cora) == ["finished Cells 1"])
            try await markDone(school, handout, by: .sue)
            #expect(try await news(school) == ["allFinished Cells 2"])
            try await markDone(school, handout, by: .sam, at: school.ago(60 * 24 * 3))
            #expect(try await news(school) == ["allFinished Cells 2", "finished Cells 1"])
            try await markDone(school, handout, by: .sam, at: school.ago(60 * 24 * 31))
            #expect(try await news(school) == ["allFinished Cells 2"])
            try await markDone(school, handout, by: .sue, at: school.ago(60 * 24 * 31))
            #expect(try await news(school).isEmpty)
        }
    }

    @Test func `a handout with a task to do is not finished`() async throws {
        try await withSchool { school in
            let handout = try oldHandout(school)
            let second = try school.newTask(
                of: handout.id, in: TestIDs.biology, path: ["unit-2"], position: 2)
            try await markDone(school, handout, by: .sam)
            #expect(try await news(school).isEmpty)
            let path = "/v1/assignments/\(second.uuid)/done"
            #expect(try await school.put(path, as: .sam).status == 200)
            #expect(try await news(school) == ["finished Cells 1"])
        }
    }

    @Test func `what was returned to try again, and done again, says so`() async throws {
        try await withSchool { school in
            let handout = try oldHandout(school)
            try await markDone(school, handout, by: .sam)
            let path =
                "/v1/handouts/\(handout.id.uuid)/students/source:sis-sam/tasks/\(handout.task.uuid)/return"
            let returned = try await school.put(path, as: .tom, json: ["tryAgain": true])
            #expect(returned.status == 200)
            #expect(try await news(school).isEmpty)
            try await markDone(school, handout, by: .sam)
            #expect(try await news(school) == ["doneAgain Cells 1"])
        }
    }

    @Test func `colleagues' handouts and scheduled ones are new when they are out`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(by: .cora)
            #expect(try await news(school) == ["posted Cells Cora"])
            #expect(try await news(school, as: .cora).isEmpty)
            try school.sql(
                "update school.handout set publish_at = now() + interval '1 hour' where handout_id = \(handout.id)"
            )
            #expect(try await news(school).isEmpty)
            // An hour later.
            try school.sql(
                "alter table school.handout disable trigger note_schedule_again")
            try school.sql(
                "update school.handout set publish_at = now() where handout_id = \(handout.id)")
            #expect(try await news(school) == ["scheduledPosted Cells Cora"])
            #expect(try await news(school, as: .cora) == ["scheduledPosted Cells Cora"])
            try school.sql("update school.handout set publish_at = null")
            #expect(try await news(school).isEmpty)
        }
    }

    @Test func `a handout that is published by hand after all was not scheduled`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try school.sql(
                "update school.handout set publish_at = now() + interval '1 hour'")
            let published = try await school.post(
                "/v1/handouts/\(handout.id.uuid)/publication", as: .tom)
            #expect(published.json["state"] == "published")
            #expect(try await news(school).isEmpty)
            #expect(try await news(school, as: .cora) == ["posted Cells Tom"])
        }
    }

    @Test func `students who join and leave are news of their class`() async throws {
        try await withSchool { school in
            let path = "/v1/classes/\(TestIDs.biology.uuid)/students/source:sis-ben"
            let joined = try await school.put(path, as: .ada)
            #expect(joined.status == 201)
            #expect(try await news(school) == ["joined 1 Ben"])
            #expect(try await news(school, as: .tess).isEmpty)
            #expect(try await school.delete(path, as: .ada).status == 204)
            #expect(try await news(school) == ["left 1 Ben"])
            #expect(try await school.put(path, as: .ada).status == 201)
            #expect(try await news(school) == ["joined 1 Ben"])
        }
    }

    @Test func `colleagues' announcements are news`() async throws {
        try await withSchool { school in
            let posted = try await school.post(
                "/v1/announcements", as: .cora,
                json: [
                    "classId": .text(TestIDs.biology.uuid.description), "text": "Bring an atlas.",
                ])
            #expect(posted.status == 201)
            #expect(try await news(school) == ["announcement Bring an atlas. Cora"])
            #expect(try await news(school, as: .cora).isEmpty)
            #expect(try await news(school, as: .tess).isEmpty)
        }
    }

    private static let ends: [Statement] = [
        "update school.handout set publish_at = null",
        "update school.handout set publish_at = now() + interval '1 day'",
        "update school.handout set deleted_at = now()",
        "update school.handout set completed_at = now(), archived_at = now()",
        "update school.handout set environment = 'development'",
        "update school.class set archived_at = now()",
        "update school.seat set left_at = now() where role = 'teacher'",
    ]

    @Test(arguments: ends.indices)
    func `what a teacher may not see any more is no news`(index: Int) async throws {
        try await withSchool { school in
            let handout = try school.newHandout(by: .cora)
            try await markDone(school, handout, by: .sam)
            #expect(try await news(school) == ["finished Cells 1", "posted Cells Cora"])
            #expect(try await unseen(school) == 2)
            try school.sql(Self.ends[index])
            #expect(try await news(school).isEmpty)
            #expect(try await unseen(school) == 0)
        }
    }

    @Test func `students to whom it is not given, or who left, do not count`() async throws {
        try await withSchool { school in
            let handout = try oldHandout(school)
            try await markDone(school, handout, by: .sam)
            try await markDone(school, handout, by: .sue)
            #expect(try await news(school) == ["allFinished Cells 2"])
            try school.sql(
                """
                update school.seat set left_at = now() - interval '31 days', joined_at = now() - interval '32 days'
                 where person_id = \(school.id(.sue))
                """)
            #expect(try await news(school) == ["allFinished Cells 1"])
            try school.sql(
                "update school.handout set recipients = 'chosen' where handout_id = \(handout.id)")
            #expect(try await news(school).isEmpty)
        }
    }

    @Test func `who does not teach gets no news, and colleagues elsewhere none of these`()
        async throws
    {
        try await withSchool { school in
            let handout = try oldHandout(school)
            try await markDone(school, handout, by: .sam)
            #expect(try await news(school) == ["finished Cells 1"])
            #expect(try await news(school, as: .tess).isEmpty)
            #expect(try await news(school, as: .otto).isEmpty)
            for persona in [Persona.ada, .petra, .mara, .sam, .exporter, .samsApp, .tomsApp] {
                #expect(try await school.get(Self.list, as: persona).status == 403)
                #expect(try await school.get(Self.seen, as: persona).status == 403)
                let put = try await school.put(
                    Self.seen, as: persona, json: ["position": "2026-01-01T00:00:00.000Z"])
                #expect(put.status == 403)
            }
        }
    }

    @Test func `two devices agree on what was seen, and it never goes back`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(by: .cora)
            try await markDone(school, handout, by: .sam)
            #expect(try await unseen(school) == 2)
            let items = try await school.get(Self.list, as: .tom).items
            #expect(items.map { $0["unseen"]?.bool } == [true, true])
            for (item, left) in [(items[1], 1), (items[0], 0), (items[1], 0)] {
                let answer = try await school.put(
                    Self.seen, as: .tom, json: ["position": item["at"] ?? .null])
                #expect(answer.status == 200)
                #expect(answer.json["unseenCount"]?.int64 == Int64(left))
            }
            let again = try await school.get(Self.list, as: .tom).items
            #expect(again.map { $0["unseen"]?.bool } == [false, false])
            #expect(try await unseen(school, as: .cora) == 1)
            let future = try await school.put(
                Self.seen, as: .tom, json: ["position": .text(school.ago(-600).description)])
            #expect(future.status == 200)
            try await markDone(school, handout, by: .sue)
            #expect(try await unseen(school) == 1)
        }
    }

    @Test func `pages go on where the last one ended, and begin after a moment`() async throws {
        try await withSchool { school in
            for minutes in 1...5 {
                _ = try school.newHandout(by: .cora, publishedAt: school.ago(minutes))
            }
            let all = try await school.get(Self.list, as: .tom).items
            #expect(all.count == 5)
            var found: [JSONValue] = []
            var target = Self.list + "?limit=2"
            while true {
                let page = try await school.get(target, as: .tom)
                found += page.items
                guard let token = page.json["nextPageToken"]?.text else { break }
                target = Self.list + "?limit=2&pageToken=\(token)"
            }
            #expect(found == all)
            let later = try await news(school, "?after=\(all[2]["at"]?.text ?? "")")
            #expect(later.count == 2)
            let foreign = try await school.get(
                Self.list + "?after=\(school.ago(9).description)&pageToken="
                    + (target.split(separator: "=").last.map(String.init) ?? ""), as: .tom)
            #expect(foreign.status == 400)
        }
    }
}
