import Crypto
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("what an upload costs")
struct UploadCostTests {
    private let score: JSONValue = [
        "kind": "score", "identifier": "s", "title": "Score", "score": 7, "maxScore": 10,
    ]

    /// Plans are made while the tables are empty, and the planner never learns that they have grown.
    @Test func `a new attempt reads few rows, whatever its student did before`() async throws {
        try await withSchool(in: .shared()) { school in
            _ = try school.newHandout(publishedAt: school.ago(600))
            let first = try rowsRead(school, storing: school.attempt(primary: score))
            try await school.upload(
                (0..<400).map {
                    school.attempt(
                        from: school.ago(500 - $0), to: .some(school.ago(500 - $0)), primary: score)
                })
            let later = try rowsRead(school, storing: school.attempt(primary: score))
            try #require(try school.storedCount() == 402)
            #expect(first > 0)
            #expect(later < first + 25, "\(first) rows for the first, \(later) after 401")
        }
    }

    /// The triggers that add up figures run inside a function that turns nested loops off.
    @Test func `a stored attempt is changed without reading all figures`() async throws {
        try await withSchool(in: .shared()) { school in
            _ = try school.newHandout(publishedAt: school.ago(600))
            let id = UUID.v7()
            _ = try rowsRead(school, storing: school.attempt(id, primary: score))
            try addFigures(to: school)
            let read = try rowsRead(
                school,
                storing: school.attempt(id, to: .some(school.ago(10)), seconds: 70, primary: score))
            let stored = try school.sql(
                """
                select duration_seconds as seconds from school.activity_assignment
                 where activity_id = \(id) and duration_seconds > 49
                """)
            try #require(stored.count == 1)
            #expect(read < 100, "\(read) rows")
        }
    }

    /// Adds what Sue's attempts at 600 other tasks come to.
    private func addFigures(to school: TestSchool) throws {
        _ = try school.sql(
            """
            with given as (
                insert into school.handout (organization_id, handout_id, class_id, title)
                select h.organization_id, school.new_id(), h.class_id, 'Other'
                  from (select * from school.handout where organization_id = \(school.hillside) limit 1) as h,
                       generate_series(1, 30)
                returning organization_id, handout_id, class_id
            ), asked as (
                insert into school.task (organization_id, task_id, handout_id, class_id, position, kind, title, url)
                select g.organization_id, school.new_id(), g.handout_id, g.class_id, n, 'link', 'Read',
                       'https://pages.example/'
                  from given as g, generate_series(1, 20) as n
                returning organization_id, task_id, handout_id, class_id
            )
            insert into school.assignment_figures (organization_id, task_id, person_id, handout_id, class_id, attempts,
                   progress_sum, progress_count, duration_sum, latest_activity_id, started_at)
            select a.organization_id, a.task_id, \(school.id(.sue)), a.handout_id, a.class_id, 1, 0, 0, 0,
                   school.new_id(), now()
              from asked as a
            """)
    }

    /// How many rows of the activity tables are read to store an attempt of Sam's.
    private func rowsRead(_ school: TestSchool, storing attempt: JSONValue) throws -> Int {
        let parts = JSONDocument(JSONValue.array([attempt]).bytes)
        return try school.sql(
            """
            select (select sum(seq_tup_read + idx_tup_fetch)::int from pg_stat_xact_user_tables
                     where (relname like 'activity%' or relname = 'assignment_figures')
                       and stored = '') as count
              from (select school.store_activities(\(school.hillside), \(school.id(.sam)), \(school.quizzler),
                           'production', array[now()], array[\(parts)])::text as stored offset 0) as s
            """)[0].int("count")
    }
}
