import Foundation
import Glibc

/// The clock of programs that run with its variables, which Debian's faketime moves.
///
/// Every look at the clock reads how far ahead it is from a file. Timers and time-outs go on in real time.
package struct TestClock: Sendable {
    private static let file = "/tmp/homeroom-clock-\(geteuid())-\(getpid())"

    /// The clock is right at first.
    init() throws {
        try set(ahead: 0)
        atexit { unlink(TestClock.file) }
    }

    /// What has to be in the environment of a program, as `NAME=value`. The loader replaces `$LIB`.
    package let variables = [
        "LD_PRELOAD=/usr/$LIB/faketime/libfaketime.so.1", "FAKETIME_TIMESTAMP_FILE=\(file)",
        "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1", "NO_FAKE_STAT=1",
    ]

    /// Sets the clock that many seconds ahead of real time, at once for all programs.
    package func set(ahead seconds: Int) throws {
        // Nobody may read half a file.
        try "+\(seconds)".write(toFile: TestClock.file, atomically: true, encoding: .utf8)
        guard chmod(TestClock.file, 0o644) == 0 else { throw POSIXError(.EPERM) }
    }
}
