import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("Times are the server's")
struct ClockTests {
    /// Uploads one attempt from a device that is that many seconds ahead, and reads what is stored of it.
    private func stored(
        _ school: TestSchool, ahead seconds: Int64, isSaid: Bool = true, stopped: Bool = true
    ) async throws -> Row {
        try school.sql("delete from school.activity")
        func device(_ minutes: Int) -> Timestamp {
            Timestamp(milliseconds: school.ago(minutes).milliseconds + seconds * 1000)
        }
        var body: [(String, JSONValue)] = [
            (
                "activities",
                .array([
                    school.attempt(
                        from: device(20), to: .some(stopped ? device(10) : nil),
                        modified: device(10))
                ])
            )
        ]
        if isSaid { body.append(("sentAt", .text(device(0).description))) }
        let answer = try await school.post(
            "/v1/activities", as: .samsApp, json: .object(JSONObject(body)))
        #expect(answer.status == 202)
        let rows = try school.sql(
            """
            select l.started_at, l.stopped_at, l.modified_at, l.duration_seconds, a.arrived_at
              from school.activity_assignment as l
              join school.activity as a using (organization_id, person_id, activity_id)
            """)
        try #require(rows.count == 1, "\(seconds) s ahead")
        return rows[0]
    }

    @Test(arguments: [126_144_000, 7200, 11, -11, -7200, -126_144_000] as [Int64])
    func `the error of a device's clock is subtracted`(seconds: Int64) async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let row = try await stored(school, ahead: seconds)
            for (column, minutes) in [("started_at", 20), ("stopped_at", 10), ("modified_at", 10)] {
                let error =
                    try row.timestamp(column).milliseconds - school.ago(minutes).milliseconds
                #expect(abs(error) < 10_000, "\(column)")
            }
        }
    }

    @Test func `a difference below ten seconds is left alone, since transmission takes time, too`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            let before = school.ago(20).milliseconds
            let row = try await stored(school, ahead: -7)
            #expect(try row.timestamp("started_at").milliseconds < before - 5000)
        }
    }

    @Test func `from ten seconds on, the clock is to blame`() async throws {
        try await withSchool { school in
            for (milliseconds, error) in [
                (9999, 0), (10_000, 10_000), (-9999, 0), (-10_000, -10_000),
            ] {
                let rows = try school.sql(
                    """
                    select extract(epoch from school.clock_error(
                               now() - \(milliseconds) * interval '1 ms', now()))::float8 * 1000 as error
                    """)
                #expect(try rows[0].double("error") == Double(error), "\(milliseconds)")
            }
        }
    }

    @Test func `no time is later than the arrival`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let row = try await stored(school, ahead: 126_144_000, isSaid: false)
            for column in ["started_at", "stopped_at", "modified_at"] {
                #expect(try row.timestamp(column) == row.timestamp("arrived_at"))
            }
        }
    }

    @Test func `an attempt from a device that is ahead does not stay the latest forever`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            _ = try await stored(school, ahead: 126_144_000)
            try await school.upload([
                school.attempt(from: school.ago(5), to: .some(school.ago(2)), ranges: [[0, 1]])
            ])
            let answer = try await school.get(
                "/v1/handouts/\(handout.id.uuid)/report", as: .tom)
            let cell = answer.json["tasks"]?[0]?["students"]?.array?
                .first { $0["personId"]?.text == Persona.sam.personID.uuid.description }
            #expect(cell?["progress"] == 1)
            #expect(cell?["attempts"] == 2)
        }
    }

    @Test func `a duration is at most the time between start and change`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let row = try await stored(school, ahead: 0)
            #expect(try row.double("duration_seconds") == 60)
            try await school.upload([school.attempt(from: school.ago(35), seconds: 1e9)])
            let longest = try school.sql(
                "select max(duration_seconds) as seconds from school.activity_assignment")
            #expect(abs(try longest[0].double("seconds") - 300) < 5)
        }
    }

    @Test func `a timed task counts at most its minutes`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(path: [])
            try school.sql(
                """
                update school.task set kind = 'timedApp', minutes = 12, identifier_path = null
                 where task_id = \(handout.task)
                """)
            for (start, seconds) in [(110, 500.0), (80, 900), (40, 10)] {
                try await school.upload([
                    school.attempt(
                        at: [], from: school.ago(start), to: .some(school.ago(start - 20)),
                        seconds: seconds)
                ])
            }
            try await school.upload(
                [
                    school.attempt(
                        at: [], from: school.ago(90), to: .some(school.ago(50)), seconds: 300)
                ], as: .suesApp)
            let report = try await school.get("/v1/handouts/\(handout.id.uuid)/report", as: .tom)
            let task = report.json["tasks"]?[0]
            let durations = task?["students"]?.array?.compactMap { $0["durationSeconds"]?.double }
            #expect(durations?.sorted() == [300, 720])
            #expect(task?["classAverage"]?["durationSeconds"]?.double == 510)
            let page = try await school.get(
                "/v1/handouts/\(handout.id.uuid)/students/\(Persona.sam.personID.uuid)", as: .tom)
            let attempts = page.json["tasks"]?[0]?["attempts"]?.array
            #expect(attempts?.map { $0["durationSeconds"]?.double } == [500, 720, 10])
        }
    }
}
