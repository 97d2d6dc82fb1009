import CLinux
import EventLoop

/// Reports the state of a service to the service manager: that it starts, is ready, reloads, stops, and, while
/// its loops turn, that it is alive.
///
/// Does nothing if the service manager did not ask for it. Any thread may call it; it works on its own loop.
package final class ServiceReport: @unchecked Sendable {
    /// How much more time is requested while the service starts, and how often, in seconds.
    private static let extensionSeconds = 30
    private static let repetitionMilliseconds = 10_000
    /// A start that takes longer than an hour has failed.
    private static let extensionsMax = 360

    private let socket: NotifySocket?
    private let watchdogMilliseconds: Int?
    /// `nil` if no report was asked for.
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

    /// Repeatedly requests the time that a migration or a database recovery may need, until `ready` is called.
    package func starting() {
        loop?.execute {
            self.timer?.cancel()
            self.status = ServiceReport.opening
            self.extend()
        }
    }

    /// The service waits for something outside it, as long as it takes; that time does not count as part of its
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

    /// The service answers requests from now on. If there is a watchdog, it is notified twice per interval,
    /// provided that every pulse beat within the last half of the interval. A stuck loop withholds the
    /// notification, and the service manager acts as configured.
    package func ready(watching pulses: [Pulse]) {
        loop?.execute {
            self.timer?.cancel()
            self.socket?.send("READY=1", "STATUS=Serves.")
            if let period = self.watchdogMilliseconds {
                self.watch(pulses, everyMilliseconds: max(1, period / 2))
            }
        }
    }

    /// The service reloads its settings; `reloaded` follows.
    package func reloading() {
        socket?.send("RELOADING=1", "MONOTONIC_USEC=\(linux_monotonic_nanoseconds() / 1000)")
    }

    package func reloaded() {
        socket?.send("READY=1")
    }

    /// The service accepts nothing new and is shutting down.
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
