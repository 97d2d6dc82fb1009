import EventLoop
import Log
import Metrics
import Postgres
import Synchronization

/// Compares the rules in the database with `SQL/` when a server starts, and every hour, on a thread of its own.
///
/// A server with changed rules serves on: a school that stands still at eight helps nobody, and the operator who reads
/// the alert can stop it. Confined to its loop, but for what the thread reports. Must be stopped.
package final class RulesWatch: @unchecked Sendable {
    private static let pauseNanoseconds: Int64 = 3_600_000_000_000
    /// After this long it is tried again if it could not be done, for example because a table was locked.
    private static let retryMilliseconds = 60_000

    private struct State {
        /// How many differences open something; `nil` until they were counted.
        var changed: Int?
        /// What was said in the log, so that it is said once.
        var said: Set<String> = []
        var hasFailed = false
    }

    private let folder: String
    private let database: String
    private let log: Log?
    private let state = Mutex(State())
    private var timer: LoopTimer?
    private var isStopped = false

    /// - Parameters:
    ///   - folder: the folder `SQL`, read each time.
    ///   - database: the URL for connecting as the server's login.
    package init(folder: String, database: String, log: Log?) {
        self.folder = folder
        self.database = database
        self.log = log
    }

    /// Compares now and from then on; call on the loop.
    func start(on loop: Loop) {
        guard !isStopped else { return }
        startErrand { self.look() }
        wait(on: loop, until: loop.now + Self.pauseNanoseconds)
    }

    /// Looks again at that moment of the loop's time, or after a minute if the last look failed.
    ///
    /// A number of timers would be more than an hour wherever one of them is late.
    private func wait(on loop: Loop, until due: Int64) {
        timer = loop.schedule(afterMilliseconds: Self.retryMilliseconds) {
            let isDue = loop.now >= due || self.state.withLock { $0.hasFailed }
            isDue ? self.start(on: loop) : self.wait(on: loop, until: due)
        }
    }

    /// Call on the loop.
    func stop() {
        isStopped = true
        timer?.cancel()
        timer = nil
    }

    private func look() {
        do {
            // It reads many tables at a time, and must not keep a migration waiting while it waits for one.
            let connection = try BlockingConnection(
                database, options: ["statement_timeout": "60000", "lock_timeout": "5000"])
            try connection.execute("set application_name = 'homeroom rules'")
            report(try RuleComparison(Definitions(folder: folder), connection))
            state.withLock { $0.hasFailed = false }
        } catch {
            state.withLock { $0.hasFailed = true }
            // A database that is away is reported by others.
            log?.warning("rules not compared", ["cause": .text("\(error)")])
        }
    }

    private func report(_ comparison: RuleComparison) {
        for sentence in comparison.leftOut {
            log?.info("rules not compared", ["cause": .text(sentence)])
        }
        let texts = comparison.errors.map(\.text)
        let said = state.withLock { $0.said }
        for text in texts where !said.contains(text) {
            log?.error("rules changed", ["difference": .text(text)])
        }
        state.withLock { state in
            state.changed = comparison.isCompared ? texts.count : nil
            state.said = Set(texts)
        }
    }

    /// Exports how many rules were changed, once that is known.
    func export(to metrics: inout Exposition) {
        guard let changed = state.withLock({ $0.changed }) else { return }
        metrics.gauge(
            "homeroom_rules_changed",
            "Policies, rights, functions and other rules in the database that are not as this version has them.",
            changed)
    }
}
