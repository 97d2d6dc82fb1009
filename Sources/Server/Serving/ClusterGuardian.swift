import CLinux
import Cluster
import EventLoop
import Glibc
import Log
import Synchronization

/// Starts the private PostgreSQL again when it died under a running service, which it notices in a fifth of a
/// second; later each time that it does not stand.
final class ClusterGuardian: Sendable {
    private let isStopped = Atomic(false)
    private let semaphore = Semaphore()

    init(_ cluster: Cluster, log: Log) {
        startThread { [self] in
            var pause = GrowingPause()
            while wait(milliseconds: pause.milliseconds) {
                do {
                    let died = try cluster.ensureRunning()
                    pause.note(hasFailed: died, at: linux_monotonic_nanoseconds())
                } catch {
                    pause.note(hasFailed: true, at: linux_monotonic_nanoseconds())
                    log.error(
                        "database not started",
                        [
                            "cause": .text("\(error)"),
                            "next_try_ms": .milliseconds(Double(pause.milliseconds)),
                        ])
                }
            }
            semaphore.signal()
        }
    }

    /// Returns when the database is looked after no more, so that it can be stopped.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        semaphore.wait()
    }

    /// False where it was stopped meanwhile.
    private func wait(milliseconds: Int) -> Bool {
        var rest = milliseconds
        while rest > 0, !isStopped.load(ordering: .acquiring) {
            usleep(UInt32(min(rest, 200)) * 1000)
            rest -= 200
        }
        return !isStopped.load(ordering: .acquiring)
    }
}

/// How long to wait until something is looked at again that may have failed: from a fifth of a second, twice as
/// long after each failure, to half a minute.
struct GrowingPause {
    static let first = 200
    static let last = 30_000
    /// After which what was started counts as sound.
    private static let soundNanoseconds: Int64 = 60_000_000_000

    private(set) var milliseconds = GrowingPause.first
    private var failedAt: Int64 = 0

    /// - Parameter now: on a clock that is never set, in nanoseconds.
    mutating func note(hasFailed: Bool, at now: Int64) {
        if hasFailed {
            milliseconds = min(milliseconds * 2, GrowingPause.last)
            failedAt = now
        } else if now - failedAt > GrowingPause.soundNanoseconds {
            milliseconds = GrowingPause.first
        }
    }
}
