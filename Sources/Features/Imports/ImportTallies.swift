import Metrics

/// How many imports a process has ended, by result. Any thread may count and read.
package final class ImportTallies: Sendable {
    let running = Gauge()
    private let results = CounterGrid(rows: 1, columns: ImportOutcome.Status.allCases.count)

    func count(_ status: ImportOutcome.Status) {
        results.add(row: 0, column: column(status))
    }

    func count(of status: ImportOutcome.Status) -> Int {
        results.value(row: 0, column: column(status))
    }

    private func column(_ status: ImportOutcome.Status) -> Int {
        ImportOutcome.Status.allCases.firstIndex(of: status) ?? 0
    }
}
