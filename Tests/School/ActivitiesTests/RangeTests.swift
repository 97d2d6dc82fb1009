import Crypto
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("Ranges of progress")
struct RangeTests {
    /// Every nth of the ranges into which the whole is cut.
    private func ranges(from first: Int, every step: Int, of count: Int) -> [[Double]] {
        stride(from: first, to: count, by: step).map {
            [Double($0) / Double(count), Double($0 + 1) / Double(count)]
        }
    }

    private func progress(_ school: TestSchool) throws -> Double {
        try school.sql("select progress from school.activity_assignment")[0].double("progress")
    }

    @Test func `ten thousand ranges are added up exactly, also with ten thousand others`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            let id = UUID.v7()
            try await school.upload([
                school.attempt(id, ranges: ranges(from: 0, every: 5, of: 50_000))
            ])
            #expect(abs(try progress(school) - 0.2) < 1e-12)
            try await school.upload([
                school.attempt(id, ranges: ranges(from: 2, every: 5, of: 50_000))
            ])
            #expect(abs(try progress(school) - 0.4) < 1e-12)
        }
    }

    @Test func `very many pieces are rounded, the same in any order`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            let id = UUID.v7()
            let parts = [0, 2, 4, 6, 8, 10].map {
                school.attempt(id, ranges: ranges(from: $0, every: 13, of: 129_987))
            }
            var ends: Set<String> = []
            for order in [[0, 1, 2, 3, 4, 5, 1], [5, 4, 3, 2, 1, 0]] {
                try school.sql("delete from school.activity")
                for part in order { try await school.upload([parts[part]]) }
                ends.insert(try school.state())
                let stored = try progress(school)
                #expect(abs(stored - 6.0 / 13) < 0.05)
                #expect((stored * 16_384).rounded() == stored * 16_384)
            }
            #expect(ends.count == 1)
        }
    }
}
