import CLinux
import Synchronization

/// Where a loop's time comes from, in nanoseconds since some moment in the past.
package struct TimeSource: Sendable {
    /// `nil` for the system's monotonic clock.
    private let manual: ManualTime?

    /// The monotonic clock of the system.
    package static let real = TimeSource(manual: nil)

    /// A time of its own for one loop, for tests: it stands still until `Loop.advance` or `pass` moves it.
    package static func manual() -> TimeSource { TimeSource(manual: ManualTime()) }

    /// The present time, which goes on within a turn of the loop; callable from any thread.
    package var now: Int64 { manual?.now ?? linux_monotonic_nanoseconds() }

    /// Moves a manual time as work of that length would: timers that become due meanwhile are late.
    package func pass(milliseconds: Int) {
        guard let manual else { preconditionFailure("the system's clock cannot be moved") }
        manual.move(to: manual.now + Int64(milliseconds) * 1_000_000)
    }

    var isManual: Bool { manual != nil }

    func move(to moment: Int64) {
        manual?.move(to: moment)
    }
}

private final class ManualTime: Sendable {
    /// An hour, so that a difference to an earlier moment is a moment, too.
    private let nanoseconds = Atomic<Int64>(3_600_000_000_000)

    var now: Int64 { nanoseconds.load(ordering: .acquiring) }

    func move(to moment: Int64) {
        nanoseconds.store(moment, ordering: .releasing)
    }
}

/// How far a manual time is to be moved.
struct Advance {
    let nanoseconds: Int64
    /// Known once it has begun.
    var target: Int64?
    let completion: @Sendable () -> Void
}

extension Loop {
    /// Moves the time of a loop with a manual one, from one timer to the next, and calls the completion on the loop
    /// when the time is over and the loop has nothing left to do. Callable from any thread.
    ///
    /// Before each step everything is done that is ready. What other threads and processes are still about to do is
    /// not waited for.
    package func advance(milliseconds: Int, then completion: @escaping @Sendable () -> Void) {
        precondition(time.isManual, "the system's clock cannot be moved")
        execute {
            self.advances.append(
                Advance(nanoseconds: Int64(milliseconds) * 1_000_000, completion: completion))
        }
    }

    /// The same for a task.
    package func advance(milliseconds: Int) async {
        await withCheckedContinuation { continuation in
            advance(milliseconds: milliseconds) { continuation.resume() }
        }
    }

    /// Moves a manual time to the next timer, or ends the advance; called when the loop has nothing to do.
    func stepTime() {
        guard var advance = advances.first else { return }
        let target = advance.target ?? time.now + advance.nanoseconds
        advance.target = target
        advances[0] = advance
        if let deadline = nextDeadline, deadline <= target {
            time.move(to: max(deadline, time.now))
        } else if time.now < target {
            time.move(to: target)
        } else {
            advances.removeFirst()
            advance.completion()
        }
    }
}
