import JSONBytes
import Postgres
import School
import TestKit
import Testing

@Suite("what an upload costs")
struct UploadCostTests {
    private let score: JSONValue = [
        "kind": "score", "identifier": "s", "title": "Score", "score": 7, "maxScore": 10,
    ]

    /// Plans are made while the tables are empty, and the planner never learns that they have grown.
    @Test func `a new attempt reads few rows, whatever its student did before`() async throws {
        try await withSchool { school in
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
            #expect(later < first + 20, "\(first) rows for the first, \(later) after 401")
        }
    }

    /// How many rows of the activity tables are read to store an attempt of Sam's.
    private func rowsRead(_ school: TestSchool, storing attempt: JSONValue) throws -> Int {
        let parts = JSONDocument(JSONValue.array([attempt]).bytes)
        return try school.sql(
            """
            select (select sum(seq_tup_read + idx_tup_fetch)::int from pg_stat_xact_user_tables
                     where relname like 'activity%' and stored = '') as count
              from (select school.store_activities(\(school.hillside), \(school.id(.sam)), \(school.quizzler),
                           'production', array[now()], array[\(parts)])::text as stored offset 0) as s
            """)[0].int("count")
    }
}
