/// The upper bounds of a histogram's buckets, in nanoseconds, ascending; durations above the last bound fall
/// into an extra bucket.
package struct Buckets: Sendable, Equatable {
    package let nanoseconds: [Int]

    package init(microseconds: [Int]) {
        nanoseconds = microseconds.map { $0 * 1000 }
        precondition(
            zip(nanoseconds, nanoseconds.dropFirst()).allSatisfy(<), "bounds should ascend")
    }

    /// From a quarter of a millisecond to ten seconds: how long requests take.
    package static let requests = Buckets(microseconds: [
        250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
        2_500_000, 5_000_000, 10_000_000,
    ])

    /// From a millisecond to ten seconds: how long something waits for its turn.
    package static let waits = Buckets(microseconds: [
        1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
        10_000_000,
    ])
}

/// How often durations fell into each bucket, in numbered rows. Thread-safe.
package final class HistogramGrid: Sendable {
    package let buckets: Buckets
    /// One column per bucket, then one for longer durations, then the sum.
    private let cells: CounterGrid

    package init(rows: Int, _ buckets: Buckets) {
        self.buckets = buckets
        cells = CounterGrid(rows: rows, columns: buckets.nanoseconds.count + 2)
    }

    /// Counts one duration; a negative one, which no clock should produce, counts as zero.
    package func observe(nanoseconds: Int, row: Int) {
        let bounds = buckets.nanoseconds
        var column = 0
        while column < bounds.count, nanoseconds > bounds[column] { column += 1 }
        cells.add(row: row, column: column)
        cells.add(max(0, nanoseconds), row: row, column: bounds.count + 1)
    }

    /// The current content of a row.
    package func tally(row: Int) -> HistogramTally {
        let count = buckets.nanoseconds.count
        return HistogramTally(
            buckets: buckets, counts: (0...count).map { cells.value(row: row, column: $0) },
            sumNanoseconds: cells.value(row: row, column: count + 1))
    }
}

/// One histogram. Thread-safe.
package final class Histogram: Sendable {
    private let grid: HistogramGrid

    package init(_ buckets: Buckets) {
        grid = HistogramGrid(rows: 1, buckets)
    }

    package func observe(nanoseconds: Int) {
        grid.observe(nanoseconds: nanoseconds, row: 0)
    }

    package var tally: HistogramTally { grid.tally(row: 0) }
}

/// The content of a histogram at some moment.
package struct HistogramTally: Sendable {
    package let buckets: Buckets
    /// The count of each bucket alone; the last one is for durations above every bound.
    package private(set) var counts: [Int]
    package private(set) var sumNanoseconds: Int

    package var count: Int { counts.reduce(0, +) }

    /// Adds the tallies of two histograms with the same buckets.
    package static func + (left: HistogramTally, right: HistogramTally) -> HistogramTally {
        precondition(left.buckets == right.buckets)
        var sum = left
        for index in sum.counts.indices { sum.counts[index] += right.counts[index] }
        sum.sumNanoseconds += right.sumNanoseconds
        return sum
    }
}
