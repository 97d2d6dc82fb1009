import Synchronization

/// A number that only grows. Thread-safe; one addition costs a few nanoseconds.
package final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    package init() {}

    package func add(_ amount: Int = 1) {
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    package var value: Int { count.load(ordering: .relaxed) }
}

/// A number that goes up and down. Thread-safe.
package final class Gauge: Sendable {
    private let number = Atomic<Int>(0)

    package init() {}

    package func set(_ value: Int) {
        number.store(value, ordering: .relaxed)
    }

    package func add(_ amount: Int) {
        number.wrappingAdd(amount, ordering: .relaxed)
    }

    /// Sets the value if it is greater than the current one.
    package func raise(to value: Int) {
        var known = number.load(ordering: .relaxed)
        while value > known {
            let (exchanged, original) = number.compareExchange(
                expected: known, desired: value, ordering: .relaxed)
            if exchanged { return }
            known = original
        }
    }

    package var value: Int { number.load(ordering: .relaxed) }
}
