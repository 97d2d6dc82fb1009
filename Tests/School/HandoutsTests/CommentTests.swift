import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

/// What a student and the teachers of the class write to each other about a handout.
@Suite struct Comments {
    /// Where Sam and his teachers talk about a handout of Tom's.
    private func talk(_ school: TestSchool) async throws -> (path: String, handout: String) {
        try school.plantContexts()
        let handout = school.path(try await school.handout())
        return ("\(handout)/students/\(school.id(.sam).uuid)/comments", handout)
    }

    @discardableResult
    private func say(
        _ text: String, at path: String, as persona: Persona, _ school: TestSchool
    ) async throws -> String {
        let answer = try await school.post(path, as: persona, json: ["text": .text(text)])
        #expect(answer.status == 201, "\(answer.text)")
        return answer.json["id"]?.text ?? ""
    }

    private func new(_ path: String, _ persona: Persona, _ school: TestSchool) async throws
        -> [String]
    {
        try await school.get(path, as: persona).items.filter { $0["new"] == true }
            .compactMap { $0["text"]?.text }
    }

    @Test func `student and teachers read what each wrote, the oldest first`() async throws {
        try await withSchool { school in
            let (path, _) = try await talk(school)
            try await say("Inside the magnet, too?\nOr not?", at: path, as: .sam, school)
            try await say("Outside is enough.", at: path, as: .cora, school)
            for persona in [Persona.sam, .tom, .cora] {
                let items = try await school.get(path, as: persona).items
                #expect(
                    items.map { $0["text"] } == [
                        "Inside the magnet, too?\nOr not?", "Outside is enough.",
                    ])
                #expect(items.map { $0["by"] } == ["student", "teacher"])
                #expect(items.map { $0["author"]?["givenName"] } == ["Sam", "Cora"])
                #expect(
                    items.map { $0["own"] } == [
                        .bool(persona == .sam), .bool(persona == .cora),
                    ])
            }
            let first = try await school.get(path + "?limit=1", as: .sam)
            let token = try #require(first.json["nextPageToken"]?.text)
            let rest = try await school.get(path + "?limit=1&pageToken=\(token)", as: .sam)
            #expect(rest.items.map { $0["text"] } == ["Outside is enough."])
            #expect(rest.json["nextPageToken"] == nil)
        }
    }

    @Test func `what the other side wrote is new until it is read, and no later word with it`()
        async throws
    {
        try await withSchool { school in
            let (path, _) = try await talk(school)
            let first = try await say("First", at: path, as: .sam, school)
            let second = try await say("Second", at: path, as: .sam, school)
            #expect(try await new(path, .tom, school) == ["First", "Second"])
            #expect(try await new(path, .sam, school).isEmpty, "one's own are not new")
            let seen = path + "/seen"
            let until: JSONValue = ["commentId": .text(first)]
            #expect(try await school.put(seen, as: .tom, json: until).status == 204)
            #expect(try await new(path, .tom, school) == ["Second"])
            #expect(try await new(path, .cora, school) == ["First", "Second"])
            let all: JSONValue = ["commentId": .text(second)]
            #expect(try await school.put(seen, as: .tom, json: all).status == 204)
            #expect(try await school.put(seen, as: .tom, json: until).status == 204)
            #expect(try await new(path, .tom, school).isEmpty, "the mark does not go back")
            try await say("Answer", at: path, as: .tom, school)
            #expect(try await new(path, .sam, school) == ["Answer"])
            #expect(try await new(path, .cora, school) == ["First", "Second"])
        }
    }

    @Test func `lists say how much is new, and today has it until it is read`() async throws {
        try await withSchool { school in
            let (path, handout) = try await talk(school)
            func spoken(_ persona: Persona) async throws -> JSONValue? {
                try await school.get("/v1/me/overview", as: persona).json["toReview"]?[0]
            }
            #expect(try await spoken(.tom) == nil)
            try await say("One", at: path, as: .sam, school)
            let last = try await say("Two", at: path, as: .sam, school)
            #expect(try await spoken(.tom)?["studentsWithNewComments"] == 1)
            #expect(try await spoken(.tom)?["studentsToReview"] == 0)
            #expect(try await spoken(.tom)?["lastCommentAt"]?.text != nil)
            let talks = try await school.get(handout + "/comments", as: .tom).items
            #expect(talks.map { $0["personId"]?.text } == ["\(school.id(.sam).uuid)"])
            #expect(talks[0]["comments"] == 2 && talks[0]["newComments"] == 2)
            let until: JSONValue = ["commentId": .text(last)]
            #expect(try await school.put(path + "/seen", as: .tom, json: until).status == 204)
            #expect(try await spoken(.tom) == nil)
            #expect(try await spoken(.cora)?["studentsWithNewComments"] == 1)
            try await say("Answer", at: path, as: .tom, school)
            func unread(_ persona: Persona) async throws -> [JSONValue?] {
                try await school.get("/v1/me/assignments", as: persona).items
                    .map { $0["handout"]?["newComments"] }
            }
            #expect(try await unread(.sam) == [1, 1])
            #expect(try await unread(.sue) == [0, 0])
            let own = "/v1/me" + handout.dropFirst(3)
            #expect(try await school.get(own, as: .sam).json["newComments"] == 1)
        }
    }

    @Test(arguments: [
        (Persona.tess, 404), (.otto, 404), (.sue, 404), (.ben, 404), (.omar, 404), (.ada, 403),
        (.petra, 403), (.mara, 403), (.samsApp, 403), (.exporter, 403), (.provisioner, 403),
    ])
    func `nobody else reads, writes or removes`(persona: Persona, status: Int) async throws {
        try await withSchool { school in
            let (path, handout) = try await talk(school)
            let id = try await say("Between us", at: path, as: .sam, school)
            #expect(try await school.get(path, as: .tom).items.count == 1)
            let body: JSONValue = ["text": "Mine"]
            let last: JSONValue = ["commentId": .text(id)]
            #expect(try await school.get(path, as: persona).status == status)
            #expect(try await school.post(path, as: persona, json: body).status == status)
            #expect(try await school.put(path + "/seen", as: persona, json: last).status == status)
            #expect(try await school.delete(path + "/\(id)", as: persona).status == status)
            let list = try await school.get(handout + "/comments", as: persona)
            #expect(list.status == (persona.roles == [.student] ? 403 : status))
            #expect(try await school.get(path, as: .tom).items.map { $0["text"] } == ["Between us"])
        }
    }

    @Test func `who left the class reads no more, and nobody writes to who left`() async throws {
        try await withSchool { school in
            let (path, _) = try await talk(school)
            try await say("Before", at: path, as: .cora, school)
            try await say("And back", at: path, as: .sam, school)
            let seats = "/v1/classes/\(school.biology.uuid)"
            let tom = "\(seats)/teachers/\(school.id(.cora).uuid)"
            #expect(try await school.delete(tom, as: .ada).status == 204)
            let body: JSONValue = ["text": "Still there?"]
            #expect(try await school.get(path, as: .cora).status == 404)
            #expect(try await school.post(path, as: .cora, json: body).status == 404)
            let read = try await school.get(path, as: .sam).items
            #expect(read.map { $0["author"]?["givenName"] } == ["Cora", "Sam"])
            let sam = "\(seats)/students/\(school.id(.sam).uuid)"
            #expect(try await school.delete(sam, as: .ada).status == 204)
            #expect(try await school.get(path, as: .sam).status == 404)
            #expect(try await school.post(path, as: .sam, json: body).status == 404)
            #expect(try await school.get(path, as: .tom).items.count == 2, "the class keeps it")
            #expect(try await school.post(path, as: .tom, json: body).status == 404)
        }
    }

    @Test func `its author removes the text, and that something was said stays`() async throws {
        try await withSchool { school in
            let (path, handout) = try await talk(school)
            let rash = try await say("Rash words", at: path, as: .sam, school)
            let mine = try await say("Careful", at: path, as: .tom, school)
            let foreign = try await school.delete("\(path)/\(rash)", as: .tom)
            #expect(
                foreign.status == 403 && foreign.json["detail"]?.text?.contains("author") == true)
            #expect(try await school.delete("\(path)/\(mine)", as: .sam).status == 403)
            #expect(try await school.delete("\(path)/\(mine)", as: .cora).status == 403)
            for _ in 0..<2 {
                #expect(try await school.delete("\(path)/\(rash)", as: .sam).status == 204)
            }
            let items = try await school.get(path, as: .tom).items
            #expect(items.map { $0["text"]?.text } == [nil, "Careful"])
            #expect(items[0]["removedAt"]?.text != nil && items[0]["by"] == "student")
            #expect(items[0]["new"] == false)
            let kept = try school.sql("select from school.comment where text like 'Rash%'")
            #expect(kept.isEmpty, "the text is nowhere any more")
            #expect(try await school.get("/v1/me/overview", as: .tom).json["toReview"] == [])
            #expect(
                try await school.get(handout + "/comments", as: .tom).items[0]["comments"] == 1)
            let other = try await school.delete(
                "\(path)/\(school.id(.sam).uuid)", as: .sam)
            #expect(other.status == 404)
        }
    }

    @Test func `there is no talk about a draft, and none any more in an archived class`()
        async throws
    {
        try await withSchool { school in
            let (path, handout) = try await talk(school)
            let body: JSONValue = ["text": "Well?"]
            let draft =
                school.path(try await school.handout(publishAt: nil))
                + "/students/\(school.id(.sam).uuid)/comments"
            #expect(try await school.get(draft, as: .tom).items.isEmpty)
            #expect(try await school.post(draft, as: .tom, json: body).code == "not_published")
            for persona in [Persona.sam, .cora] {
                #expect(try await school.post(draft, as: persona, json: body).status == 404)
            }
            let id = try await say("Well?", at: path, as: .sam, school)
            #expect(
                try await school.patch(handout, as: .tom, json: ["publishAt": .null]).code
                    == "already_begun", "somebody has written about it")
            #expect(try await school.put(handout + "/lock", as: .tom).status == 200)
            try await say("Locked, and still talked about", at: path, as: .sam, school)
            try school.sql(
                "update school.class set archived_at = now() where class_id = \(school.biology)")
            #expect(try await school.get(path, as: .tom).items.count == 2)
            #expect(try await school.get(path, as: .sam).items.count == 2)
            for persona in [Persona.tom, .sam] {
                let late = try await school.post(path, as: persona, json: body)
                #expect(late.status == 409 && late.code == "class_archived")
            }
            #expect(
                try await school.delete("\(path)/\(id)", as: .sam).code == "class_archived")
        }
    }

    @Test func `progress is no condition, and what is said is bounded`() async throws {
        try await withSchool { school in
            let (path, _) = try await talk(school)
            try school.sql("update school.organization set is_student_progress_enabled = false")
            try await say("Talk is not progress", at: path, as: .sam, school)
            for text in ["", String(repeating: "a", count: 4001)] {
                let refused = try await school.post(path, as: .sam, json: ["text": .text(text)])
                #expect(refused.status == 422)
            }
            let key = [("Idempotency-Key", "say-1")]
            for _ in 0..<2 {
                let once = try await school.post(
                    path, as: .tom, json: ["text": "Once"], headers: key)
                #expect(once.status == 201)
            }
            #expect(try await school.get(path, as: .sam).items.count == 2)
            try school.sql("update school.comment set position = 1000 where text = 'Once'")
            let full = try await school.post(path, as: .sam, json: ["text": "More"])
            #expect(full.status == 409 && full.code == "too_many_comments")
            let stranger: JSONValue = ["commentId": .text("\(school.id(.sam).uuid)")]
            let unknown = try await school.put(path + "/seen", as: .tom, json: stranger)
            #expect(unknown.status == 422)
        }
    }

    @Test func `who writes at the same moment as another comes after`() async throws {
        try await withSchool { school in
            let (path, handout) = try await talk(school)
            let id = UUID(String(handout.suffix(36)))
            let holder = try BlockingConnection(school.ownerURL)
            try holder.execute("begin")
            // As a teacher does whose words are not committed yet.
            try holder.query(
                """
                select pg_advisory_xact_lock(hashtextextended(
                    concat('comments ', \(school.hillside)::uuid, \(id)::uuid, \(school.id(.sam))::uuid), 0))
                """)
            try holder.query(
                """
                insert into school.comment (organization_id, comment_id, handout_id, person_id, author_id,
                                            position, text)
                values (\(school.hillside), gen_random_uuid(), \(id), \(school.id(.sam)), \(school.id(.tom)),
                        1, 'First')
                """)
            async let second = school.post(path, as: .sam, json: ["text": "Second"])
            try await eventually {
                try school.sql(
                    "select from pg_locks where locktype = 'advisory' and not granted"
                ).count > 0
            }
            #expect(try await school.get(path, as: .cora).items.isEmpty)
            try holder.execute("commit")
            #expect(try await second.status == 201)
            #expect(
                try await school.get(path, as: .cora).items.map { $0["text"] }
                    == ["First", "Second"])
        }
    }

    @Test func `the conversation goes with the student, and forgets a teacher who is erased`()
        async throws
    {
        try await withSchool { school in
            let (path, _) = try await talk(school)
            try await say("A question", at: path, as: .sam, school)
            try await say("An answer", at: path, as: .cora, school)
            let cora = "/v1/people/\(school.id(.cora).uuid)/erasure"
            #expect(try await school.post(cora, as: .ada).status == 200)
            let items = try await school.get(path, as: .sam).items
            #expect(items.map { $0["text"] } == ["A question", "An answer"])
            #expect(items[1]["by"] == "teacher" && items[1]["author"]?.isNull == true)
        }
    }
}
