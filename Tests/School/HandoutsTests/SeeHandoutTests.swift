import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct SeeHandout {
    @Test(arguments: [
        (Persona.tom, 200), (.cora, 200), (.sam, 200), (.sue, 200), (.tess, 404), (.ben, 404),
        (.otto, 404), (.omar, 404), (.ada, 403), (.petra, 403), (.provisioner, 403),
        (.samsApp, 403),
    ])
    func `a published handout is for its class`(persona: Persona, status: Int) async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            #expect(try school.exists(handout))
            #expect(try await school.get(school.path(handout), as: persona).status == status)
        }
    }

    @Test func `a person who teaches one class and sits in another sees what is given there`()
        async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            try school.sql(
                """
                insert into school.person_role (organization_id, person_id, location_id, role)
                values (\(school.hillside), \(school.id(.tess)), \(school.mainLocation), 'student')
                """)
            // A person whose roles change is signed out.
            try school.sql(
                """
                update school.access_token set revoked_at = null
                 where person_id = \(school.id(.tess))
                """)
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role)
                values (\(school.hillside), \(school.biology), \(school.id(.tess)), 'student')
                """)
            let handout = try await school.handout()
            let draft = try await school.handout(publishAt: nil)
            #expect(try await school.get(school.path(handout), as: .tess).status == 200)
            #expect(try await school.get(school.path(draft), as: .tess).status == 404)
        }
    }

    @Test func `a draft is its author's alone`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let draft = try await school.handout(publishAt: nil)
            #expect(try school.exists(draft))
            #expect(try await school.get(school.path(draft), as: .tom).status == 200)
            for persona in [Persona.cora, .sam] {
                #expect(try await school.get(school.path(draft), as: persona).status == 404)
                #expect(
                    try await school.put(school.path(draft, "/publication"), as: .cora).status
                        == 404)
            }
        }
    }

    @Test func `a scheduled handout is visible to co-teachers, and to students from its moment on`()
        async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout(publishAt: "2999-01-01T00:00:00Z")
            #expect(handout["state"] == "scheduled")
            #expect(try await school.get(school.path(handout), as: .cora).status == 200)
            #expect(try await school.get(school.path(handout), as: .sam).status == 404)
            try school.sql(
                "update school.handout set created_at = now() - interval '2 hours', publish_at = now() - interval '1 hour'"
            )
            #expect(try await school.get(school.path(handout), as: .sam).status == 200)
        }
    }

    @Test func `chosen students see it, and only themselves among the chosen`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let chosen: JSONValue = [.text(school.id(.sam).uuid.description)]
            let handout = try await school.handout(recipients: chosen)
            #expect(handout["recipients"] == chosen)
            let seen = try await school.get(school.path(handout), as: .sam)
            #expect(seen.json["recipients"] == chosen)
            #expect(try await school.get(school.path(handout), as: .sue).status == 404)
        }
    }

    @Test func `a student who joins later gets it, and one who left no longer has it`() async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            #expect(try await school.get(school.path(handout), as: .ben).status == 404)
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role)
                values (\(school.hillside), \(school.biology), \(school.id(.ben)), 'student')
                """)
            #expect(try await school.get(school.path(handout), as: .ben).status == 200)
            try school.sql(
                """
                update school.seat set left_at = school.moment()
                 where class_id = \(school.biology) and person_id = \(school.id(.sam))
                """)
            #expect(try await school.get(school.path(handout), as: .sam).status == 404)
            let assignments = try await school.get("/v1/me/assignments", as: .sam)
            #expect(assignments.items.isEmpty)
        }
    }

    @Test func `the list is filtered by class and state, and comes in pages`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            for number in 1...5 { _ = try await school.handout("Number \(number)") }
            _ = try await school.handout("Draft", publishAt: nil)
            var titles: [JSONValue?] = []
            var target = "/v1/handouts?state=published&limit=2"
            while true {
                let page = try await school.get(target, as: .cora)
                titles += page.items.map { $0["title"] }
                guard let token = page.json["nextPageToken"]?.text else { break }
                target = "/v1/handouts?state=published&limit=2&pageToken=\(token)"
            }
            #expect(titles == [5, 4, 3, 2, 1].map { "Number \($0)" })
            #expect(try await school.get("/v1/handouts", as: .tom).items.count == 6)
            #expect(try await school.get("/v1/handouts", as: .tess).items.isEmpty)
            let chemistry = "/v1/handouts?classId=\(school.chemistry.uuid)"
            #expect(try await school.get(chemistry, as: .tom).items.isEmpty)
            #expect(try await school.get("/v1/handouts?state=lost", as: .tom).status == 400)
        }
    }

    @Test func `the list is filtered by due time and by change`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let early = try await school.handout("Early")
            let late = try await school.handout("Late")
            _ = try await school.handout("At no time")
            _ = try await school.patch(
                school.path(early), as: .tom, json: ["dueAt": "2026-03-01T10:00:00.000Z"])
            let changed = try await school.patch(
                school.path(late), as: .tom, json: ["dueAt": "2026-03-01T10:00:00.001Z"])
            func titles(_ query: String) async throws -> [String?] {
                try await school.get("/v1/handouts?\(query)", as: .cora).items.map {
                    $0["title"]?.text
                }
            }
            #expect(try await titles("dueBefore=2026-03-01T10:00:00.001Z") == ["Early"])
            #expect(try await titles("dueBefore=2026-03-01T10:00:00.002Z") == ["Late", "Early"])
            let moment = try #require(changed.json["updatedAt"]?.text)
            #expect(try await titles("updatedSince=\(moment)") == ["Late"])
            let both = "dueBefore=2027-01-01T00:00:00Z&updatedSince=\(moment)&state=published"
            #expect(try await titles(both) == ["Late"])
        }
    }

    @Test func `handouts of two classes come in one order`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role)
                values (\(school.hillside), \(school.chemistry), \(school.id(.tom)), 'teacher')
                """)
            for number in 1...6 {
                let taught = number % 2 == 0 ? "Biology" : "Chemistry"
                let answer = try await school.post(
                    "/v1/handouts", as: .tom,
                    json: [
                        "classId": .text("source:class-\(taught)"), "title": .text("\(number)"),
                    ])
                #expect(answer.status == 201)
            }
            var titles: [String?] = []
            var target = "/v1/handouts?limit=2"
            while true {
                let page = try await school.get(target, as: .tom)
                titles += page.items.map { $0["title"]?.text }
                guard let token = page.json["nextPageToken"]?.text else { break }
                target = "/v1/handouts?limit=2&pageToken=\(token)"
            }
            #expect(titles == ["6", "5", "4", "3", "2", "1"])
        }
    }
}

@Suite struct ChangeHandout {
    @Test func `a draft is published and completed, and neither happens twice by accident`()
        async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            let draft = try await school.handout(publishAt: nil)
            let early = try await school.put(school.path(draft, "/completion"), as: .tom)
            #expect(early.code == "not_published")
            let published = try await school.put(school.path(draft, "/publication"), as: .tom)
            #expect(published.json["state"] == "published")
            let again = try await school.put(school.path(draft, "/publication"), as: .cora)
            #expect(again.json["publishAt"] == published.json["publishAt"])
            let later = try await school.put(
                school.path(draft, "/publication"), as: .cora,
                json: ["publishAt": "2100-01-01T00:00:00Z"])
            #expect(later.code == "already_published")
            let stale = try await school.post(
                school.path(draft, "/completion"), as: .cora, headers: [("If-Match", "\"1\"")])
            #expect(stale.status == 412)
            let completed = try await school.post(
                school.path(draft, "/completion"), as: .cora,
                headers: [("If-Match", try #require(published.header("etag")))])
            #expect(completed.json["state"] == "completed")
            let repeated = try await school.put(school.path(draft, "/completion"), as: .tom)
            #expect(repeated.json["completedAt"] == completed.json["completedAt"])
        }
    }

    @Test func `a lock pauses and a removal ends, for co-teachers too`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            let locked = try await school.put(school.path(handout, "/lock"), as: .cora)
            #expect(locked.json["state"] == "locked")
            let unlocked = try await school.delete(school.path(handout, "/lock"), as: .tom)
            #expect(unlocked.json["state"] == "published")
            #expect(try await school.delete(school.path(handout), as: .tess).status == 404)
            #expect(try await school.delete(school.path(handout), as: .cora).status == 204)
            #expect(try school.exists(handout), "kept for what refers to it")
            #expect(try await school.get(school.path(handout), as: .tom).status == 404)
            #expect(try await school.get(school.path(handout), as: .sam).status == 404)
        }
    }
}
