import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct TaskKinds {
    @Test func `a whole app and a timed app count what the app itself reports`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let answer = try await school.give([
                ["kind": "wholeApp", "bundleId": .text(school.quizzler)],
                ["kind": "timedApp", "bundleId": .text(school.quizzler), "minutes": 20],
            ])
            #expect(answer.status == 201)
            let tasks = answer.json["tasks"]
            #expect(tasks?[0]?["title"] == "Quizzler")
            #expect(tasks?[0]?["minutes"] == nil)
            #expect(tasks?[1]?["minutes"] == 20)
            #expect(try await school.work(at: ["capitals", "europe"]) == 0)
            #expect(try await school.work(at: []) == 1)
            #expect(try school.sql("select from school.activity_assignment").count == 2)
            let assignments = try await school.get("/v1/me/assignments", as: .sam)
            #expect(assignments.items.count == 2)
            for item in assignments.items {
                #expect(item["target"]?["identifierPath"] == [])
                #expect(item["target"]?["universalLinkURL"] == "https://quizzler.example")
                #expect(item["recording"]?["bundleId"]?.text == school.quizzler)
            }
        }
    }

    @Test func `an app without a catalog has the name under which the school bought it`()
        async throws
    {
        try await withSchool { school in
            let task: JSONValue = ["kind": "wholeApp", "bundleId": "org.example.atlas"]
            let unknown = try await school.give([TestSchool.map, task])
            #expect(unknown.status == 422)
            #expect(unknown.pointers == ["/tasks/1/bundleId"])
            let bought = try await school.put(
                "/v1/apps/990011223", as: .ada,
                json: ["name": "Atlas", "productType": "App", "bundleId": "org.example.atlas"])
            #expect(bought.status == 201)
            let known = try await school.give([TestSchool.map, task])
            #expect(known.status == 201)
            #expect(known.json["tasks"]?[1]?["title"] == "Atlas")
        }
    }

    @Test(
        arguments: [
            ["kind": "handIn", "title": "Your essay"],
            ["kind": "exitTicket", "questions": [["text": "How was it?"]]],
            ["kind": "file", "fileId": "0199aaaa-0000-7000-8000-000000000000"],
        ] as [JSONValue])
    func `kinds that cannot be given yet are refused by name`(task: JSONValue) async throws {
        try await withSchool { school in
            let answer = try await school.give([TestSchool.map, task])
            #expect(answer.status == 422)
            #expect(answer.pointers == ["/tasks/1/kind"])
            #expect(answer.json["errors"]?[0]?["code"] == "kind_not_taken_yet")
            #expect(try school.sql("select from school.handout").isEmpty)
        }
    }

    @Test func `minutes range from 1 to 1440, and links are web links`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            for (minutes, status): (JSONValue, Int) in [
                (0, 422), (1, 201), (1440, 201), (1441, 422), (1.5, 422), (nil, 422),
            ] {
                let answer = try await school.give([
                    ["kind": "timedApp", "bundleId": .text(school.quizzler), "minutes": minutes]
                ])
                #expect(answer.status == status, "\(minutes)")
            }
            for (url, status): (JSONValue, Int) in [
                ("https://", 422), ("HTTPS://maps.example", 201), ("javascript:alert(1)", 422),
                ("http://maps.example/a b", 422), ("//maps.example", 422),
            ] {
                let answer = try await school.give([["kind": "link", "url": url, "title": "x"]])
                #expect(answer.status == status, "\(url)")
            }
        }
    }

    @Test func `a published handout has 1 to 20 tasks, and a draft may have none`() async throws {
        try await withSchool { school in
            for (count, status) in [(0, 422), (1, 201), (20, 201), (21, 422)] {
                let answer = try await school.give(Array(repeating: TestSchool.map, count: count))
                #expect(answer.status == status, "\(count)")
                if status == 422 { #expect(answer.pointers == ["/tasks"]) }
            }
            let draft = try await school.give([], publishAt: nil)
            #expect(draft.status == 201)
            let empty = try await school.put(school.path(draft.json, "/publication"), as: .tom)
            #expect(empty.code == "no_tasks")
        }
    }

    @Test func `a task in a new handout has no id yet`() async throws {
        try await withSchool { school in
            let answer = try await school.give([
                [
                    "kind": "link", "url": "https://maps.example", "title": "x",
                    "id": "0199aaaa-0000-7000-8000-000000000000",
                ]
            ])
            #expect(answer.status == 422)
            #expect(answer.pointers == ["/tasks/0/id"])
        }
    }

    @Test func `nothing is marked as recorded for a withdrawn context`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            _ = try await school.give([school.capitals])
            let before = try await school.get("/v1/me/assignments", as: .sam)
            #expect(before.items[0]["recording"]?.isNull == false)
            try school.sql("update school.context set deleted_at = school.moment()")
            let after = try await school.get("/v1/me/assignments", as: .sam)
            #expect(after.items[0]["recording"]?.isNull == true)
            #expect(after.items[0]["task"]?["title"] == "Capitals of Europe")
            #expect(try await school.work() == 1, "it was open during a part of the minute")
        }
    }
}
