import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct ArrangeTasks {
    @Test func `tasks that are named or equal stay, in the new order`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            let quiz = try #require(handout["tasks"]?[0]?["id"])
            let map = try #require(handout["tasks"]?[1]?["id"])
            let answer = try await school.patch(
                school.path(handout), as: .cora,
                json: [
                    "tasks": [
                        [
                            "kind": "link", "id": map, "url": "https://atlas.example",
                            "title": "An atlas",
                        ],
                        ["kind": "wholeApp", "bundleId": .text(school.quizzler)],
                        school.capitals,
                    ]
                ])
            #expect(answer.status == 200)
            let tasks = try #require(answer.json["tasks"]?.array)
            #expect(tasks[0]["id"] == map)
            #expect(tasks[0]["title"] == "An atlas")
            #expect(tasks[1]["title"] == "Quizzler")
            #expect(tasks[2]["id"] == quiz)
            let again = try await school.patch(
                school.path(handout), as: .tom, json: ["tasks": .array(tasks)])
            #expect(again.json["tasks"]?.array == tasks, "what is read can be sent")
        }
    }

    @Test func `a task keeps what it refers to`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            let other = try await school.handout("Other")
            let quiz = try #require(handout["tasks"]?[0]?["id"])
            let foreign = try #require(other["tasks"]?[1]?["id"])
            let bundle = JSONValue.text(school.quizzler)
            let cases: [(JSONValue, String)] = [
                (
                    ["kind": "appActivity", "id": quiz, "bundleId": bundle, "identifierPath": []],
                    "/tasks/0/identifierPath"
                ),
                (["kind": "wholeApp", "id": quiz, "bundleId": bundle], "/tasks/0/kind"),
                (
                    [
                        "kind": "link", "id": foreign, "url": "https://maps.example",
                        "title": "A map",
                    ], "/tasks/0/id"
                ),
            ]
            for (task, pointer) in cases {
                let answer = try await school.patch(
                    school.path(handout), as: .tom, json: ["tasks": [task]])
                #expect(answer.status == 422)
                #expect(answer.pointers == [pointer])
            }
            let read = try await school.get(school.path(handout), as: .tom)
            #expect(read.json["tasks"] == handout["tasks"])
        }
    }

    @Test func `a task that students have begun is removed only together with their work`()
        async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout()
            let task = try #require(handout["tasks"]?[0]?["id"]?.text)
            #expect(try await school.work() == 1)
            _ = try await school.put("/v1/assignments/\(task)/opened", as: .sam)
            let change: JSONValue = ["title": "Maps", "tasks": [TestSchool.map]]
            let refused = try await school.patch(school.path(handout), as: .tom, json: change)
            #expect(refused.code == "task_has_progress")
            #expect(refused.json["detail"]?.text?.contains("Capitals of Europe") == true)
            #expect(
                try await school.get(school.path(handout), as: .tom).json["title"] == "Capitals")
            let meant = try await school.patch(
                school.path(handout, "?discardProgress=true"), as: .tom, json: change)
            #expect(meant.status == 200)
            #expect(meant.json["tasks"]?.array?.count == 1)
            #expect(try school.sql("select from school.assignment").isEmpty)
            #expect(try school.sql("select from school.activity_assignment").isEmpty)
            let seen = try school.sql(
                "select from school.activity", as: school.caller(.tom))
            #expect(seen.isEmpty)
            let deletions = try school.sql(
                "select subject_id from school.deletion where kind = 'task'")
            #expect(try deletions.map { try $0.uuid("subject_id").description } == [task])
        }
    }

    @Test func `a task that nobody has begun is removed at once, and an added one opens now`()
        async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.give([TestSchool.map]).json
            try school.sql(
                """
                update school.handout set created_at = now() - interval '2 hours',
                       publish_at = now() - interval '1 hour'
                """)
            let answer = try await school.patch(
                school.path(handout), as: .tom, json: ["tasks": [school.capitals]])
            #expect(answer.status == 200)
            try await school.upload([
                school.attempt(
                    at: ["capitals", "europe"], from: school.ago(30), to: school.ago(20))
            ])
            #expect(try school.storedCount() == 0, "before it was added")
            #expect(try await school.work() == 1)
        }
    }

    @Test func `an upload and a concurrent removal leave nothing half done`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            for _ in 0..<8 {
                let handout = try await school.give([TestSchool.map, school.capitals]).json
                let change: JSONValue = ["tasks": [TestSchool.map]]
                async let removal = school.patch(
                    school.path(handout), as: .tom, json: change)
                async let upload = school.upload([
                    school.attempt(
                        at: ["capitals", "europe"], from: school.ago(1), to: .some(nil))
                ])
                let (removed, uploaded) = try await (removal, upload)
                #expect(uploaded.status == 202)
                let task = handout["tasks"]?[1]?["id"]?.text.flatMap { UUID($0) }
                let counted = try school.sql(
                    "select from school.activity_assignment where task_id = \(task)")
                let isCounted = !counted.isEmpty
                #expect(removed.status == (isCounted ? 409 : 200))
                try school.sql("delete from school.activity")
                _ = try await school.delete(school.path(handout), as: .tom)
            }
        }
    }
}
