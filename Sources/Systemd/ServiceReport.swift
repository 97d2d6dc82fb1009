import CLinux
import EventLoop

/// Tells the service manager of a service's life: that it starts, is ready, reloads, stops, and, while its
/// loops turn, that it is alive.
///
/// Does nothing where the service manager did not ask. Any thread may call it; it works on a loop of its own.
package final class ServiceReport: @unchecked Sendable {
    /// How much more time is asked for while the service starts, and how often, in seconds.
    private static let extensionSeconds = 30
    private static let repetitionMilliseconds = 10_000
    /// A start that takes longer than an hour has failed.
    private static let extensionsMax = 360

    private let socket: NotifySocket?
    private let watchdogMilliseconds: Int?
    /// None where nobody asked.
    private let loop: Loop?
    private var timer: LoopTimer?
    private var extensions = 0
    private var status = ServiceReport.opening
    private static let opening = "Opens the database."

    package init(_ environment: ServiceEnvironment) throws(LoopError) {
        socket = environment.notify
        watchdogMilliseconds =
            environment.notify == nil ? nil : environment.watchdogMicroseconds.map { $0 / 1000 }
        loop = environment.notify == nil ? nil : try Loop()
        loop?.start()
    }

    deinit {
        loop?.stop()
    }

    /// Asks again and again for the time that a migration or a recovery of the database may need, until
    /// `ready` is told.
    package func starting() {
        loop?.execute {
            self.timer?.cancel()
            self.status = ServiceReport.opening
            self.extend()
        }
    }

    /// The service waits for something that is not its own, as long as it takes; that time is no part of its
    /// start. `starting` or `waiting` follows.
    package func waiting(_ status: String) {
        loop?.execute {
            self.extensions = 0
            guard self.status != status else { return }
            self.status = status
            self.timer?.cancel()
            self.extend()
        }
    }

    /// The service answers requests from now on. Where a watchdog was asked for, it hears twice in its time
    /// that every pulse was felt within the last half of it; a loop that is stuck keeps the word back, and the
    /// service manager does what it was told to do then.
    package func ready(watching pulses: [Pulse]) {
        loop?.execute {
            self.timer?.cancel()
            self.socket?.send("READY=1", "STATUS=Serves.")
            if let period = self.watchdogMilliseconds {
                self.watch(pulses, everyMilliseconds: max(1, period / 2))
            }
        }
    }

    /// The service reads its settings again; `reloaded` follows.
    package func reloading() {
        socket?.send("RELOADING=1", "MONOTONIC_USEC=\(linux_monotonic_nanoseconds() / 1000)")
    }

    package func reloaded() {
        socket?.send("READY=1")
    }

    /// The service accepts nothing new and ends.
    package func stopping() {
        socket?.send("STOPPING=1", "STATUS=Answers what is in flight.")
        loop?.execute {
            self.timer?.cancel()
            self.timer = nil
        }
    }

    private func extend() {
        guard extensions < Self.extensionsMax else { return }
        extensions += 1
        socket?.send(
            "EXTEND_TIMEOUT_USEC=\(Self.extensionSeconds * 1_000_000)", "STATUS=\(status)")
        timer = loop?.schedule(afterMilliseconds: Self.repetitionMilliseconds) { self.extend() }
    }

    private func watch(_ pulses: [Pulse], everyMilliseconds period: Int) {
        let limit = Int64(period) * 1_000_000
        if pulses.allSatisfy({ $0.silence <= limit }) { socket?.send("WATCHDOG=1") }
        timer = loop?.schedule(afterMilliseconds: period) {
            self.watch(pulses, everyMilliseconds: period)
        }
    }
}
