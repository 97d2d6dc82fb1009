import Postgres
import Testing
import Values

@Suite struct Binding {
    @Test func `every type comes back as it was bound`() throws {
        let id = try #require(UUID("0190c6ff-0000-7abc-8def-0123456789ab"))
        let moment = try #require(Timestamp("1969-12-31T23:59:59.999Z"))
        let day = try #require(Day("0001-01-01"))
        let connection = try BlockingConnection(databaseURL)
        let row = try connection.query(
            """
            select \(true) as a, \(Int.min) as b, \(Int32.max) as c, \(Int16.min) as d,
                   \(-0.1) as e, \("Ä\u{1F600}") as f, \([UInt8]([0, 255])) as g, \(id) as h,
                   \(moment) as i, \(day) as j, \(JSONDocument(Array(#"{"k":[1]}"#.utf8))) as k
            """)[0]
        #expect(try row.bool("a"))
        #expect(try row.int("b") == .min)
        #expect(try row.int("c") == Int(Int32.max))
        #expect(try row.int("d") == Int(Int16.min))
        #expect(try row.double("e") == -0.1)
        #expect(try row.text("f") == "Ä\u{1F600}")
        #expect(try row.bytes("g") == [0, 255])
        #expect(try row.uuid("h") == id)
        #expect(try row.timestamp("i") == moment)
        #expect(try row.day("j") == day)
        #expect(try row.text("k") == #"{"k": [1]}"#)
    }

    @Test func `arrays come back as they were bound, including the empty one`() throws {
        let ids = [UUID(high: 1, low: 2), UUID(high: 3, low: 4)]
        let connection = try BlockingConnection(databaseURL)
        let row = try connection.query(
            """
            select \(["a", "", "NULL", "{\"}"]) as a, \(ids) as b, \([1, -1]) as c,
                   \([String]()) as d, array_to_string(\(["x", nil] as [String?]), ',', '-') as e
            """)[0]
        #expect(try row.textArray("a") == ["a", "", "NULL", "{\"}"])
        #expect(try row.uuidArray("b") == ids)
        #expect(try row.intArray("c") == [1, -1])
        #expect(try row.textArray("d") == [])
        #expect(try row.text("e") == "x,-")
    }

    @Test func `nil is null, with the type of the absent value`() throws {
        let connection = try BlockingConnection(databaseURL)
        let row = try connection.query(
            """
            select \(String?.none) as a, \(Int?.none) as b, \(UUID?.none) as c,
                   \([String]?.none) as d, \([UInt8]?.none) as e, \(Timestamp?.none) as f,
                   pg_typeof(\(Day?.none))::text as g
            """)[0]
        #expect(try row.optionalText("a") == nil)
        #expect(try row.optionalInt("b") == nil)
        #expect(try row.optionalUUID("c") == nil)
        #expect(try row.isNull("d"))
        #expect(try row.optionalBytes("e") == nil)
        #expect(try row.optionalTimestamp("f") == nil)
        #expect(try row.text("g") == "date")
    }

    @Test(arguments: [
        "'; drop table x; --", "$1", "\\'", "\"", "", "%s{}", "\u{1}\u{7F}", "\u{202E}\u{FEFF}",
    ])
    func `hostile text stays a value`(text: String) throws {
        let connection = try BlockingConnection(databaseURL)
        #expect(try connection.query("select \(text) as t")[0].text("t") == text)
    }

    @Test func `text with NUL is refused, not cut`() throws {
        let connection = try BlockingConnection(databaseURL)
        #expect {
            try connection.query("select \("a\u{0}b") as t")
        } throws: { error in
            (error as? PostgresError)?.sqlState == "22021"
        }
    }

    @Test func `fragments renumber their parameters`() throws {
        let condition: Statement = "v > \(2) and v < \(5)"
        let absent: Statement? = nil
        let connection = try BlockingConnection(databaseURL)
        let rows = try connection.query(
            """
            select \("x") as t, v from generate_series(\(1)::int8, \(9)::int8) as v
             where \(fragment: condition) \(optional: absent)\(optional: " and v <> \(3)")
            """)
        #expect(try rows.map { try $0.int("v") } == [4])
    }

    @Test func `identifiers and literals of commands are quoted`() throws {
        let connection = try BlockingConnection(databaseURL)
        let name = #"a"b'c\d; x"#
        try connection.execute(
            "create temp table \(identifier: name) as select \(literal: name)::text as t")
        #expect(
            try connection.query("select relname::text as n from pg_class where relname = \(name)")[
                0
            ].text("n") == name)
        try connection.execute(
            "do $$ begin assert (select t from \(identifier: name)) = \(literal: name); end $$")
    }
}
