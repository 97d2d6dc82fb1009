import Metrics
import Synchronization

/// A beat that a loop makes at a steady rate, as long as it turns.
///
/// The delay of a beat is how long anything waits that becomes ready on the loop: behind other work, or because
/// the machine is busy. A stuck loop makes no beats, which others can see.
package final class Pulse: @unchecked Sendable {
    package let loop: Loop
    /// From the moment a beat was due to the moment it was made.
    package let lag = Histogram(.waits)
    /// The largest delay of a beat so far, in nanoseconds.
    package let greatestLag = Gauge()

    private let everyMilliseconds: Int
    private let onBeat: @Sendable () -> Void
    private let lastBeat: Atomic<Int64>
    private var timer: LoopTimer?

    /// - Parameter onBeat: called on the loop with each beat.
    package init(
        of loop: Loop, everyMilliseconds: Int = 250, onBeat: @escaping @Sendable () -> Void = {}
    ) {
        self.loop = loop
        self.everyMilliseconds = everyMilliseconds
        self.onBeat = onBeat
        lastBeat = Atomic(loop.time.now)
    }

    /// Starts beating; called on the loop.
    package func start() {
        loop.preconditionCurrent()
        beat()
    }

    /// Stops beating; called on the loop.
    package func stop() {
        loop.preconditionCurrent()
        timer?.cancel()
        timer = nil
    }

    /// How long ago the last beat was, in nanoseconds; callable from any thread.
    package var silence: Int64 {
        max(0, loop.time.now - lastBeat.load(ordering: .relaxed))
    }

    private func beat() {
        lastBeat.store(loop.time.now, ordering: .relaxed)
        onBeat()
        let due = loop.now + Int64(everyMilliseconds) * 1_000_000
        timer = loop.schedule(afterMilliseconds: everyMilliseconds) { [self] in
            let late = Int(max(0, loop.time.now - due))
            lag.observe(nanoseconds: late)
            greatestLag.raise(to: late)
            beat()
        }
    }
}
