import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct GiveHandout {
    @Test func `a handout keeps the titles of its contexts`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            #expect(handout["state"] == "published")
            #expect(handout["recipients"] == "class")
            #expect(handout["tasks"]?[0]?["title"] == "Capitals of Europe")
            #expect(handout["tasks"]?[1]?["kind"] == "link")
            let read = try await school.get(school.path(handout), as: .cora)
            #expect(read.status == 200)
            #expect(read.header("etag") != nil)
            #expect(handout["notes"] == [])
            #expect(read.json["notes"] == nil, "said when it is given")
            for field in ["id", "title", "state", "publishAt", "tasks", "createdAt"] {
                #expect(read.json[field] == handout[field], "\(field)")
            }
        }
    }

    @Test func `a due day means the end of that day at the school`() async throws {
        try await withSchool { school in
            let answer = try await school.post(
                "/v1/handouts", as: .tom,
                json: [
                    "classId": "source:class-Biology", "title": "Read", "dueAt": "2026-07-01",
                ])
            #expect(answer.status == 201)
            #expect(answer.json["dueAt"] == "2026-07-01T21:59:00.000Z")
            #expect(answer.json["state"] == "draft")
        }
    }

    @Test func `the day ends where the class is taught, even when clocks change`() async throws {
        try await withSchool { school in
            try school.sql("update school.location set time_zone = 'America/New_York'")
            for (day, moment) in [
                ("2026-03-07", "2026-03-08T04:59:00.000Z"),
                ("2026-03-08", "2026-03-09T03:59:00.000Z"),
                ("2026-11-01", "2026-11-02T04:59:00.000Z"),
            ] {
                let answer = try await school.post(
                    "/v1/handouts", as: .tom,
                    json: [
                        "classId": "source:class-Biology", "title": "Read", "dueAt": .text(day),
                    ])
                #expect(answer.json["dueAt"]?.text == moment)
                let changed = try await school.patch(
                    school.path(answer.json), as: .tom, json: ["dueAt": .text(day)])
                #expect(changed.json["dueAt"]?.text == moment)
            }
        }
    }

    @Test func `the same key gives once`() async throws {
        try await withSchool { school in
            let body: JSONValue = [
                "classId": "source:class-Biology", "title": "Once",
                "publishAt": "2020-01-01T00:00:00Z",
                "tasks": [TestSchool.map],
            ]
            let key = [("Idempotency-Key", "give-1")]
            let first = try await school.post("/v1/handouts", as: .tom, json: body, headers: key)
            let second = try await school.post("/v1/handouts", as: .tom, json: body, headers: key)
            #expect(first.status == 201)
            #expect(second.json == first.json)
            let other = try await school.post(
                "/v1/handouts", as: .tom,
                json: ["classId": "source:class-Biology", "title": "Twice"], headers: key)
            #expect(other.status == 422)
            let path = school.path(first.json, "/completion")
            let complete = [("Idempotency-Key", "complete-1")]
            let completed = try await school.post(path, as: .tom, headers: complete)
            let again = try await school.post(path, as: .tom, headers: complete)
            #expect(again.json == completed.json)
            #expect(try school.sql("select from school.handout").count == 1)
        }
    }

    @Test func `everything a body refers to must be accessible to the teacher`() async throws {
        try await withSchool { school in
            try school.plantContexts(environment: "development")
            let biology = JSONValue.text(school.biology.uuid.description)
            let task: JSONValue = [
                "kind": "appActivity", "bundleId": .text(school.quizzler),
                "identifierPath": ["capitals", "europe"],
            ]
            let link: JSONValue = ["kind": "link", "url": "ftp://maps.example", "title": "A map"]
            let cases: [(JSONValue, String)] = [
                (["classId": .text(school.chemistry.uuid.description), "title": "x"], "/classId"),
                (["classId": "source:nowhere", "title": "x"], "/classId"),
                (["classId": biology, "title": "x", "tasks": [task]], "/tasks/0/identifierPath"),
                (["classId": biology, "title": "x", "tasks": [link]], "/tasks/0/url"),
                (
                    [
                        "classId": biology, "title": "x",
                        "recipients": ["source:sis-sam", "source:sis-ben"],
                    ],
                    "/recipients/1"
                ),
                (["classId": biology, "title": ""], "/title"),
                (["classId": biology, "title": "x", "colour": "red"], "/colour"),
                (["classId": biology, "title": "x", "tasks": [["kind": "song"]]], "/tasks/0/kind"),
            ]
            for (body, pointer) in cases {
                let answer = try await school.post("/v1/handouts", as: .tom, json: body)
                #expect(answer.status == 422)
                #expect(answer.pointers == [pointer])
            }
        }
    }

    @Test func `a mere container cannot be assigned`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let answer = try await school.post(
                "/v1/handouts", as: .tom,
                json: [
                    "classId": .text(school.biology.uuid.description), "title": "x",
                    "tasks": [
                        [
                            "kind": "appActivity", "bundleId": .text(school.quizzler),
                            "identifierPath": ["capitals"],
                        ]
                    ],
                ])
            #expect(answer.status == 422)
            #expect(answer.json["errors"]?[0]?["code"] == "not_assignable")
        }
    }

    @Test(arguments: [Persona.ada, .petra, .mara, .sam, .provisioner, .exporter, .samsApp])
    func `only teachers give handouts`(persona: Persona) async throws {
        try await withSchool { school in
            let answer = try await school.post(
                "/v1/handouts", as: persona,
                json: ["classId": .text(school.biology.uuid.description), "title": "x"])
            #expect(answer.status == 403)
        }
    }

    @Test func `a class has at most 200 active handouts`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.handout (organization_id, handout_id, class_id, author_id, title, publish_at)
                select \(school.hillside), school.new_id(), \(school.biology), \(school.id(.tom)), 'x',
                       school.moment() + interval '1 hour'
                  from generate_series(1, 200)
                """)
            let answer = try await school.post(
                "/v1/handouts", as: .tom,
                json: [
                    "classId": .text(school.biology.uuid.description), "title": "x",
                    "publishAt": "2020-01-01T00:00:00Z", "tasks": [TestSchool.map],
                ])
            #expect(answer.status == 409)
            #expect(answer.code == "too_many_handouts")
        }
    }
}
