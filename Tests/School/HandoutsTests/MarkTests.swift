import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

/// What teachers say that a student's work is worth: who reads and writes it.
@Suite struct Marks {
    @Test func `a draft is its author's alone until it is given`() async throws {
        try await withSchool { school in
            let work = try await school.markedWork()
            for path in [work.mark, work.taskMark] {
                let draft = try await school.put(
                    path + "/draft", as: .tom, json: ["points": 1.25])
                #expect(draft.status == 200 && draft.json["points"] == 1.25)
                #expect(try await school.get(path + "/draft", as: .tom).json == draft.json)
                for persona in [Persona.tom, .cora, .sam] {
                    #expect(try await school.get(path, as: persona).status == 404)
                }
                #expect(try await school.get(path + "/draft", as: .cora).status == 404)
                #expect(try await school.get(path + "/draft", as: .sam).status == 403)
            }
            #expect(
                Set(try await school.marks(of: work, as: .tom)) == ["all -/1.25", "task -/1.25"])
            #expect(try await school.marks(of: work, as: .cora).isEmpty)
            for (persona, points) in [(Persona.tom, 1.25), (.cora, nil), (.sam, nil)] {
                let items = try await school.get(work.student + "/marks", as: persona).items
                #expect(items.map { $0["draft"]?["points"]?.double } == [points, points])
            }
            let own = "/v1/me" + work.handout.dropFirst(3)
            #expect(try await school.get(own, as: .sam).json["marks"] == [])

            for path in [work.mark, work.taskMark] {
                let given = try await school.put(path, as: .tom)
                #expect(given.status == 200 && given.json["points"] == 1.25)
                for persona in [Persona.tom, .cora, .sam] {
                    #expect(try await school.get(path, as: persona).json == given.json)
                }
                #expect(try await school.get(path + "/draft", as: .tom).status == 404)
                #expect(try await school.put(path, as: .tom).code == "no_mark_draft")
            }
            #expect(
                Set(try await school.marks(of: work, as: .cora)) == ["all 1.25/-", "task 1.25/-"])
            for persona in [Persona.tom, .cora, .sam] {
                let items = try await school.get(work.student + "/marks", as: persona).items
                #expect(items.map { $0["maximum"]?.double } == [20, 2.5], "not the unmarked task")
                #expect(items.map { $0["mark"]?["points"]?.double } == [1.25, 1.25])
                #expect(items.allSatisfy { $0["draft"]?.isNull == true })
            }
            #expect(try await school.get(work.student + "/marks", as: .sue).status == 404)
            let marks = try await school.get(own, as: .sam).json["marks"]?.array ?? []
            #expect(marks.map { $0["maximum"]?.double } == [20, 2.5])
            #expect(marks.map { $0["taskId"]?.text } == [nil, work.task])
            let sues = try await school.get(own, as: .sue).json
            #expect(sues["marks"] == [], "a classmate has none of it")
        }
    }

    @Test func `a new draft leaves the mark until it is given, and a mark is taken away`()
        async throws
    {
        try await withSchool { school in
            let work = try await school.markedWork()
            try await school.give(12, at: work.mark)
            let draft = try await school.put(
                work.mark + "/draft", as: .tom, json: ["points": 15.5])
            #expect(draft.json["replaces"] == 1)
            #expect(try await school.get(work.mark, as: .sam).json["points"] == 12)
            #expect(try await school.marks(of: work, as: .tom) == ["all 12.0/15.5"])
            #expect(try await school.delete(work.mark + "/draft", as: .tom).status == 204)
            #expect(try await school.put(work.mark, as: .tom).code == "no_mark_draft")
            let second = try await school.give(16, at: work.mark)
            #expect(second["revision"] == 2)
            #expect(try await school.get(work.mark, as: .sam).json["points"] == 16)

            #expect(try await school.delete(work.mark, as: .cora).status == 204)
            for persona in [Persona.sam, .tom] {
                #expect(try await school.get(work.mark, as: persona).status == 404)
            }
            #expect(try await school.delete(work.mark, as: .tom).status == 404)
            #expect(try await school.marks(of: work, as: .tom).isEmpty)
            try await school.give(17, at: work.mark)
            #expect(try await school.get(work.mark, as: .sam).json["points"] == 17)
        }
    }

    @Test func `what a colleague gave meanwhile is not replaced unseen`() async throws {
        try await withSchool { school in
            let work = try await school.markedWork()
            let seen: JSONValue = ["points": 10, "replaces": 0]
            #expect(try await school.put(work.mark + "/draft", as: .tom, json: seen).status == 200)
            try await school.give(18, at: work.mark, as: .cora)
            let late = try await school.put(work.mark, as: .tom)
            #expect(late.status == 409 && late.code == "mark_changed")
            #expect(try await school.get(work.mark, as: .sam).json["points"] == 18)
            #expect(
                try await school.marks(of: work, as: .tom) == ["all 18.0/10.0"], "nothing is lost")
            let now = try await school.get(work.mark, as: .tom)
            let tag = [("If-Match", try #require(now.header("ETag")))]
            try await school.give(19, at: work.mark, as: .cora)
            #expect(try await school.delete(work.mark, as: .tom, headers: tag).status == 412)
            let again: JSONValue = ["points": 10, "replaces": 2]
            #expect(try await school.put(work.mark + "/draft", as: .tom, json: again).status == 200)
            #expect(try await school.put(work.mark, as: .tom, headers: tag).status == 412)
            #expect(try await school.put(work.mark, as: .tom).status == 200)
            #expect(try await school.get(work.mark, as: .sam).json["points"] == 10)
        }
    }

    @Test func `a mark that two teachers give at once is given once`() async throws {
        try await withSchool { school in
            let work = try await school.markedWork()
            let body: JSONValue = ["points": 10]
            #expect(try await school.put(work.mark + "/draft", as: .tom, json: body).status == 200)
            let id = UUID(String(work.handout.suffix(36)))
            let holder = try BlockingConnection(school.ownerURL)
            try holder.execute("begin")
            // As a colleague does whose mark is not committed yet.
            try holder.query(
                """
                insert into school.mark (organization_id, mark_id, handout_id, person_id, author_id, points,
                                         maximum_points, given_at)
                values (\(school.hillside), gen_random_uuid(), \(id), \(school.id(.sam)), \(school.id(.cora)),
                        11, 20, now())
                """)
            async let second = school.put(work.mark, as: .tom)
            try await eventually {
                try school.sql(
                    "select from pg_locks where locktype = 'transactionid' and not granted"
                ).count > 0
            }
            try holder.execute("commit")
            #expect(try await second.code == "mark_changed")
            #expect(try await school.get(work.mark, as: .sam).json["points"] == 11)
        }
    }

    @Test(arguments: [
        (Persona.tess, 404), (.otto, 404), (.sue, 404), (.ben, 404), (.omar, 404), (.ada, 403),
        (.petra, 403), (.mara, 403), (.samsApp, 403), (.exporter, 403), (.provisioner, 403),
    ])
    func `nobody else reads, writes or takes away`(persona: Persona, status: Int) async throws {
        try await withSchool { school in
            let work = try await school.markedWork()
            try await school.give(12, at: work.mark)
            let body: JSONValue = ["points": 20]
            #expect(try await school.put(work.mark + "/draft", as: .tom, json: body).status == 200)
            let writing = persona.roles == [.student] ? 403 : status
            #expect(try await school.get(work.mark, as: persona).status == status)
            #expect(try await school.get(work.mark + "/draft", as: persona).status == writing)
            #expect(
                try await school.put(work.mark + "/draft", as: persona, json: body).status
                    == writing)
            #expect(try await school.delete(work.mark + "/draft", as: persona).status == writing)
            #expect(try await school.put(work.mark, as: persona).status == writing)
            #expect(try await school.delete(work.mark, as: persona).status == writing)
            #expect(try await school.get(work.handout + "/marks", as: persona).status == writing)
            #expect(try await school.marks(of: work, as: .tom) == ["all 12.0/20.0"])
        }
    }

    @Test func `who left the class reads and gives no more, and nobody marks who left`()
        async throws
    {
        try await withSchool { school in
            let work = try await school.markedWork()
            try await school.give(12, at: work.mark, as: .cora)
            let body: JSONValue = ["points": 13]
            for persona in [Persona.cora, .tom] {
                let draft = try await school.put(work.mark + "/draft", as: persona, json: body)
                #expect(draft.status == 200)
            }
            let seats = "/v1/classes/\(school.biology.uuid)"
            let cora = "\(seats)/teachers/\(school.id(.cora).uuid)"
            #expect(try await school.delete(cora, as: .ada).status == 204)
            for path in [work.mark, work.mark + "/draft"] {
                #expect(try await school.get(path, as: .cora).status == 404)
            }
            #expect(try await school.put(work.mark, as: .cora).status == 404)
            #expect(try await school.get(work.mark, as: .sam).json["points"] == 12)
            let sam = "\(seats)/students/\(school.id(.sam).uuid)"
            #expect(try await school.delete(sam, as: .ada).status == 204)
            #expect(try await school.get(work.mark, as: .sam).status == 404)
            #expect(
                try await school.marks(of: work, as: .tom) == ["all 12.0/13.0"],
                "the class keeps it")
            #expect(try await school.put(work.mark, as: .tom).status == 404)
            #expect(
                try await school.put(work.mark + "/draft", as: .tom, json: body).status == 404)
            #expect(try await school.delete(work.mark, as: .tom).status == 204)
        }
    }
}
