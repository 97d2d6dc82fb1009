import Crypto
import EventLoop
import School
import Synchronization

/// Where passwords are compared and hashed, off the loops: one at a time for those who sign in, and one at a
/// time for sheets, so that nobody waits to sign in behind a sheet.
///
/// Each costs a seventh of a second and 32 MiB, so that more at once would only slow each other down; when too
/// many wait, the next one is told to come back. Whose turn it is, is `HashingQueue`'s to say.
package final class PasswordThreads: Sendable {
    /// Something to do, or to refuse.
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

    /// How much there is to do.
    struct Load {
        let waiting: Int
        let running: Int
        /// Callers that were told to come back since the start.
        let refused: Int
    }

    /// How many sheets are made at a time, taking turns.
    private static let sheetsMax = 4

    private let state: Mutex<State>
    private let wakeUp = Semaphore()
    private let sheetThreads = BlockingThreads(count: 1, queueLimit: sheetsMax)
    private let sheets = Mutex(0)

    package convenience init() {
        self.init(limits: HashingLimits())
    }

    init(limits: HashingLimits) {
        state = Mutex(State(queue: HashingQueue(limits: limits)))
    }

    /// How many passwords wait and are worked on, and how many callers were told to come back.
    var load: Load {
        state.withLock {
            Load(waiting: $0.queue.count, running: $0.isRunning ? 1 : 0, refused: $0.refused)
        }
    }

    /// Whether the record was made from the password; without a record it takes as long and was not.
    func matches(_ password: String, _ record: String?, for asker: Asker) async throws -> Bool {
        try await run(asker) { Scrypt.verify(password, against: record) }
    }

    /// A record of a new password.
    func record(of password: String, for asker: Asker) async throws -> String {
        try await run(asker) { Scrypt.hash(password) }
    }

    /// Records of the new passwords of a sheet, in their order; 429 while enough sheets are made.
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
            records.append(try await sheetThreads.run { Scrypt.hash(password) })
        }
        return records
    }

    /// Does it when its turn comes; what has not begun when the task is cancelled is not done.
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
