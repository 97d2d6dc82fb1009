import JSONBytes
import Postgres
import RandomKit
import School
import TestKit
import Testing
import Values

@Suite("How many parts of an attempt are kept")
struct PartLimitTests {
    private static let attempt = UUID(milliseconds: 7, random: (7, 7))
    private static let partsMax = 100
    private static let bytesMax = 524_288

    /// One attempt that an app reports every second for so long, each time with the next bit of progress.
    private func parts(_ school: TestSchool, _ count: Int, since began: Timestamp) -> [JSONValue] {
        (0..<count).map { number in
            let change = Timestamp(milliseconds: began.milliseconds + Int64(number) * 1000 + 250)
            return school.attempt(
                Self.attempt, from: began, to: .some(change), seconds: Double(number),
                ranges: [[Double(number) / Double(count), Double(number + 1) / Double(count)]],
                primary: [
                    "kind": "quantity", "identifier": "q", "title": "Q",
                    "quantity": JSONValue(floatLiteral: Double(number)),
                ])
        }
    }

    /// As the worker does it, without the limit on what an app may send in a second.
    private func store(_ school: TestSchool, _ parts: [JSONValue]) throws {
        try school.sql(
            """
            select school.store_activities(
                \(school.hillside), \(school.id(.sam)), \(school.quizzler), 'production',
                array[date_trunc('milliseconds', now())],
                array[\(JSONDocument(JSONValue.array(parts).bytes))])
            """)
    }

    private func kept(_ school: TestSchool) throws -> (count: Int, bytes: Int) {
        let row = try school.sql(
            """
            select count(*) as count,
                   sum(pg_column_size(progress_ranges) + pg_column_size(items)) as bytes
              from school.activity_part where activity_id = \(Self.attempt)
            """)[0]
        return try (row.int("count"), row.int("bytes"))
    }

    private func link(_ school: TestSchool) throws -> Row {
        try school.sql(
            "select * from school.activity_assignment where activity_id = \(Self.attempt)")[0]
    }

    @Test(arguments: seeds(7..<8))
    func `thirteen hundred count as they would alone, and end the same in any order`(
        seed: UInt64
    ) async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let parts = parts(school, 1300, since: school.ago(40))
            var dice = SplitMix64(seed: seed)
            var ends: Set<String> = []
            for size in [1300, 700, 450, 220] {
                try school.sql("delete from school.activity")
                var pile =
                    (size == 1300 ? parts : (parts + parts.prefix(90)).shuffled(using: &dice))[...]
                while !pile.isEmpty {
                    try store(school, Array(pile.prefix(size)))
                    pile = pile.dropFirst(size)
                }
                try ends.insert(school.state())
                let kept = try kept(school)
                #expect((Self.partsMax / 2...Self.partsMax).contains(kept.count))
                #expect(try school.disagreeingFigures() == [])
            }
            #expect(ends.count == 1)
            let link = try link(school)
            #expect(try link.double("progress") == 1)
            #expect(try link.double("duration_seconds") == 1299)
            #expect(try link.double("quantity") == 1299)
        }
    }

    @Test func `the next attempt still ends it where it began, give or take a few seconds`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            let began = school.ago(40)
            try store(school, parts(school, 1300, since: began))
            let next = Timestamp(milliseconds: began.milliseconds + 600_000)
            try store(school, [school.attempt(from: next)])
            let link = try link(school)
            // Everyone is granted half a minute more, and ranges are rounded.
            let bits = try link.double("progress") * 1300
            #expect((613...631).contains(bits), "\(bits)")
            #expect(try link.bool("is_cut"))
            #expect(try school.disagreeingFigures() == [])
            // Repetition changes nothing.
            let state = try school.state()
            try store(school, Array(parts(school, 1300, since: began).suffix(700)))
            #expect(try school.state() == state)
        }
    }

    @Test func `ranges in many thousands of pieces take no more than a few parts`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            let began = school.ago(40)
            for number in 0..<12 {
                let ranges = (0..<10_000).map { piece in
                    let start = Double(piece * 13 + number) / 130_000
                    return [start, start + 1.0 / 130_000]
                }
                let change = Timestamp(milliseconds: began.milliseconds + Int64(number) * 60_000)
                try store(
                    school,
                    [school.attempt(Self.attempt, from: began, to: .some(change), ranges: ranges)])
                let kept = try kept(school)
                #expect(kept.bytes <= Self.bytesMax || kept.count == 1)
            }
            #expect(abs(try link(school).double("progress") - 12.0 / 13) < 0.05)
            #expect(try school.disagreeingFigures() == [])
        }
    }
}
