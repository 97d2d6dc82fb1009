import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct HandoutLimit {
    @Test func `two publications at once never make more than 200 active handouts`() async throws {
        try await withSchool { school in
            try school.fill(198)
            var drafts: [JSONValue] = []
            for _ in 0..<6 {
                drafts.append(try await school.give([TestSchool.map], publishAt: nil).json)
            }
            let answers = await withTaskGroup(of: Answer?.self) { calls in
                for (number, draft) in drafts.enumerated() {
                    let path = school.path(draft, number % 2 == 0 ? "/publication" : "")
                    calls.addTask {
                        number % 2 == 0
                            ? try? await school.post(path, as: .tom)
                            : try? await school.patch(
                                path, as: .tom, json: ["publishAt": "2999-01-01T00:00:00Z"])
                    }
                }
                for _ in 0..<4 {
                    calls.addTask { try? await school.give([TestSchool.map]) }
                }
                return await calls.reduce(into: [Answer]()) { all, answer in
                    if let answer { all.append(answer) }
                }
            }
            #expect(answers.count == 10)
            #expect(answers.count { $0.status < 300 } == 2)
            let refused = answers.filter { $0.status >= 300 }
            #expect(refused.allSatisfy { $0.code == "too_many_handouts" })
            #expect(try school.activeCount() == 200)
        }
    }

    @Test func `drafts, completed and deleted ones do not count`() async throws {
        try await withSchool { school in
            try school.fill(199)
            #expect(try await school.give([TestSchool.map], publishAt: nil).status == 201)
            let last = try await school.give([TestSchool.map])
            #expect(last.status == 201)
            #expect(try await school.give([TestSchool.map]).code == "too_many_handouts")
            _ = try await school.put(school.path(last.json, "/completion"), as: .tom)
            let next = try await school.give([TestSchool.map], publishAt: "2999-01-01T00:00:00Z")
            #expect(next.status == 201)
            #expect(try await school.give([TestSchool.map]).code == "too_many_handouts")
            _ = try await school.delete(school.path(next.json), as: .tom)
            #expect(try await school.give([TestSchool.map]).status == 201)
        }
    }

    @Test func `two publications of one draft publish it once`() async throws {
        try await withSchool { school in
            let draft = try await school.give([TestSchool.map], publishAt: nil).json
            let path = school.path(draft, "/publication")
            async let first = school.put(path, as: .tom)
            async let second = school.put(path, as: .tom)
            let answers = try await [first, second]
            #expect(answers.map(\.status) == [200, 200])
            #expect(answers[0].json["publishAt"] == answers[1].json["publishAt"])
            #expect(answers[0].header("etag") == answers[1].header("etag"))
        }
    }

    @Test func `one that waited while another published it changes nothing`() async throws {
        try await withSchool { school in
            let draft = try await school.give([TestSchool.map], publishAt: nil).json
            let other = try BlockingConnection(school.ownerURL)
            try other.execute("begin")
            try other.execute("lock table school.handout in exclusive mode")
            async let late = school.put(school.path(draft, "/publication"), as: .tom)
            try await school.untilSomethingWaits()
            try other.execute("update school.handout set publish_at = school.latest_moment()")
            try other.execute("commit")
            let answer = try await late
            #expect(answer.status == 200)
            let version = try school.sql(
                "select max(version)::integer as version from school.handout")
            #expect(try version[0].int("version") == 2, "only the other one has changed it")
        }
    }
}

extension TestSchool {
    /// Gives Biology that many scheduled handouts, bypassing the API.
    fileprivate func fill(_ count: Int) throws {
        try sql(
            """
            insert into school.handout (organization_id, handout_id, class_id, author_id, title, publish_at)
            select \(hillside), school.new_id(), \(biology), \(id(.tom)), 'x',
                   school.moment() + interval '1 hour'
              from generate_series(1, \(count))
            """)
    }

    fileprivate func activeCount() throws -> Int {
        try sql(
            """
            select count(*) as count from school.handout
             where publish_at is not null and completed_at is null and deleted_at is null
            """)[0].int("count")
    }
}
