import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct GivingBack {
    @Test func `the student reads the note, and tries again`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let work = try await school.workOfSam()
            let done = try await school.put("/v1/assignments/\(work.task)/done", as: .sam)
            #expect(done.json["returned"]?.isNull == true)
            let answer = try await school.put(
                work.path, as: .cora,
                json: ["note": "Look at Norway.\nOnce more.", "tryAgain": true])
            #expect(answer.status == 200)
            #expect(answer.json["doneAt"]?.isNull == true)
            #expect(answer.json["note"] == "Look at Norway.\nOnce more.")
            #expect(try await school.get(work.path, as: .tom).json == answer.json)
            let upcoming = try await school.get("/v1/me/assignments?state=upcoming", as: .sam)
            let item = upcoming.items.first { $0["id"]?.text == work.task }
            #expect(item?["returned"]?["note"] == "Look at Norway.\nOnce more.")
            #expect(item?["returned"]?["tryAgain"] == true)
            #expect(item?["returned"]?["at"] == answer.json["returnedAt"])
            let again = try await school.put("/v1/assignments/\(work.task)/done", as: .sam)
            #expect(again.json["doneAt"]?.text != nil)
            #expect(
                try await school.get(work.path, as: .tom).json["doneAt"] == again.json["doneAt"])
        }
    }

    @Test func `giving back without a retry keeps the mark, and can be taken back`()
        async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            let work = try await school.workOfSam()
            #expect(try await school.get(work.path, as: .tom).status == 404)
            #expect(try await school.delete(work.path, as: .tom).status == 404)
            _ = try await school.put("/v1/assignments/\(work.task)/done", as: .sam)
            let first = try await school.put(work.path, as: .tom, json: ["note": "Well done."])
            #expect(first.json["doneAt"]?.text != nil)
            #expect(first.json["tryAgain"] == false)
            let second = try await school.put(work.path, as: .tom, json: [:])
            #expect(second.json["note"]?.isNull == true, "the earlier note is replaced")
            #expect(try await school.delete(work.path, as: .cora).status == 204)
            let seen = try await school.get("/v1/me/assignments?state=completed", as: .sam)
            #expect(seen.items.map { $0["returned"]?.isNull } == [true])
        }
    }

    @Test func `work that was never opened can be given back, and by the student's own id`()
        async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            let work = try await school.workOfSam(called: "source:sis-sam")
            let answer = try await school.put(work.path, as: .tom, json: ["note": "Begin!"])
            #expect(answer.status == 200)
            #expect(answer.json["personId"]?.text == school.id(.sam).uuid.description)
            #expect(answer.json["openedAt"]?.isNull == true)
            for (length, status) in [(0, 422), (1, 200), (4000, 200), (4001, 422)] {
                let note = String(repeating: "ö", count: length)
                let sent = try await school.put(work.path, as: .tom, json: ["note": .text(note)])
                #expect(sent.status == status, "\(length)")
            }
        }
    }

    @Test(arguments: [
        (Persona.tess, 404), (.otto, 404), (.sam, 403), (.ada, 403), (.mara, 403), (.samsApp, 403),
        (.exporter, 403),
    ])
    func `nobody gives back work outside their own classes`(persona: Persona, status: Int)
        async throws
    {
        try await withSchool { school in
            try school.plantContexts()
            let work = try await school.workOfSam()
            _ = try await school.put(work.path, as: .tom, json: ["note": "Mine."])
            #expect(try await school.put(work.path, as: persona, json: [:]).status == status)
            #expect(try await school.get(work.path, as: persona).status == status)
            #expect(try await school.delete(work.path, as: persona).status == status)
            #expect(try await school.get(work.path, as: .tom).json["note"] == "Mine.")
        }
    }

    @Test func `only a student who has the task now is given it back`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let handout = try await school.handout(
                recipients: [.text(school.id(.sam).uuid.description)])
            let other = try await school.handout("Other")
            let task = try #require(handout["tasks"]?[0]?["id"]?.text)
            func give(_ handout: JSONValue, _ person: String) async throws -> Int {
                try await school.put(
                    school.path(handout, "/students/\(person)/tasks/\(task)/return"), as: .tom,
                    json: [:]
                ).status
            }
            #expect(try await give(handout, "source:sis-sue") == 404)
            #expect(try await give(handout, "source:sis-ben") == 404)
            #expect(try await give(handout, "source:sis-tom") == 404)
            #expect(try await give(other, "source:sis-sam") == 404)
            #expect(try await give(handout, "source:sis-sam") == 200)
            try school.sql(
                """
                update school.seat set left_at = school.moment() where person_id = \(school.id(.sam))
                """)
            #expect(try await give(handout, "source:sis-sam") == 404)
        }
    }

    @Test func `completed work can be given back, but not for a retry`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            let draft = try await school.workOfSam(publishAt: nil)
            #expect(try await school.put(draft.path, as: .tom, json: [:]).code == "not_published")
            let work = try await school.workOfSam()
            _ = try await school.put(school.path(work.handout, "/completion"), as: .tom)
            let again = try await school.put(work.path, as: .tom, json: ["tryAgain": true])
            #expect(again.code == "completed")
            #expect(try await school.put(work.path, as: .tom, json: [:]).status == 200)
        }
    }
}

extension TestSchool {
    fileprivate struct Work {
        let handout: JSONValue
        let task: String
        let path: String
    }

    /// A handout of Tom's, and the path for giving its first task back to Sam.
    fileprivate func workOfSam(
        publishAt: JSONValue = "2020-01-01T00:00:00Z", called name: String? = nil
    ) async throws -> Work {
        let handout = try await handout(publishAt: publishAt)
        let task = try #require(handout["tasks"]?[0]?["id"]?.text)
        let person = name ?? id(.sam).uuid.description
        return Work(
            handout: handout, task: task,
            path: path(handout, "/students/\(person)/tasks/\(task)/return"))
    }
}
