import API
import Crypto
import EventLoop
import School
import Synchronization

/// Compares and hashes passwords off the loops: one at a time for sign-ins, and one at a time for sheets, so that no
/// sign-in waits behind a sheet.
///
/// Each hash takes almost half a second and 32 MiB, so more at once would only slow each other down. If too many
/// wait, the next caller is asked to come back. `HashingQueue` decides the order.
package final class PasswordThreads: Sendable {
    /// Work to do or to refuse.
    private struct Job: Sendable {
        let run: @Sendable () -> Void
        let refuse: @Sendable (any Error) -> Void
    }

    private struct State {
        var queue: HashingQueue<Job>
        var lastTicket = 0
        var refused = 0
        var isRunning = false
        var hasThread = false
    }

    /// The current load.
    struct Load {
        let waiting: Int
        let running: Int
        /// How many callers have been asked to come back since the start.
        let refused: Int
    }

    /// How many sheets are made at a time, taking turns.
    private static let sheetsMax = 4

    private let state: Mutex<State>
    private let wakeUp = Semaphore()
    private let sheetThreads = BlockingThreads(count: 1, queueLimit: sheetsMax + 1)
    private let sheets = Mutex(0)
    private let isRenewing = Mutex(false)
    private let cost: Scrypt.Cost

    /// - Parameter cost: of new records, and at least of each comparison.
    package convenience init(cost: Scrypt.Cost = .standard) {
        self.init(limits: HashingLimits(), cost: cost)
    }

    init(limits: HashingLimits, cost: Scrypt.Cost = .standard) {
        self.cost = cost
        state = Mutex(State(queue: HashingQueue(limits: limits)))
    }

    /// How many passwords are waiting or in progress, and how many callers were asked to come back.
    var load: Load {
        state.withLock {
            Load(waiting: $0.queue.count, running: $0.isRunning ? 1 : 0, refused: $0.refused)
        }
    }

    /// Whether the record was made from the password. Without a record, it takes as long and returns false.
    func matches(_ password: String, _ record: String?, for asker: Asker) async throws -> Bool {
        try await run(asker) { [cost] in Scrypt.verify(password, against: record, at: cost) }
    }

    /// A record of a new password.
    func record(of password: String, for asker: Asker) async throws -> String {
        try await run(asker) { [cost] in Scrypt.hash(password, at: cost) }
    }

    /// The record of a password that it was compared with, made again at today's cost if its own is lower.
    ///
    /// `nil` if it is not, or while another one is made: the next sign-in comes here again. It takes turns with
    /// sheets, so that after the cost has risen a first school day takes no longer than any other.
    func renewed(_ record: String, of password: String) async throws -> String? {
        guard Scrypt.isWeaker(record, than: cost) else { return nil }
        let isAlone = isRenewing.withLock { isRenewing in
            defer { isRenewing = true }
            return !isRenewing
        }
        guard isAlone else { return nil }
        defer { isRenewing.withLock { $0 = false } }
        return try await sheetThreads.run { [cost] in
            Scrypt.renewed(record, of: password, at: cost)
        }
    }

    /// Records of the new passwords of a sheet, in order; 429 while too many sheets are being made.
    ///
    /// With p = 1, as a sheet of 250 passwords would otherwise take minutes. They are random, and void after the first
    /// sign-in or two weeks, so that more work would not protect them better.
    func records(of passwords: [String]) async throws -> [String] {
        let isLetIn = sheets.withLock { sheets in
            guard sheets < Self.sheetsMax else { return false }
            sheets += 1
            return true
        }
        guard isLetIn else { throw Problem.sheetsBusy }
        defer { sheets.withLock { $0 -= 1 } }
        var records: [String] = []
        for password in passwords {
            records.append(
                try await sheetThreads.run { [cost] in Scrypt.hash(password, at: cost.once) })
        }
        return records
    }

    /// Runs the job when its turn comes. A job that has not begun when the task is cancelled is dropped.
    private func run<Value: Sendable>(
        _ asker: Asker, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                submit(
                    Job(
                        run: { continuation.resume(with: Result { try body() }) },
                        refuse: { continuation.resume(throwing: $0) }), asker, ticket)
            }
        } onCancel: {
            state.withLock { $0.queue.withdraw(ticket) }?.refuse(CancellationError())
        }
    }

    private func submit(_ job: Job, _ asker: Asker, _ ticket: Int) {
        let (refused, mustStart) = state.withLock { state in
            let (isIn, out) = state.queue.add(job, of: asker, ticket: ticket)
            let refused = isIn ? out : job
            if refused != nil { state.refused += 1 }
            let mustStart = isIn && !state.hasThread
            if mustStart { state.hasThread = true }
            return (refused, mustStart)
        }
        refused?.refuse(Problem.signInBusy)
        if mustStart { startThread { self.work() } }
        wakeUp.signal()
    }

    private func work() {
        while true {
            wakeUp.wait()
            let job = state.withLock { state in
                let job = state.queue.next()
                state.isRunning = job != nil
                return job
            }
            job?.run()
            state.withLock { $0.isRunning = false }
        }
    }
}
