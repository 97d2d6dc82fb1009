import Synchronization
import Values

/// The time that the pages see.
final class ClockBox: Sendable {
    private let now: Mutex<Timestamp>

    init(_ now: Timestamp) { self.now = Mutex(now) }

    var value: Timestamp { now.withLock { $0 } }

    func advance(_ seconds: Int64) {
        now.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + seconds * 1000) }
    }
}
