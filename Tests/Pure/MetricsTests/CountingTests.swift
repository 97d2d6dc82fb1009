import Metrics
import Testing

@Suite struct Counting {
    @Test func `nothing is lost when many threads count at once`() async {
        let grid = CounterGrid(rows: 3, columns: 2)
        let durations = HistogramGrid(rows: 2, .waits)
        let codes = CodeCounter(limit: 4)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for round in 0..<1000 {
                        grid.add(row: round % 3, column: 1)
                        durations.observe(nanoseconds: 2_000_000, row: 1)
                        codes.add(["23505", "40001", "57014"][round % 3])
                    }
                }
            }
        }
        #expect((0..<3).map { grid.value(row: $0, column: 1) } == [2672, 2664, 2664])
        #expect((0..<3).map { grid.value(row: $0, column: 0) } == [0, 0, 0])
        #expect(durations.tally(row: 1).count == 8000)
        #expect(durations.tally(row: 1).sumNanoseconds == 16_000_000_000)
        #expect(durations.tally(row: 0).count == 0)
        let counted = Dictionary(uniqueKeysWithValues: codes.values.map { ($0.code, $0.count) })
        #expect(counted == ["23505": 2672, "40001": 2664, "57014": 2664])
    }

    @Test func `codes are bounded, and an invalid one has no name`() {
        let codes = CodeCounter(limit: 2)
        for code in ["23505", "22001", "42501", "", "Ada Lovelace", "ab123", "TOOLONG8", "23505"] {
            codes.add(code)
        }
        #expect(codes.values.map(\.code) == ["23505", "22001", "other"])
        #expect(codes.values.map(\.count) == [2, 1, 5])
    }

    @Test func `histograms of several threads add up`() {
        let first = Histogram(.requests)
        let second = Histogram(.requests)
        first.observe(nanoseconds: 1)
        second.observe(nanoseconds: 20_000_000_000)
        second.observe(nanoseconds: -5)
        let sum = first.tally + second.tally
        #expect(sum.count == 3)
        #expect(sum.counts.first == 2)
        #expect(sum.counts.last == 1)
        #expect(sum.sumNanoseconds == 20_000_000_001)
    }

    @Test func `raising a gauge never lowers it`() {
        let gauge = Gauge()
        for value in [3, 9, 4] { gauge.raise(to: value) }
        #expect(gauge.value == 9)
        gauge.set(2)
        gauge.add(-1)
        #expect(gauge.value == 1)
    }
}
