import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct CopyHandout {
    @Test func `a copy is a draft with the same tasks and nothing from the students`() async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout(
                recipients: [.text(school.id(.sam).uuid.description)])
            let task = try #require(handout["tasks"]?[0]?["id"]?.text)
            _ = try await school.put("/v1/assignments/\(task)/done", as: .sam)
            let answer = try await school.post(school.path(handout, "/copy"), as: .cora)
            #expect(answer.status == 201)
            #expect(answer.header("location") == school.path(answer.json))
            let copy = answer.json
            #expect(copy["state"] == "draft")
            #expect(copy["recipients"] == "class")
            #expect(copy["authorId"]?.text == school.id(.cora).uuid.description)
            #expect(copy["dueAt"]?.isNull == true)
            #expect(copy["tasks"]?[0]?["title"] == "Capitals of Europe")
            #expect(copy["tasks"]?[1]?["url"] == "https://maps.example")
            #expect(copy["tasks"]?[0]?["id"] != handout["tasks"]?[0]?["id"])
            #expect(try await school.get(school.path(copy), as: .tom).status == 404)
            let published = try await school.put(school.path(copy, "/publication"), as: .cora)
            #expect(published.status == 200)
            #expect(try school.sql("select from school.assignment").count == 1)
        }
    }

    @Test func `a teacher copies it to their own classes, and to no other`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let path = school.path(try await school.handout(), "/copy")
            let chemistry: JSONValue = ["classId": "source:class-Chemistry", "title": "Again"]
            for body: JSONValue in [chemistry, ["classId": "source:nowhere"]] {
                let answer = try await school.post(path, as: .tom, json: body)
                #expect(answer.status == 422)
                #expect(answer.pointers == ["/classId"])
            }
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role)
                values (\(school.hillside), \(school.chemistry), \(school.id(.tom)), 'teacher')
                """)
            let answer = try await school.post(path, as: .tom, json: chemistry)
            #expect(answer.status == 201)
            #expect(answer.json["classId"]?.text == school.chemistry.uuid.description)
            #expect(answer.json["title"] == "Again")
        }
    }

    @Test func `the same key copies once`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let path = school.path(try await school.handout(), "/copy")
            let key = [("Idempotency-Key", "copy-1")]
            let first = try await school.post(path, as: .tom, headers: key)
            let second = try await school.post(path, as: .tom, headers: key)
            #expect(first.status == 201)
            #expect(second.json == first.json)
            #expect(try school.sql("select from school.handout").count == 2)
        }
    }

    @Test
    func `a completed handout can be archived, and is listed again when it is restored`()
        async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            let path = school.path(handout, "/archive")
            #expect(try await school.put(path, as: .tom).code == "not_completed")
            let completed = try await school.put(school.path(handout, "/completion"), as: .tom)
            let stale = try await school.put(path, as: .tom, headers: [("If-Match", "\"1\"")])
            #expect(stale.status == 412)
            let archived = try await school.put(
                path, as: .cora, headers: [("If-Match", try #require(completed.header("etag")))])
            #expect(archived.json["state"] == "archived")
            #expect(
                try await school.put(path, as: .tom).json["archivedAt"]
                    == archived.json["archivedAt"])
            #expect(try await school.get("/v1/handouts", as: .tom).items.isEmpty)
            let found = try await school.get("/v1/handouts?state=archived", as: .tom)
            #expect(found.items.map { $0["id"] } == [handout["id"]])
            #expect(try await school.get("/v1/me/assignments", as: .sam).items.isEmpty)
            #expect(try await school.get(school.path(handout), as: .sam).status == 200)
            let back = try await school.delete(path, as: .tom)
            #expect(back.json["state"] == "completed")
            #expect(try await school.get("/v1/handouts", as: .tom).items.count == 1)
        }
    }
}
