import Postgres
import Testing

@Suite struct RowValues {
    @Test func `a missing column, a null and a wrong type are reported by name`() throws {
        let connection = try BlockingConnection(databaseURL)
        let row = try connection.query("select 1 as a, null::text as b")[0]
        #expect(throws: PostgresError.unexpected(column: "c", "is not in the result")) {
            try row.int("c")
        }
        #expect(throws: PostgresError.unexpected(column: "b", "is null")) { try row.text("b") }
        #expect {
            try row.text("a")
        } throws: { error in
            if case PostgresError.unexpected("a", _) = error { true } else { false }
        }
    }

    @Test func `infinite and distant moments are errors, not other moments`() throws {
        let connection = try BlockingConnection(databaseURL)
        let row = try connection.query(
            """
            select 'infinity'::timestamptz as a, '-infinity'::date as b,
                   '10000-01-01Z'::timestamptz as c, '0001-01-01 BC Z'::timestamptz as d
            """)[0]
        for column in ["a", "c", "d"] {
            #expect(throws: PostgresError.self) { try row.timestamp(column) }
        }
        #expect(throws: PostgresError.self) { try row.day("b") }
    }

    @Test func `a change reports how many rows it touched`() throws {
        let connection = try BlockingConnection(databaseURL)
        try connection.execute("create temp table t as select generate_series(1, 7) as v")
        #expect(try connection.query("delete from t where v > \(4)").affected == 3)
        #expect(try connection.query("select v from t").count == 4)
    }

    @Test func `a violated constraint is reported by name`() throws {
        let connection = try BlockingConnection(databaseURL)
        try connection.execute("create temp table t (v int constraint v_is_small check (v < 3))")
        #expect {
            try connection.query("insert into t values (3)")
        } throws: { error in
            let error = error as? PostgresError
            return error?.sqlState == "23514" && error?.constraint == "v_is_small"
        }
    }

    @Test
    func `consecutive rows with the same value are grouped, and those without one are skipped`()
        throws
    {
        let connection = try BlockingConnection(databaseURL)
        let rows = try connection.query(
            """
            select v, null::text as nothing
              from unnest(array[null, 'a', 'a', 'ab', '', '', null, 'a', null]) with ordinality as t (v, n)
             order by n
            """)
        var runs: [Range<Int>] = []
        while let run = rows.run(of: 0, in: (runs.last?.upperBound ?? 0)..<rows.count) {
            runs.append(run)
        }
        #expect(runs == [1..<3, 3..<4, 4..<6, 7..<8])
        #expect(rows.run(of: 0, in: 1..<2) == 1..<2)
        #expect(rows.run(of: 0, in: 6..<7) == nil && rows.run(of: 0, in: 3..<3) == nil)
        #expect(rows.run(of: 1, in: 0..<rows.count) == nil)
        #expect(rows.first(with: 0, in: 0..<rows.count) == 1)
        #expect(rows.first(with: 0, in: 5..<rows.count) == 5)
        #expect(rows.first(with: 0, in: 8..<rows.count) == nil)
    }
}
