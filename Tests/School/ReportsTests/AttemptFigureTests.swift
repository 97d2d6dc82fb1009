import Crypto
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("What the attempts of a student at a task come to")
struct AttemptFigureTests {
    /// As they are kept, and as they are counted afresh.
    private func check(_ school: TestSchool, count: Int, at line: Int = #line) throws {
        let rows = try school.sql(
            """
            select s.attempts = f.attempts and s.progress_sum = f.progress_sum
                       and s.progress_count = f.progress_count and s.duration_sum = f.duration_sum
                       and s.latest = f.latest_activity_id as agrees
              from (select task_id, person_id, count(*) as attempts,
                           coalesce(sum(progress::numeric), 0) as progress_sum,
                           count(progress) as progress_count, sum(duration_seconds::numeric) as duration_sum,
                           (array_agg(activity_id order by started_at desc, activity_id desc))[1] as latest
                      from school.activity_assignment group by task_id, person_id) as s
              full join school.assignment_figures as f using (task_id, person_id)
            """)
        #expect(rows.count == count, "line \(line)")
        #expect(try rows.allSatisfy { try $0.bool("agrees") }, "line \(line)")
        let differing = try school.sql(
            "select id from school.check_progress_differs(\(school.hillside), null) as f (id)")
        #expect(differing.isEmpty, "line \(line)")
    }

    @Test func `are kept up to date whatever is added, changed or removed`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(publishedAt: school.ago(600))
            let second = try school.newTask(
                of: handout.id, in: school.biology, path: ["second"], position: 2,
                at: school.ago(600))
            let ids = (0..<6).map { _ in UUID.v7() }
            func part(_ id: Int, _ minutes: Int, _ progress: Double) -> JSONValue {
                school.attempt(
                    ids[id], from: school.ago(minutes), to: .some(school.ago(minutes - 5)),
                    seconds: 0.1 * Double(id + 1), ranges: progress > 0 ? [[0, progress]] : [],
                    primary: Item.score(Double(id), of: 7), modified: school.ago(minutes - 5))
            }
            try await school.upload([part(0, 300, 0.1), part(1, 200, 0.7), part(2, 250, 0)])
            try check(school, count: 1)
            // One changes, one begins earlier than it said, one arrives that is the latest by now.
            try await school.upload([part(1, 290, 0.9), part(2, 240, 0.3), part(3, 150, 0.2)])
            try check(school, count: 1)
            try await school.upload([part(0, 310, 0.3), part(4, 160, 0.5)], as: .suesApp)
            try await school.upload([school.result(100, at: ["second"])])
            try check(school, count: 3)
            try school.sql("delete from school.activity where activity_id = \(ids[3])")
            try check(school, count: 3)
            let tom = school.caller(.tom)
            let left = try school.sql(
                "select school.remove_tasks(\(handout.id), \([second.uuid]), true)::text[] as titles",
                as: tom)
            #expect(try left[0].textArray("titles") == [])
            try check(school, count: 2)
            try school.sql(
                "select school.delete_activities(\(school.hillside), \(school.id(.sue)))")
            try check(school, count: 1)
            _ = try await school.post(
                "/v1/people/\(school.id(.sam).uuid)/erasure", as: .ada)
            try check(school, count: 0)
        }
    }

    @Test func `of two that began together the greater id is the latest, everywhere`() async throws
    {
        for turn in 0...1 {
            try await withSchool { school in
                let handout = try school.newHandout()
                let ids = [UUID.v7(), UUID.v7()].sorted { $0.description < $1.description }
                let start = school.ago(50)
                func after(_ seconds: Int64) -> Timestamp {
                    Timestamp(milliseconds: start.milliseconds + seconds * 1000)
                }
                let parts = ids.enumerated().map { index, id in
                    school.attempt(
                        id, from: start, to: .some(after(5)),
                        ranges: [[0, index == 1 ? 0.8 : 0.3]],
                        primary: Item.quantity(index == 1 ? 8 : 3))
                }
                try await school.upload([parts[turn]])
                try await school.upload([parts[1 - turn]])
                // Changed figures are compared again.
                let again = school.attempt(
                    ids[turn], from: start, to: .some(after(8)), ranges: [],
                    primary: Item.quantity(turn == 1 ? 8 : 3))
                try await school.upload([again])
                let report = try await school.report(handout).json
                #expect(report.cell(of: .sam)["progress"] == 0.8)
                #expect(report.cell(of: .sam)["primaryItem"]?["quantity"] == 8)
                #expect(report.average()["quantity"] == 8)
                #expect(agree(report.average()["progress"], 0.55))
                let page = try await school.get(
                    "/v1/handouts/\(handout.id.uuid)/students/\(school.id(.sam).uuid)", as: .tom)
                let attempts = page.json["tasks"]?[0]?["attempts"]?.array ?? []
                #expect(attempts.map { $0["isFinal"] } == [true, false])
                #expect(attempts.last?["activityId"]?.text == ids[1].description)
                let items = try await school.get(
                    "/v1/handouts/\(handout.id.uuid)/tasks/\(handout.task.uuid)/items", as: .tom)
                #expect(items.json["items"]?[0]?["classAverage"]?["quantity"] == 8)
                let own = try await school.get("/v1/me/report", as: .sam)
                #expect(own.json["handouts"]?[0]?["tasks"]?[0]?["progress"] == 0.8)
            }
        }
    }

    @Test func `an earlier one that arrives later is not the latest, whatever its id`() async throws
    {
        for turn in 0...1 {
            try await withSchool { school in
                let handout = try school.newHandout()
                let ids = [UUID.v7(), UUID.v7()].sorted { $0.description < $1.description }
                for (id, minutes, progress) in [(ids[turn], 30, 0.8), (ids[1 - turn], 60, 0.3)] {
                    try await school.upload([
                        school.attempt(
                            id, from: school.ago(minutes), to: .some(school.ago(minutes - 5)),
                            ranges: [[0, progress]], modified: school.ago(minutes - 5))
                    ])
                }
                let report = try await school.report(handout).json
                #expect(report.cell(of: .sam)["attempts"] == 2)
                #expect(report.cell(of: .sam)["progress"] == 0.8)
                try check(school, count: 1)
            }
        }
    }

    /// Attempts inserted by statement, as many as allowed.
    private func fill(_ school: TestSchool, _ handout: GivenHandout, _ count: Int) throws {
        try school.sql(
            """
            insert into school.activity (organization_id, person_id, activity_id, environment, bundle_id,
                   identifier_path, arrived_at)
            select \(school.hillside), \(school.id(.sam)), md5('attempt' || n)::uuid, 'production',
                   \(school.quizzler), \(TestSchool.context),
                   now() - interval '1 hour' + n * interval '1 second'
              from generate_series(1, \(count)) as n
            """)
        try school.sql(
            """
            insert into school.activity_assignment (organization_id, person_id, activity_id, task_id,
                   handout_id, class_id, started_at, duration_seconds)
            select organization_id, person_id, activity_id, \(handout.task), \(handout.id),
                   \(handout.classID), arrived_at, 1 from school.activity
            """)
    }

    @Test(arguments: [(999, false), (1000, true)])
    func `every report says where the limit of attempts is reached`(
        count: Int, isReached: Bool
    ) async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try fill(school, handout, count)
            let base = "/v1/handouts/\(handout.id.uuid)"
            for (target, persona) in [
                ("\(base)/report", Persona.tom),
                ("\(base)/students/\(school.id(.sam).uuid)", .tom),
                ("\(base)/tasks/\(handout.task.uuid)/items", .tom),
                ("/v1/classes/\(school.biology.uuid)/report", .tom),
                (
                    "/v1/classes/\(school.biology.uuid)/students/\(school.id(.sam).uuid)/report",
                    .tom
                ),
                ("/v1/me/report", .sam),
            ] {
                let report = try await school.get(target, as: persona)
                try #require(report.status == 200, "\(target)")
                let notes = report.json["notes"]?.array?.filter { $0["code"] == "attempt_limit" }
                #expect(notes?.count == (isReached ? 1 : 0), "\(target)")
                for note in notes ?? [] {
                    #expect(note["taskId"]?.text == handout.task.uuid.description, "\(target)")
                    #expect(note["text"]?.text?.contains("limit of 1,000 attempts") == true)
                }
            }
            let sue = try await school.get(
                "\(base)/students/\(school.id(.sue).uuid)", as: .tom)
            #expect(!sue.json.noteCodes.contains("attempt_limit"))
        }
    }
}
