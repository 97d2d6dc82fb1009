import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What is marked and how, and where marks go with what they are about.
@Suite struct ChangedMarks {
    @Test func `points are bounded and have two decimal places`() async throws {
        try await withSchool { school in
            let work = try await school.markedWork()
            for (points, status) in [
                (-1, 422), (0, 200), (0.05, 200), (12.345, 422), (19.99, 200), (20, 200),
                (20.01, 422), (1001, 422),
            ] {
                let sent = try await school.put(
                    work.mark + "/draft", as: .tom,
                    json: ["points": .number(try #require(JSONNumber(points)))])
                #expect(sent.status == status, "\(points): \(sent.text)")
                if status == 200 { #expect(sent.json["points"]?.double == points) }
            }
            let sea = try await school.get(work.handout, as: .tom).json["tasks"]?[1]?["id"]?.text
            let unmarked = try await school.put(
                "\(work.student)/tasks/\(sea ?? "")/mark/draft", as: .tom, json: ["points": 1])
            #expect(unmarked.status == 409 && unmarked.code == "not_marked")
            let body: JSONValue = ["marking": ["kind": "points", "maximum": 19.995]]
            #expect(try await school.patch(work.handout, as: .tom, json: body).status == 422)
        }
    }

    @Test func `what a handout says about marking can change, and what was given stays`()
        async throws
    {
        try await withSchool { school in
            let work = try await school.markedWork()
            try await school.give(18, at: work.mark)
            let draft = try await school.put(work.mark + "/draft", as: .tom, json: ["points": 19])
            #expect(draft.status == 200)
            let fewer: JSONValue = ["marking": ["kind": "points", "maximum": 10]]
            let changed = try await school.patch(work.handout, as: .cora, json: fewer)
            #expect(changed.json["marking"] == fewer["marking"])
            #expect(changed.json["tasks"]?[0]?["marking"]?["maximum"] == 2.5)
            #expect(try await school.put(work.mark, as: .tom).code == "mark_unfit")
            let kept = try await school.patch(work.handout, as: .tom, json: ["title": "Towns"])
            #expect(kept.json["marking"] == fewer["marking"])
            let none = try await school.patch(work.handout, as: .tom, json: ["marking": .null])
            #expect(none.json["marking"]?.isNull == true)
            #expect(try await school.put(work.mark, as: .tom).code == "mark_unfit")
            let seen = try await school.get(work.mark, as: .sam).json
            #expect(seen["points"] == 18 && seen["maximum"] == 20)

            let copy = try await school.post(work.handout + "/copy", as: .tom, json: [:])
            #expect(copy.json["tasks"]?[0]?["marking"]?["maximum"] == 2.5)
            let task: JSONValue = [
                "kind": "link", "url": "https://maps.example", "title": "A map",
            ]
            let tasks = try await school.patch(
                work.handout, as: .tom, json: ["tasks": .array([task])])
            #expect(tasks.json["tasks"]?[0]?["id"]?.text == work.task)
            #expect(tasks.json["tasks"]?[0]?["marking"] == nil)
        }
    }

    @Test func `marks are given with a note, to several, or stay drafts`() async throws {
        try await withSchool { school in
            let work = try await school.markedWork()
            #expect(
                try await school.put("/v1/assignments/\(work.task)/done", as: .sam).status == 200)
            let sue = work.handout + "/students/\(school.id(.sue).uuid)/mark"
            for (path, points) in [(work.mark, 20.0), (work.taskMark, 2), (sue, 15)] {
                let body: JSONValue = ["points": .number(try #require(JSONNumber(points)))]
                #expect(try await school.put(path + "/draft", as: .tom, json: body).status == 200)
            }
            let both = JSONValue.array(
                [Persona.sam, .sue].map { .text("\(school.id($0).uuid)") })
            let bare = try await school.post(
                work.handout + "/returns", as: .tom,
                json: ["personIds": both, "note": "Well done."])
            #expect(bare.json["students"] == 1 && bare.json["marks"] == 0)
            #expect(try await school.get(work.mark, as: .sam).status == 404)
            try await school.give(14, at: sue, as: .cora)
            let given = try await school.post(
                work.handout + "/returns", as: .tom,
                json: ["personIds": both, "note": "Well done.", "marks": true])
            #expect(given.json["students"] == 0 && given.json["marks"] == 2)
            #expect(given.json["marksKept"] == 1)
            #expect(try await school.get(work.mark, as: .sam).json["points"] == 20)
            #expect(try await school.get(work.taskMark, as: .sam).json["points"] == 2)
            #expect(try await school.get(sue, as: .sue).json["points"] == 14)
        }
    }

    @Test func `there are no marks for a draft, and they stay as they are in an archived class`()
        async throws
    {
        try await withSchool { school in
            let work = try await school.markedWork()
            let body: JSONValue = ["points": 1]
            let draft = try await school.post(work.handout + "/copy", as: .tom, json: [:])
            let early = school.path(draft.json) + "/students/\(school.id(.sam).uuid)/mark/draft"
            #expect(try await school.put(early, as: .tom, json: body).code == "not_published")
            #expect(try await school.put(early, as: .cora, json: body).status == 404)
            #expect(
                try await school.put(work.mark + "/draft", as: .cora, json: body).status == 200)
            let undone: JSONValue = ["publishAt": .null]
            try await school.give(12, at: work.mark)
            #expect(
                try await school.patch(work.handout, as: .tom, json: undone).code
                    == "already_begun", "somebody was given a mark")
            try school.sql(
                "update school.class set archived_at = now() where class_id = \(school.biology)")
            #expect(try await school.get(work.mark, as: .sam).json["points"] == 12)
            #expect(try await school.delete(work.mark, as: .tom).code == "class_archived")
            #expect(try await school.put(work.mark, as: .cora).code == "class_archived")
        }
    }

    @Test func `the report has marks that were given, as a document and as a table`() async throws {
        try await withSchool { school in
            let work = try await school.markedWork()
            let before = try await school.get(work.handout + "/report", as: .tom).json
            let draft = try await school.put(work.mark + "/draft", as: .cora, json: ["points": 3])
            #expect(draft.status == 200)
            let same = try await school.get(work.handout + "/report", as: .tom).json
            #expect(same["position"] == before["position"], "a draft changes nothing")
            try await school.give(12.5, at: work.mark)
            try await school.give(2, at: work.taskMark)
            let report = try await school.get(work.handout + "/report", as: .tom).json
            #expect(report["position"] != before["position"])
            let cells = (report["tasks"]?.array ?? []).map { task in
                task["students"]?.array?.first {
                    $0["personId"]?.text == "\(school.id(.sam).uuid)"
                }
            }
            #expect(cells.map { $0?["mark"]?["points"]?.double } == [2, nil])
            #expect(cells.map { $0?["handoutMark"]?["points"]?.double } == [12.5, 12.5])
            #expect(cells[0]?["mark"]?["maximum"]?.double == 2.5)
            let table = try await school.send(
                "GET", work.handout + "/report", as: .tom, headers: [("Accept", "text/csv")])
            #expect(table.text.contains("handoutMarkPoints") && table.text.contains(",12.5,20"))
        }
    }

    @Test func `a task that somebody was given a mark for is not removed without being asked`()
        async throws
    {
        try await withSchool { school in
            let work = try await school.markedWork()
            let sea: JSONValue = [
                "tasks": [["kind": "link", "url": "https://seas.example", "title": "A sea"]]
            ]
            let body: JSONValue = ["points": 2]
            #expect(
                try await school.put(work.taskMark + "/draft", as: .tom, json: body).status == 200)
            for _ in 0..<2 {
                let refused = try await school.patch(work.handout, as: .tom, json: sea)
                #expect(refused.code == "task_has_progress")
                _ = try await school.put(work.taskMark, as: .tom)
            }
            let removed = try await school.patch(
                work.handout + "?discardProgress=true", as: .tom, json: sea)
            #expect(removed.status == 200)
            #expect(try await school.get(work.taskMark, as: .sam).status == 404)
        }
    }

    @Test func `marks go with the student, and forget a teacher who is erased`() async throws {
        try await withSchool { school in
            let work = try await school.markedWork()
            try await school.give(12, at: work.mark, as: .cora)
            #expect(
                try await school.put(
                    work.taskMark + "/draft", as: .cora, json: ["points": 1]
                ).status == 200)
            let cora = "/v1/people/\(school.id(.cora).uuid)/erasure"
            #expect(try await school.post(cora, as: .ada).status == 200)
            #expect(try await school.get(work.mark, as: .sam).json["points"] == 12)
            #expect(try school.sql("select from school.mark_draft").isEmpty)
            let sam = "/v1/people/\(school.id(.sam).uuid)/erasure"
            #expect(try await school.post(sam, as: .ada).status == 200)
            #expect(try school.sql("select from school.mark").isEmpty)
        }
    }
}
