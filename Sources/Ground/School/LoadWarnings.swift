import API
import EventLoop
import Log
import Synchronization

/// Logs requests that were refused because of load: once a second, with their count.
final class LoadWarnings: Sendable {
    private struct Second {
        var busy = 0
        var limited = 0
        var isCounting = false
    }

    private let log: Log
    private let second = Mutex(Second())

    init(_ log: Log) {
        self.log = log
    }

    /// Counts a refusal, which is logged within a second.
    func count(_ problem: Problem) {
        let begins = second.withLock { second in
            if problem.status == 429 { second.limited += 1 } else { second.busy += 1 }
            defer { second.isCounting = true }
            return !second.isCounting
        }
        guard begins else { return }
        guard let loop = Loop.current else { return logCounts() }
        loop.schedule(afterMilliseconds: 1000) { [weak self] in self?.logCounts() }
    }

    /// Logs what was counted since the last time, if anything.
    func logCounts() {
        let counted = second.withLock { second in
            defer { second = Second() }
            return second
        }
        guard counted.isCounting else { return }
        log.warning(
            "requests refused, too many came",
            ["busy": .int(counted.busy), "limited": .int(counted.limited)])
    }
}

extension Problem {
    /// Whether it is a refusal because of load: nothing is broken, there are only too many requests.
    var isLoad: Bool { status == 429 || code == "busy" }
}
