import CLinux
import Cluster
import EventLoop
import Glibc
import Log
import Synchronization

/// Restarts the private PostgreSQL if it dies under a running service. It notices within a fifth of a second, and
/// waits longer after each failed start.
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

    /// Stops watching the database and returns once it may be stopped.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        semaphore.wait()
    }

    /// Returns false if it was stopped in the meantime.
    private func wait(milliseconds: Int) -> Bool {
        var rest = milliseconds
        while rest > 0, !isStopped.load(ordering: .acquiring) {
            usleep(UInt32(min(rest, 200)) * 1000)
            rest -= 200
        }
        return !isStopped.load(ordering: .acquiring)
    }
}

/// How long to wait before retrying something that failed: a fifth of a second, doubled after each failure up to half
/// a minute.
struct GrowingPause {
    static let first = 200
    static let last = 30_000
    /// How long something has to run to count as healthy.
    private static let soundNanoseconds: Int64 = 60_000_000_000

    private(set) var milliseconds = GrowingPause.first
    private var failedAt: Int64 = 0

    /// - Parameter now: monotonic time, in nanoseconds.
    mutating func note(hasFailed: Bool, at now: Int64) {
        if hasFailed {
            milliseconds = min(milliseconds * 2, GrowingPause.last)
            failedAt = now
        } else if now - failedAt > GrowingPause.soundNanoseconds {
            milliseconds = GrowingPause.first
        }
    }
}
