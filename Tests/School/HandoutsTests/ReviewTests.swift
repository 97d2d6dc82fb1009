import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What a teacher has looked at, and giving back the work of several students at once.
@Suite struct Reviews {
    /// A handout of Tom's, both of whose tasks Sam has done and the first Sue.
    private func work(_ school: TestSchool) async throws -> (path: String, tasks: [String]) {
        try school.plantContexts()
        let handout = try await school.handout()
        let tasks = (handout["tasks"]?.array ?? []).compactMap { $0["id"]?.text }
        for task in tasks {
            #expect(try await school.put("/v1/assignments/\(task)/done", as: .sam).status == 200)
        }
        #expect(try await school.put("/v1/assignments/\(tasks[0])/done", as: .sue).status == 200)
        return (school.path(handout), tasks)
    }

    /// How many students' work a teacher has to review.
    private func toReview(_ school: TestSchool, _ persona: Persona = .tom) async throws -> Int64 {
        let answer = try await school.get("/v1/me/overview", as: persona)
        return answer.json["toReview"]?[0]?["studentsToReview"]?.int64 ?? 0
    }

    @Test func `what was looked at leaves the list of who looked, and comes back with new work`()
        async throws
    {
        try await withSchool { school in
            let work = try await work(school)
            #expect(try await toReview(school) == 2)
            let marked = try await school.put(work.path + "/reviewed", as: .tom)
            #expect(marked.json["students"] == 2)
            #expect(try await toReview(school) == 0)
            #expect(try await toReview(school, .cora) == 2, "a colleague has not looked")
            let repeated = try await school.put(work.path + "/reviewed", as: .tom)
            #expect(repeated.json["students"] == 0)
            try school.setMoment(ahead: .seconds(60))
            #expect(
                try await school.put("/v1/assignments/\(work.tasks[1])/done", as: .sue).status
                    == 200)
            #expect(try await toReview(school) == 1)
        }
    }

    @Test func `what was done after the teacher looked stays to review`() async throws {
        try await withSchool { school in
            let work = try await work(school)
            let seen = try await school.get("/v1/me/overview", as: .tom).json["generatedAt"]
            try school.setMoment(ahead: .seconds(60))
            #expect(
                try await school.put("/v1/assignments/\(work.tasks[1])/done", as: .sue).status
                    == 200)
            let marked = try await school.put(
                work.path + "/reviewed", as: .tom, json: ["until": seen ?? .null])
            #expect(marked.json["students"] == 2)
            #expect(try await toReview(school) == 1)
            try school.setMoment(ahead: .seconds(120))
            let later = try await school.put(
                work.path + "/reviewed", as: .tom, json: ["until": "2100-01-01T00:00:00Z"])
            #expect(later.json["students"] == 1)
            _ = try await school.delete("/v1/assignments/\(work.tasks[1])/done", as: .sue)
            try school.setMoment(ahead: .seconds(180))
            _ = try await school.put("/v1/assignments/\(work.tasks[1])/done", as: .sue)
            #expect(try await toReview(school) == 1, "nobody looks at what is not there yet")
        }
    }

    @Test func `a marking is taken back as it was`() async throws {
        try await withSchool { school in
            let work = try await work(school)
            let sam = JSONValue.array([.text(school.id(.sam).uuid.description)])
            let one = try await school.put(
                work.path + "/reviewed", as: .tom, json: ["personIds": sam])
            #expect(one.json["students"] == 1)
            #expect(try await toReview(school) == 1)
            try school.setMoment(ahead: .seconds(60))
            #expect(try await school.put(work.path + "/reviewed", as: .tom).json["students"] == 1)
            #expect(try await toReview(school) == 0)
            let back = try await school.delete(work.path + "/reviewed", as: .tom)
            #expect(back.json["students"] == 1)
            #expect(try await toReview(school) == 1)
            let marks = try await school.get(work.path + "/reviewed", as: .tom)
            #expect(marks.items.count == 2, "both of his tasks")
            #expect(marks.items.allSatisfy { $0["personId"] == sam[0] })
            let first = try await school.get(work.path + "/reviewed?limit=1", as: .tom)
            let token = try #require(first.json["nextPageToken"]?.text)
            let rest = try await school.get(
                work.path + "/reviewed?limit=1&pageToken=\(token)", as: .tom)
            #expect(first.items + rest.items == marks.items)
            #expect(try await school.get(work.path + "/reviewed", as: .cora).items.isEmpty)
        }
    }

    @Test func `the work of several is returned at once, and nothing twice`() async throws {
        try await withSchool { school in
            let work = try await work(school)
            let both = JSONValue.array(
                [Persona.sam, .sue].map { .text(school.id($0).uuid.description) })
            let answer = try await school.post(
                work.path + "/returns", as: .tom, json: ["personIds": both, "note": "Well done."])
            #expect(answer.json["students"] == 2)
            #expect(try await toReview(school) == 0)
            #expect(try await toReview(school, .cora) == 0, "it was returned for all")
            for (persona, count) in [(Persona.sam, 2), (.sue, 1)] {
                let seen = try await school.get("/v1/me/assignments?state=completed", as: persona)
                #expect(seen.items.count { $0["returned"]?["note"] == "Well done." } == count)
            }
            let again = try await school.post(
                work.path + "/returns", as: .tom, json: ["personIds": both, "tryAgain": true])
            #expect(again.json["students"] == 0, "it was returned before")
        }
    }

    @Test func `who is asked to try again has the task to do once more`() async throws {
        try await withSchool { school in
            let work = try await work(school)
            let answer = try await school.post(
                work.path + "/returns", as: .tom,
                json: [
                    "personIds": [.text(school.id(.sam).uuid.description)],
                    "taskIds": [.text(work.tasks[0])], "tryAgain": true,
                ])
            #expect(answer.json["students"] == 1)
            let upcoming = try await school.get("/v1/me/assignments?state=upcoming", as: .sam)
            #expect(upcoming.items.map { $0["id"]?.text } == [work.tasks[0]])
            #expect(try await toReview(school) == 2, "Sam's other task and Sue's")
        }
    }

    @Test(arguments: [
        (Persona.tess, 404), (.otto, 404), (.sam, 403), (.ada, 403), (.samsApp, 403),
    ])
    func `nobody reviews work outside their own classes`(persona: Persona, status: Int)
        async throws
    {
        try await withSchool { school in
            let work = try await work(school)
            let path = work.path + "/reviewed"
            let who: JSONValue = ["personIds": [.text(school.id(.sam).uuid.description)]]
            #expect(try await school.put(path, as: persona, json: who).status == status)
            #expect(try await school.get(path, as: persona).status == status)
            #expect(try await school.delete(path, as: persona).status == status)
            let returned = try await school.post(work.path + "/returns", as: persona, json: who)
            #expect(returned.status == status)
            #expect(try await toReview(school) == 2)
        }
    }

    @Test func `strangers to a class are marked by nobody`() async throws {
        try await withSchool { school in
            let work = try await work(school)
            let who: JSONValue = ["personIds": [.text(school.id(.tess).uuid.description)]]
            let marked = try await school.put(work.path + "/reviewed", as: .tom, json: who)
            #expect(marked.json["students"] == 0)
            let returned = try await school.post(work.path + "/returns", as: .tom, json: who)
            #expect(returned.json["students"] == 0)
            let draft = school.path(try await school.handout(publishAt: nil))
            #expect(try await school.put(draft + "/reviewed", as: .tom).code == "not_published")
            #expect(
                try await school.post(draft + "/returns", as: .tom, json: who).code
                    == "not_published")
        }
    }
}
