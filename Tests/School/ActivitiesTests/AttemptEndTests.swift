import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("How much of a continued attempt counts")
struct AttemptEndTests {
    private let first = UUID(milliseconds: 1, random: (1, 1))
    private let second = UUID(milliseconds: 1, random: (1, 2))

    private func item(_ quantity: Int64) -> JSONValue {
        [
            "kind": "quantity", "identifier": .text("q\(quantity)"), "title": "Q",
            "quantity": JSONValue(integerLiteral: quantity),
        ]
    }

    /// A part of an attempt that was changed that many minutes ago.
    private func part(
        _ school: TestSchool, _ id: UUID, from start: Int, changed: Int, progress: Double,
        seconds: Double = 60
    ) -> JSONValue {
        school.attempt(
            id, from: school.ago(start), to: .some(school.ago(changed)), seconds: seconds,
            ranges: [[0, progress]], primary: item(Int64(progress * 100)))
    }

    /// What the attempts at a task come to, by their quantity and progress.
    private func counted(_ school: TestSchool, for handout: GivenHandout) throws -> [String] {
        try school.sql(
            """
            select concat_ws(' ', l.quantity, l.progress, i.quantity) as figures
              from school.activity_assignment as l
              join school.activity_item as i using (organization_id, person_id, activity_id, task_id)
             where l.handout_id = \(handout.id) order by l.started_at
            """, as: school.caller(.tom)
        ).map { try $0.text("figures") }
    }

    @Test func `the next attempt makes the previous one final, in whatever order they arrive`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            let parts = [
                part(school, first, from: 60, changed: 50, progress: 0.4),
                part(school, first, from: 60, changed: 20, progress: 0.9),
                part(school, second, from: 30, changed: 10, progress: 0.5),
            ]
            for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1, 1], [1, 2, 0, 2]] {
                try school.sql("delete from school.activity")
                for index in order { try await school.upload([parts[index]]) }
                #expect(try counted(school, for: handout) == ["40 0.4 40", "50 0.5 50"])
                #expect(try school.disagreeingFigures() == [])
            }
            try school.sql("delete from school.activity")
            try await school.upload([parts[2], parts[1], parts[0]])
            #expect(try counted(school, for: handout) == ["40 0.4 40", "50 0.5 50"])
        }
    }

    @Test func `a lock and a completion end a running attempt`() async throws {
        try await withSchool { school in
            for column in ["locked_at", "completed_at"] {
                let handout = try school.newHandout()
                try school.sql(
                    """
                    update school.handout
                       set locked_at = case when \(column) = 'locked_at' then \(school.ago(40)) end,
                           completed_at = case when \(column) <> 'locked_at' then \(school.ago(40)) end
                     where handout_id = \(handout.id)
                    """)
                for changed in [20, 50, 30] {
                    try await school.upload([
                        part(
                            school, first, from: 60, changed: changed,
                            progress: changed == 50 ? 0.4 : 0.9)
                    ])
                }
                #expect(try counted(school, for: handout) == ["40 0.4 40"], "\(column)")
                try school.sql("delete from school.activity")
            }
        }
    }

    @Test func `an attempt that counts only for another class ends none here`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role, joined_at)
                values (\(school.hillside), \(school.chemistry), \(school.id(.sam)), 'student',
                        now() - interval '60 days')
                """)
            let here = try school.newHandout()
            let there = try school.newHandout(in: school.chemistry, by: .tess)
            try school.sql(
                """
                insert into school.handout_lock (organization_id, handout_id, locked_at, unlocked_at)
                values (\(school.hillside), \(here.id), \(school.ago(40)), \(school.ago(20)))
                """)
            try await school.upload([
                part(school, first, from: 60, changed: 50, progress: 0.4),
                part(school, first, from: 60, changed: 10, progress: 0.9),
                part(school, second, from: 35, changed: 25, progress: 0.5),
            ])
            #expect(try counted(school, for: here) == ["90 0.9 90"])
            let shown = try school.sql(
                """
                select progress from school.activity_assignment where handout_id = \(there.id)
                 order by started_at
                """, as: school.caller(.tess))
            #expect(try shown.map { try $0.double("progress") } == [0.4, 0.5])
        }
    }

    @Test func `an attempt with nothing that counts is not shown, and leaves the exports`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([part(school, first, from: 60, changed: 20, progress: 0.9)])
            #expect(try counted(school, for: handout) == ["90 0.9 90"])
            try await school.upload([part(school, second, from: 30, changed: 10, progress: 0.5)])
            #expect(try counted(school, for: handout) == ["50 0.5 50"])
            for persona in [Persona.tom, .sam, .exporter] {
                let rows = try school.sql(
                    "select from school.activity_assignment", as: school.caller(persona))
                #expect(rows.count == 1, "\(persona)")
            }
            let deleted = try school.sql(
                "select subject_id from school.deletion where kind = 'activity'")
            #expect(try deleted.map { try $0.uuid("subject_id") } == [first])
            let report = try await school.get("/v1/handouts/\(handout.id.uuid)/report", as: .tom)
            let cells = report.json["tasks"]?[0]?["students"]?.array ?? []
            #expect(cells.contains { $0["attempts"] == 1 && $0["progress"] == 0.5 })
        }
    }

    @Test func `two uploads whose clocks are corrected slightly differently lose no part`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            let started = school.ago(30)
            try await school.upload([
                school.attempt(second, from: started, to: .some(school.ago(10))),
                school.attempt(
                    first, from: school.ago(60),
                    to: .some(Timestamp(milliseconds: started.milliseconds + 9000)),
                    ranges: [[0, 0.7]]),
            ])
            let progress = try school.sql(
                """
                select progress from school.activity_assignment where handout_id = \(handout.id)
                   and activity_id = \(first)
                """)
            #expect(try progress.map { try $0.double("progress") } == [0.7])
        }
    }

    @Test func `the same upload again with another clock changes only timestamps`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            // The device is an hour ahead; what it sends takes a while to arrive.
            let moments = [60, 50].map {
                Timestamp(milliseconds: school.ago($0).milliseconds + 3_600_000).description
            }
            for ahead in [3600, 3602, 3599] {
                let sentAt = Timestamp(
                    milliseconds: school.ago(0).milliseconds + Int64(ahead) * 1000)
                let answer = try await school.post(
                    "/v1/activities", as: .samsApp,
                    json: [
                        "sentAt": .text(sentAt.description),
                        "activities": [
                            [
                                "id": .text(first.description),
                                "identifierPath": .array(TestSchool.context.map(JSONValue.text)),
                                "startedAt": .text(moments[0]), "durationSeconds": 5,
                                "modifiedAt": .text(moments[1]), "progressRanges": [[0, 0.4]],
                                "primaryItem": item(40),
                            ]
                        ],
                    ])
                #expect(answer.status == 202)
                #expect(try school.sql("select from school.activity_part").count == 1)
            }
            #expect(try counted(school, for: handout) == ["40 0.4 40"])
        }
    }
}
