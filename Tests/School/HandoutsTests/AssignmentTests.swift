import Crypto
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct Assignments {
    @Test func `a student sees what is recorded, since when, and where to go`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            let answer = try await school.get("/v1/me/assignments", as: .sam)
            #expect(answer.items.count == 2)
            let quiz = answer.items.first { $0["task"]?["kind"] == "appActivity" }
            #expect(quiz?["recording"]?["bundleId"]?.text == school.quizzler)
            #expect(quiz?["recording"]?["since"] == handout["publishAt"])
            #expect(quiz?["target"]?["universalLinkURL"] == "https://quizzler.example")
            let link = answer.items.first { $0["task"]?["kind"] == "link" }
            #expect(link?["recording"]?.isNull == true)
            #expect(try await school.get("/v1/me/assignments", as: .ben).items.isEmpty)
        }
    }

    @Test func `a student who leaves on a future day has the assignment until then`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            _ = try await school.handout()
            for (leaves, count) in [("1 day", 2), ("-1 day", 0)] {
                try school.sql(
                    """
                    update school.seat set joined_at = now() - interval '2 days',
                           left_at = now() + \(leaves)::text::interval
                     where person_id = \(school.id(.sam)) and class_id = \(school.biology)
                    """)
                let answer = try await school.get("/v1/me/assignments", as: .sam)
                #expect(answer.items.count == count, "leaves in \(leaves)")
            }
        }
    }

    @Test func `nothing is marked as recorded while progress is off`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            _ = try await school.handout()
            try school.sql("update school.organization set is_student_progress_enabled = false")
            let answer = try await school.get("/v1/me/assignments", as: .sam)
            #expect(answer.items.count == 2)
            #expect(answer.items.allSatisfy { $0["recording"]?.isNull == true })
        }
    }

    @Test func `opened and done are noted once, and can be taken back`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            let id = try #require(handout["tasks"]?[0]?["id"]?.text)
            let opened = try await school.put("/v1/assignments/\(id)/opened", as: .sam)
            #expect(opened.json["openedAt"]?.text != nil)
            let done = try await school.put("/v1/assignments/\(id)/done", as: .sam)
            let again = try await school.put("/v1/assignments/\(id)/done", as: .sam)
            #expect(again.json["doneAt"] == done.json["doneAt"])
            let completed = try await school.get("/v1/me/assignments?state=completed", as: .sam)
            #expect(completed.items.map { $0["id"]?.text } == [id])
            let upcoming = try await school.get("/v1/me/assignments?state=upcoming", as: .sam)
            #expect(upcoming.items.count == 1)
            let undone = try await school.delete("/v1/assignments/\(id)/done", as: .sam)
            #expect(undone.json["doneAt"]?.isNull == true)
            #expect(undone.json["openedAt"] == opened.json["openedAt"])
        }
    }

    @Test func `who works on it in the app has opened it, and says so everywhere`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            let task = handout.task.uuid.description
            let own = {
                try await school.get("/v1/me/assignments", as: .sam).items
                    .first { $0["id"]?.text == task }?["openedAt"]
            }
            let reported = {
                try await school.get("/v1/handouts/\(handout.id.uuid)/report", as: .tom)
                    .json["tasks"]?[0]?["students"]?.array?
                    .first { $0["givenName"] == "Sam" }?["openedAt"]
            }
            #expect(try await own()?.isNull == true)
            #expect(try await reported()?.isNull == true)

            let began = school.ago(10)
            for (start, end) in [(school.ago(3), 2), (began, 9), (school.ago(5), 4)] {
                try await school.upload([school.attempt(from: start, to: .some(school.ago(end)))])
            }
            let moment = JSONValue.text(began.description)
            #expect(try await own() == moment)
            #expect(try await reported() == moment)
            let attempts = try await school.get(
                "/v1/handouts/\(handout.id.uuid)/students/\(school.id(.sam).uuid)", as: .tom)
            #expect(attempts.json["tasks"]?[0]?["openedAt"] == moment)
            let classes = try await school.get(
                "/v1/classes/\(school.biology.uuid)/report", as: .tom)
            #expect(classes.json["handouts"]?[0]?["tasks"]?[0]?["studentsOpened"] == 1)

            // Opening it in the list later says nothing new; without the work it is as if nobody had looked.
            _ = try await school.put("/v1/assignments/\(task)/opened", as: .sam)
            #expect(try await own() == moment)
            _ = try await school.delete("/v1/assignments/\(task)/opened", as: .sam)
            try school.sql("delete from school.activity")
            #expect(try await own()?.isNull == true)
        }
    }

    @Test func `nobody notes anything on somebody else's assignments`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            let id = try #require(handout["tasks"]?[0]?["id"]?.text)
            #expect(try await school.put("/v1/assignments/\(id)/done", as: .ben).status == 404)
            #expect(try await school.put("/v1/assignments/\(id)/done", as: .omar).status == 404)
            #expect(try await school.put("/v1/assignments/\(id)/done", as: .tom).status == 403)
            #expect(try await school.put("/v1/assignments/nonsense/done", as: .sam).status == 404)
        }
    }

    @Test func `a locked or completed handout accepts no work`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            let id = try #require(handout["tasks"]?[0]?["id"]?.text)
            _ = try await school.put(school.path(handout, "/lock"), as: .tom)
            let locked = try await school.put("/v1/assignments/\(id)/done", as: .sam)
            #expect(locked.code == "locked")
            _ = try await school.put(school.path(handout, "/completion"), as: .tom)
            let completed = try await school.put("/v1/assignments/\(id)/done", as: .sam)
            #expect(completed.code == "completed")
            #expect(try await school.put("/v1/assignments/\(id)/opened", as: .sam).status == 200)
        }
    }

    @Test func `pages follow each other without a gap`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            for number in 1...3 { _ = try await school.handout("Number \(number)") }
            var ids: [String?] = []
            var target = "/v1/me/assignments?limit=1"
            while true {
                let page = try await school.get(target, as: .sam)
                ids += page.items.map { $0["id"]?.text }
                guard let token = page.json["nextPageToken"]?.text else { break }
                target = "/v1/me/assignments?limit=1&pageToken=\(token)"
            }
            #expect(ids.count == 6)
            #expect(Set(ids).count == 6)
        }
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "0", "21", "x"])
    func `a page token for a position that no task has is refused`(position: String) async throws {
        try await withSchool { school in
            try school.plantContexts()
            for number in 1...2 { _ = try await school.handout("Number \(number)") }
            let list = "/v1/me/assignments?limit=1"
            let page = try await school.get(list, as: .sam)
            let token = try #require(page.json["nextPageToken"]?.text)
            #expect(try await school.get("\(list)&pageToken=\(token)", as: .sam).status == 200)
            let bytes = try #require(Base64.decodeURL(token))
            var parts = try JSONValue(parsing: bytes).array ?? []
            parts[parts.count - 1] = .text(position)
            let forged = Base64.encodeURL(JSONValue.array(parts).bytes)
            let answer = try await school.get("\(list)&pageToken=\(forged)", as: .sam)
            #expect(answer.status == 400)
        }
    }
}
