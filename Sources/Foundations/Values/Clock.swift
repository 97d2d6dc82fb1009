import Glibc

/// A wall clock. It is handed in, so that tests decide what time it is.
///
/// What only measures durations asks a monotonic clock, such as that of its loop.
package struct Clock: Sendable {
    private let read: @Sendable () -> Timestamp

    /// - Parameter read: says what time it is.
    package init(_ read: @escaping @Sendable () -> Timestamp) {
        self.read = read
    }

    /// Now, in UTC, to the millisecond.
    package var now: Timestamp { read() }

    /// The machine's. Only the program itself names it: its server and its commands.
    package static let system = Clock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
