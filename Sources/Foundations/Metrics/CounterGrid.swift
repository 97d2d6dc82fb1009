import Synchronization

/// A table of counters, indexed by row and column instead of by labels: counting is one addition in memory,
/// without a look-up or an allocation.
///
/// Thread-safe. Threads that count a lot have a grid each, so that they do not contend for cache lines; a
/// reader adds the grids up.
package final class CounterGrid: @unchecked Sendable {
    package let rows: Int
    package let columns: Int
    private let cells: UnsafeMutablePointer<Atomic<Int>>

    package init(rows: Int, columns: Int) {
        self.rows = rows
        self.columns = columns
        cells = .allocate(capacity: rows * columns)
        for index in 0..<rows * columns { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize(count: rows * columns)
        cells.deallocate()
    }

    package func add(_ amount: Int = 1, row: Int, column: Int) {
        cells[index(row, column)].wrappingAdd(amount, ordering: .relaxed)
    }

    package func value(row: Int, column: Int) -> Int {
        cells[index(row, column)].load(ordering: .relaxed)
    }

    private func index(_ row: Int, _ column: Int) -> Int {
        precondition((0..<rows).contains(row) && (0..<columns).contains(column))
        return row * columns + column
    }
}
