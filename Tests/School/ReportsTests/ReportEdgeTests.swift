import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("Where reports draw the line")
struct ReportEdgeTests {
    /// A task of the report of Biology.
    private func taught(_ school: TestSchool, _ query: String = "") async throws -> JSONValue {
        try await school.get("/v1/classes/\(school.biology.uuid)/report\(query)", as: .tom).json
    }

    @Test
    func `progress of a class is computed over all attempts, not over the students' averages`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            try await school.upload([
                school.result(60, progress: 0.2), school.result(50, progress: 0.2),
                school.result(40, progress: 0.2),
            ])
            try await school.upload([school.result(40, progress: 1)], as: .suesApp)
            let report = try await school.report(handout).json
            #expect(report.average()["progress"] == 0.4)
            let task = try await taught(school)["handouts"]?[0]?["tasks"]?[0]
            #expect(task?["classAverage"]?["progress"] == 0.4)
        }
    }

    @Test(
        arguments: [
            ("0.1", "0.2", "0.3"), ("0.95", "0.9500000000000001", "1.9"), ("1e12", "1e12", "2e12"),
            ("1e-9", "2e-9", "3e-9"), ("123456789.123", "0.0005", "123456789.124"),
        ])
    func `sums and averages show neither order nor binary fractions`(
        first: String, second: String, sum: String
    ) async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            let seconds = try [first, second].map { try #require(Double($0)) }
            try await school.upload([school.result(60), school.result(50), school.result(40)])
            for (seconds, minutes) in zip(seconds + [0], [60, 50, 40]) {
                try school.sql(
                    """
                    update school.activity_assignment set duration_seconds = \(seconds)
                     where started_at between \(school.ago(minutes + 1)) and \(school.ago(minutes - 1))
                    """)
            }
            let expected = try #require(Double(sum))
            let cell = try await school.report(handout).json.cell(of: .sam)
            #expect(cell["durationSeconds"]?.double == expected)
            let task = try await taught(school)["handouts"]?[0]?["tasks"]?[0]
            #expect(task?["classAverage"]?["durationSeconds"]?.double == expected)
            let own = try await school.get("/v1/me/report", as: .sam).json
            #expect(own["handouts"]?[0]?["tasks"]?[0]?["durationSeconds"]?.double == expected)
        }
    }

    @Test func `a figure is shown with at most twelve digits`() async throws {
        try await withSchool { school in
            for (figure, shown) in [
                ("0.9500000000000001", 0.95), ("0.33333333333333333", 0.333_333_333_333),
                ("-2.5000000000000004", -2.5), ("0", 0), ("1e300", 1e300), ("5e-324", 0),
                ("1.7976931348623157e308", 1e300), ("-1e400", -1e300), ("1e-400", 0),
                ("999999999999.9996", 1e12), ("1e-9", 1e-9),
                ("123456789012345", 123_456_789_012_000),
            ] {
                let row = try school.sql("select school.shown(\(figure)::text::numeric) as figure")[
                    0]
                #expect(try row.optionalDouble("figure") == shown, "\(figure)")
            }
            let none = try school.sql("select school.shown(null) as figure")[0]
            #expect(try none.optionalDouble("figure") == nil)
        }
    }

    @Test func `work done exactly when it is due is not late`() async throws {
        try await withSchool { school in
            let due = school.ago(60)
            let handout = try school.newHandout(dueAt: due)
            for (later, isLate) in [(0, false), (1, true), (-1, false)] {
                let done = Timestamp(milliseconds: due.milliseconds + Int64(later))
                try school.sql("delete from school.assignment")
                try school.sql(
                    """
                    insert into school.assignment (organization_id, task_id, person_id, done_at)
                    values (\(school.hillside), \(handout.task), \(school.id(.sam)), \(done))
                    """)
                let report = try await school.report(handout).json
                #expect(report.cell(of: .sam)["late"] == .bool(isLate), "\(later)")
                #expect(report.cell(of: .sue)["late"] == true)
                let task = try await taught(school)["handouts"]?[0]?["tasks"]?[0]
                #expect(task?["studentsLate"] == (isLate ? 2 : 1), "\(later)")
                let page = try await school.get(
                    "/v1/handouts/\(handout.id.uuid)/students/\(school.id(.sam).uuid)", as: .tom)
                #expect(page.json["tasks"]?[0]?["late"] == .bool(isLate), "\(later)")
                let own = try await school.get("/v1/me/report", as: .sam).json
                #expect(own["handouts"]?[0]?["tasks"]?[0]?["late"] == .bool(isLate), "\(later)")
                let list = try await school.get("/v1/me/assignments", as: .sam).json
                #expect(list["items"]?[0]?["late"] == .bool(isLate), "\(later)")
            }
        }
    }

    /// Published on the second of March in a zone fourteen hours ahead of UTC.
    private func publishFarEast(_ school: TestSchool) throws -> Timestamp {
        try school.sql("update school.organization set time_zone = 'Pacific/Kiritimati'")
        let moment = try #require(Timestamp("2026-03-01T12:00:00.000Z"))
        _ = try school.newHandout(publishedAt: moment)
        try school.sql(
            "update school.seat set joined_at = \(moment), recorded_at = \(moment)")
        return moment
    }

    @Test func `a day begins in the organization's time zone`() async throws {
        try await withSchool { school in
            _ = try publishFarEast(school)
            for (query, isIn) in [
                ("from=2026-03-02&to=2026-03-02", true), ("from=2026-03-01&to=2026-03-01", false),
                ("to=2026-03-01", false), ("from=2026-03-03", false), ("to=2026-03-02", true),
            ] {
                let report = try await taught(school, "?" + query)
                #expect(report["handouts"]?.array?.count == (isIn ? 1 : 0), "\(query)")
                let own = try await school.get("/v1/me/report?" + query, as: .sam).json
                #expect(own["handouts"]?.array?.count == (isIn ? 1 : 0), "\(query)")
            }
        }
    }

    @Test func `a handout is in one of two adjoining periods`() async throws {
        try await withSchool { school in
            let moment = try publishFarEast(school)
            let next = Timestamp(milliseconds: moment.milliseconds + 1)
            for (query, isIn) in [
                ("from=\(moment)", true), ("to=\(moment)", false), ("from=\(next)", false),
                ("to=\(next)", true), ("from=\(moment)&to=\(next)", true),
            ] {
                let report = try await taught(school, "?" + query)
                #expect(report["handouts"]?.array?.count == (isIn ? 1 : 0), "\(query)")
                let own = try await school.get("/v1/me/report?" + query, as: .sam).json
                #expect(own["handouts"]?.array?.count == (isIn ? 1 : 0), "\(query)")
            }
        }
    }
}
