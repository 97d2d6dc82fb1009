import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct EditHandout {
    @Test func `a change touches what it names, and null clears it`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout(publishAt: nil)
            let path = school.path(handout)
            let first = try await school.patch(
                path, as: .tom,
                json: ["title": "Cities", "instructions": "Slowly.", "dueAt": "2026-07-01"])
            #expect(first.status == 200)
            #expect(first.json["title"] == "Cities")
            #expect(first.json["dueAt"] == "2026-07-01T21:59:00.000Z")
            #expect(first.json["tasks"] == handout["tasks"])
            let second = try await school.patch(path, as: .tom, json: ["dueAt": nil])
            #expect(second.json["dueAt"]?.isNull == true)
            #expect(second.json["instructions"] == "Slowly.")
            let whole = try await school.put(
                path, as: .tom,
                json: [
                    "classId": "source:class-Biology", "title": "Towns",
                    "tasks": [TestSchool.map],
                ])
            #expect(whole.json["instructions"]?.isNull == true)
            #expect(whole.json["tasks"]?.array?.count == 1)
            #expect(whole.json["tasks"]?[0]?["id"] == handout["tasks"]?[1]?["id"])
            let untitled = try await school.patch(path, as: .tom, json: ["title": nil])
            #expect(untitled.pointers == ["/title"])
        }
    }

    @Test func `a stale change is refused, and the tag of the last change is good`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            let path = school.path(handout)
            let read = try await school.get(path, as: .cora)
            let tag = try #require(read.header("etag"))
            let changed = try await school.patch(
                path, as: .cora, json: ["title": "Cities"], headers: [("If-Match", tag)])
            #expect(changed.status == 200)
            let stale = try await school.patch(
                path, as: .tom, json: ["title": "Towns"], headers: [("If-Match", tag)])
            #expect(stale.status == 412)
            let tasks: JSONValue = ["tasks": [TestSchool.map]]
            let next = try await school.patch(
                path, as: .tom, json: tasks,
                headers: [("If-Match", try #require(changed.header("etag")))])
            #expect(next.status == 200)
            let after = try await school.get(path, as: .tom)
            #expect(after.header("etag") == next.header("etag"))
            #expect(next.header("etag") != changed.header("etag"))
        }
    }

    @Test func `class, environment and moment of publication stay`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let path = school.path(try await school.handout())
            let chemistry = school.chemistry.uuid.description
            let cases: [(JSONValue, String)] = [
                (["classId": .text(chemistry)], "/classId"),
                (["environment": "development"], "/environment"), (["tasks": []], "/tasks"),
            ]
            for (change, pointer) in cases {
                let answer = try await school.patch(path, as: .tom, json: change)
                #expect(answer.status == 422)
                #expect(answer.pointers == [pointer])
            }
            let later = try await school.patch(
                path, as: .tom, json: ["publishAt": "2999-01-01T00:00:00Z"])
            #expect(later.code == "already_published")
            let same = try await school.patch(
                path, as: .tom, json: ["publishAt": "2020-01-01T00:00:00Z"])
            #expect(same.status == 200, "another past moment is not a change")
        }
    }

    @Test func `a change publishes a draft, and a schedule can be moved and withdrawn`()
        async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            let path = school.path(try await school.handout(publishAt: nil))
            func publishAt(_ moment: JSONValue, _ persona: Persona = .tom) async throws -> Answer {
                try await school.patch(path, as: persona, json: ["publishAt": moment])
            }
            #expect(try await publishAt("2999-01-01T00:00:00Z").json["state"] == "scheduled")
            let moved = try await publishAt("2998-01-01T00:00:00Z", .cora)
            #expect(moved.json["publishAt"] == "2998-01-01T00:00:00.000Z")
            #expect(try await publishAt(nil, .cora).status == 403, "it is Tom's")
            #expect(try await publishAt(nil).json["state"] == "draft")
            #expect(try await publishAt("2999-01-01T00:00:00Z", .cora).status == 404)
            let now = try await publishAt("2020-01-01T00:00:00Z")
            #expect(now.json["state"] == "published")
            #expect(now.json["publishAt"] != "2020-01-01T00:00:00.000Z", "never in the past")
            #expect(now.json["notes"] == [])
        }
    }

    @Test(arguments: [
        (Persona.tess, 404), (.otto, 404), (.sam, 403), (.ada, 403), (.samsApp, 403),
    ])
    func `nobody else changes, copies or archives a handout`(
        persona: Persona, status: Int
    ) async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            let body: JSONValue = [
                "classId": .text(school.biology.uuid.description), "title": "Mine",
                "tasks": [TestSchool.map],
            ]
            let path = school.path(handout)
            let answers = [
                try await school.patch(path, as: persona, json: ["title": "Mine"]),
                try await school.put(path, as: persona, json: body),
                try await school.post(school.path(handout, "/copy"), as: persona),
                try await school.put(school.path(handout, "/archive"), as: persona),
                try await school.delete(school.path(handout, "/archive"), as: persona),
            ]
            #expect(answers.map(\.status) == Array(repeating: status, count: 5))
            let read = try await school.get(path, as: .tom)
            #expect(read.json["title"] == handout["title"], "and it exists")
        }
    }

    @Test func `a completed handout, or one of an archived class, cannot be changed`() async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            _ = try await school.put(school.path(handout, "/completion"), as: .tom)
            let path = school.path(handout)
            let completed = try await school.patch(path, as: .tom, json: ["title": "x"])
            #expect(completed.code == "completed")
            let draft = try await school.handout(publishAt: nil)
            try school.sql("update school.class set archived_at = school.moment()")
            for answer in [
                try await school.patch(school.path(draft), as: .tom, json: ["title": "x"]),
                try await school.put(school.path(draft, "/publication"), as: .tom),
                try await school.post(school.path(draft, "/copy"), as: .tom),
                try await school.put(school.path(handout, "/archive"), as: .tom),
            ] { #expect(answer.code == "class_archived") }
            #expect(try await school.delete(school.path(draft), as: .tom).status == 204)
        }
    }
}
