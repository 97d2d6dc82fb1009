import Crypto
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("Ranges of progress")
struct RangeTests {
    /// Every so manieth of the ranges into which all is cut.
    private func ranges(from first: Int, every step: Int, of count: Int) -> [[Double]] {
        stride(from: first, to: count, by: step).map {
            [Double($0) / Double(count), Double($0 + 1) / Double(count)]
        }
    }

    private func stored(_ school: TestSchool) throws -> (
        progress: Double, pieces: Int, isRounded: Bool
    ) {
        let row = try school.sql(
            """
            select progress, is_rounded, (select count(*) from unnest(progress_ranges)) as pieces
              from school.activity
            """)[0]
        return try (row.double("progress"), row.int("pieces"), row.bool("is_rounded"))
    }

    @Test func `ten thousand ranges are added up exactly, and with ten thousand others`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            let id = UUID.v7()
            try await school.upload([
                school.attempt(id, ranges: ranges(from: 0, every: 5, of: 50_000))
            ])
            let first = try stored(school)
            #expect(abs(first.progress - 0.2) < 1e-12)
            #expect(first.pieces == 10_000)
            try await school.upload([
                school.attempt(id, ranges: ranges(from: 2, every: 5, of: 50_000))
            ])
            let second = try stored(school)
            #expect(abs(second.progress - 0.4) < 1e-12)
            #expect(second.pieces == 20_000)
            #expect(!second.isRounded)
        }
    }

    @Test func `in more than twenty thousand pieces they are rounded, in any order the same`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            let id = UUID.v7()
            let parts = [0, 2, 4].map {
                school.attempt(id, ranges: ranges(from: $0, every: 7, of: 69_993))
            }
            var ends: Set<String> = []
            for order in [[0, 1, 2, 1], [2, 0, 1], [1, 2, 0, 0]] {
                try school.sql("delete from school.activity")
                for part in order { try await school.upload([parts[part]]) }
                ends.insert(try school.state())
                let stored = try stored(school)
                #expect(stored.isRounded)
                #expect(stored.pieces <= 8192)
                #expect(abs(stored.progress - 3.0 / 7) < 0.05)
            }
            #expect(ends.count == 1)
        }
    }
}
