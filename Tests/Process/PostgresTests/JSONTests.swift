import JSONBytes
import Postgres
import Testing
import Values

/// Rows as JSON must match PostgreSQL's own functions.
@Suite struct RowsAsJSON {
    @Test func `every type has the form that clients are promised`() throws {
        let connection = try BlockingConnection(databaseURL)
        let rows = try connection.query(
            """
            select 'a"\\é' || chr(10) || chr(1) as "te""xt", true as b, 12::int2 as i2, -5 as i4,
                   9223372036854775807 as i8, 0.1::float8 as f, 5.0::float8 as whole,
                   1.50::numeric as n, '2026-03-01 12:00:00.1239+02'::timestamptz as t,
                   '0099-02-28'::date as d, '0190c6ff-0000-7abc-8def-0123456789ab'::uuid as u,
                   '{"a":  1}'::json as j, '{"a":  1}'::jsonb as jb, null::int as nothing,
                   'x'::varchar(3) as v, 'x'::char(3) as c, 'x'::name as na
            """)
        var writer = JSONWriter()
        try rows.writeJSONArray(into: &writer)
        #expect(
            String(decoding: writer.bytes, as: UTF8.self) == #"""
                [{"te\"xt":"a\"\\é\n\u0001","b":true,"i2":12,"i4":-5,"i8":9223372036854775807,\#
                "f":0.1,"whole":5,"n":1.50,"t":"2026-03-01T10:00:00.123Z","d":"0099-02-28",\#
                "u":"0190c6ff-0000-7abc-8def-0123456789ab","j":{"a":1},"jb":{"a":1},\#
                "nothing":null,"v":"x","c":"x  ","na":"x"}]
                """#)
    }

    @Test func `arrays keep their nulls, their nesting and their emptiness`() throws {
        #expect(
            try json("select array['a', null, '']::text[] as v, '{}'::int[] as e")
                == #"{"v":["a",null,""],"e":[]}"#)
        #expect(
            try json("select '{{1,2},{3,null}}'::int[] as v, '[5:6]={1.5,2}'::float8[] as w")
                == #"{"v":[[1,2],[3,null]],"w":[1.5,2]}"#)
        #expect(
            try json(
                """
                select array['2026-01-01Z'::timestamptz] as t, array[1.10, null]::numeric[] as n,
                       array[true] as b, array['2026-01-01'::date] as d,
                       array['{"k": 1}'::jsonb, 'null'] as j
                """)
                == #"{"t":["2026-01-01T00:00:00.000Z"],"n":[1.10,null],"b":[true],"#
                + #""d":["2026-01-01"],"j":[{"k":1},null]}"#)
    }

    @Test func `values and types without a form in JSON are errors`() throws {
        #expect(throws: PostgresError.self) { try json("select 'infinity'::timestamptz as v") }
        #expect(throws: PostgresError.self) { try json("select 'infinity'::date as v") }
        #expect(throws: PostgresError.self) { try json("select 'nan'::numeric as v") }
        #expect(throws: PostgresError.self) { try json("select '1 day'::interval as v") }
        #expect(throws: PostgresError.self) { try json("select array['1 day'::interval] as v") }
    }

    @Test func `numbers of any size and scale match PostgreSQL`() throws {
        try agrees(
            """
            select ((case when random() < 0.5 then -1 else 1 end)
                    * (random() * 10 ^ (random() * 30)::int)::numeric
                    * (10::numeric ^ (-(random() * 40)::int)))::numeric as v
              from generate_series(1, 3000)
            union all
            select round((random() * 1e9)::numeric, (random() * 8)::int - 3)
              from generate_series(1, 1000)
            union all
            select unnest(array[0, 0.0, 0.000, -0.00010, 10000, 1e10, 1e-10, 9999.9999, 1e100,
                                100000000.00000001, 0.00001234]::numeric[])
            """)
    }

    @Test func `doubles read back as the same doubles`() throws {
        let connection = try BlockingConnection(databaseURL)
        let rows = try connection.query(
            """
            select v, v::text as t from (
                select (random() - 0.5) * 10::float8 ^ ((random() - 0.5) * 600)::int as v
                  from generate_series(1, 3000)
                union all
                select unnest(array[0, '-0', 5, 1e15, 1e16, 1e21, -1e22, 5e-324, 0.1, 1e-7,
                                    1.7976931348623157e308]::float8[])) as x
            """)
        for position in rows.indices {
            var writer = JSONWriter()
            try rows.writeJSON(row: position, into: &writer)
            let value = try JSONValue(parsing: writer.bytes)
            let text = try rows[position].text("t")
            #expect(value["v"]?.double == Double(text))
        }
    }

    @Test func `texts of all kinds match PostgreSQL`() throws {
        try agrees(
            """
            select (select coalesce(string_agg(case when random() < 0.3 then chr(1 + (random() * 126)::int)
                                           when random() < 0.5 then chr(128 + (random() * 50000)::int)
                                           else substr('"\\/', 1 + (random() * 3)::int, 1) end, ''), '')
                      from generate_series(1, (random() * 40)::int + n * 0)) as v
              from generate_series(1, 3000) as n
            """)
    }

    @Test func `days and moments of all centuries match PostgreSQL`() throws {
        try agrees(
            """
            select '0001-01-01'::date + (random() * 3652058)::int as v
              from generate_series(1, 3000)
            """)
        try agrees(
            """
            select v, to_char(v at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as t
              from (select '0001-01-01Z'::timestamptz(3)
                           + interval '1 millisecond' * trunc(random() * 315537897599999) as v
                      from generate_series(1, 3000)) as x
            """, form: "t")
    }

    @Test func `identifiers, integers, booleans and arrays match PostgreSQL`() throws {
        try agrees("select gen_random_uuid() as v from generate_series(1, 500)")
        try agrees(
            """
            select ((random() - 0.5) * 2 ^ (random() * 63))::int8 as v
              from generate_series(1, 3000)
            """)
        try agrees(
            """
            select array[n % 2 = 0, null] as v from generate_series(1, 10) as n
            """)
        try agrees(
            """
            select array(select case when random() < 0.2 then null else md5(random()::text) end
                           from generate_series(1, n % 5)) as v
              from generate_series(1, 200) as n
            """)
    }

    @Test func `rows are the same whether the buffer fits all of them or none`() throws {
        let connection = try BlockingConnection(databaseURL)
        let rows = try connection.query(
            """
            select n as a, repeat(chr(1 + n % 126), n % 90) as b, gen_random_uuid() as c, null as d,
                   now() - n * interval '7 hours' as e, n % 2 = 0 as f, array[n, null] as g,
                   to_json(n::text) as h, current_date - n as i, n / 7.0 as j, '' as k,
                   jsonb_build_object('n', n) as l, repeat('"', n) as m, -n::int8 as "n\n"
              from generate_series(1, 300) as n
            """)
        var tight = JSONWriter()
        var large = JSONWriter(reserving: 4_000_000)
        tight.beginArray()
        large.beginArray()
        for row in rows.indices {
            var alone = JSONWriter()
            try rows.writeJSON(row: row, into: &alone)
            tight.raw(alone.bytes)
            try rows.writeJSON(row: row, into: &large)
        }
        tight.endArray()
        large.endArray()
        #expect(large.bytes == tight.bytes)
        var growing = JSONWriter()
        try rows.writeJSONArray(into: &growing)
        #expect(growing.bytes == tight.bytes)
        #expect(try JSONValue(parsing: tight.bytes)[299]?["a"]?.int64 == 300)
    }

    /// Compares column `v` as we write it with `to_json(v)`, or with the text of another column.
    private func agrees(_ statement: Statement, form: String? = nil) throws {
        let connection = try BlockingConnection(databaseURL)
        let rows = try connection.query(
            "select *, to_json(v)::text as expected from (\(fragment: statement)) as x")
        #expect(rows.count > 9)
        for position in rows.indices {
            var writer = JSONWriter()
            try rows.writeJSON(row: position, into: &writer)
            var large = JSONWriter(reserving: 4096)
            try rows.writeJSON(row: position, into: &large)
            #expect(large.bytes == writer.bytes)
            let ours = try #require(try JSONValue(parsing: writer.bytes)["v"])
            let theirs =
                if let form {
                    JSONValue.text(try rows[position].text(form))
                } else {
                    try JSONValue(parsing: Array(rows[position].text("expected").utf8))
                }
            #expect(ours == theirs)
        }
    }

    private func json(_ statement: Statement) throws -> String {
        var writer = JSONWriter()
        try BlockingConnection(databaseURL).query(statement).writeJSON(row: 0, into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
