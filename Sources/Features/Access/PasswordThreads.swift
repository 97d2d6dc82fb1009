import API
import Crypto
import EventLoop
import HTTPServer
import School
import Synchronization

/// How long somebody waits for the turn of a password.
enum Patience: Int, Sendable {
    /// The caller of the API, in seconds.
    case call = 30
    /// A person in front of a page that says how long it takes.
    case page = 300
}

/// Compares and hashes passwords off the loops: on all processors but one for sign-ins, and one at a time for sheets, so
/// that no sign-in waits behind a sheet.
///
/// Each hash takes some tens of milliseconds and of MiB. `HashingQueue` decides whose turn it is, and whether
/// it comes in time; otherwise the caller is asked to come back.
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
        var startedThreads = 0
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
    private let threads: Int
    private let wakeUp = Semaphore()
    private let sheetThreads = BlockingThreads(count: 1, queueLimit: sheetsMax + 1)
    private let sheets = Mutex(0)
    private let isRenewing = Mutex(false)
    private let cost: PasswordCost
    /// How long a comparison with a record of the other algorithm takes; the mean of the last ones.
    private let foreignTime: Mutex<Int64>

    /// - Parameters:
    ///   - cost: of new records, and at least of each comparison.
    ///   - threads: how many passwords are hashed at a time.
    package init(
        cost: PasswordCost = .standard,
        threads: Int = PasswordThreads.threads(ofProcessors: processorCount)
    ) {
        self.cost = cost
        self.threads = threads
        let pace = cost.probableNanoseconds
        state = Mutex(State(queue: HashingQueue(threads: threads, pace: pace)))
        // Records of scrypt are those of earlier versions.
        let earlier = PasswordCost.scrypt(.standard).probableNanoseconds
        if case .argon2 = cost { foreignTime = Mutex(earlier) } else { foreignTime = Mutex(pace) }
    }

    /// How many passwords are hashed at a time on a machine: one processor stays free for everything else.
    package static func threads(ofProcessors count: Int) -> Int { max(1, count - 1) }

    /// How many passwords are waiting or in progress, and how many callers were asked to come back.
    var load: Load {
        state.withLock {
            Load(waiting: $0.queue.count, running: $0.queue.runningCount, refused: $0.refused)
        }
    }

    /// What a comparison said, and how long it took.
    struct Comparison: Sendable {
        let isRight: Bool
        let nanoseconds: Int64
    }

    /// Whether the record was made from the password. Without a record, it takes as long and says no; only with one of
    /// the other algorithm it takes longer, for which `evenOut` makes up.
    ///
    /// - Parameter request: what is to say how long it still waits.
    func matches(
        _ password: String, _ record: String?, for asker: Asker, patience: Patience = .call,
        of request: HTTPRequest? = nil
    ) async throws -> Comparison {
        let comparison = try await run(asker, patience, request) { [cost] in
            let begin = TimeSource.real.now
            let isRight = cost.matches(password, record)
            return Comparison(isRight: isRight, nanoseconds: TimeSource.real.now - begin)
        }
        if let record, cost.isForeign(record) {
            foreignTime.withLock { $0 += (comparison.nanoseconds - $0) / 4 }
        }
        return comparison
    }

    /// Waits as long as the comparison would have taken with a record of the other algorithm. So the time of a refusal
    /// does not say that there is such a record, and with it the account.
    func evenOut(_ comparison: Comparison) async {
        let missing = foreignTime.withLock { $0 } - comparison.nanoseconds
        if missing > 0 { await pause(milliseconds: Int(missing / 1_000_000)) }
    }

    /// A record of a new password.
    func record(
        of password: String, for asker: Asker, of request: HTTPRequest? = nil
    ) async throws -> String {
        try await run(asker, .call, request) { [cost] in cost.record(of: password) }
    }

    /// The record of a password that it was compared with, made again at today's cost if its own is lower.
    ///
    /// `nil` if it is not, or while another one is made: the next sign-in comes here again. It takes turns with
    /// sheets, so that after the cost has risen a first school day takes no longer than any other.
    func renewed(_ record: String, of password: String) async throws -> String? {
        guard cost.isAbove(record) else { return nil }
        let isAlone = isRenewing.withLock { isRenewing in
            defer { isRenewing = true }
            return !isRenewing
        }
        guard isAlone else { return nil }
        defer { isRenewing.withLock { $0 = false } }
        return try await sheetThreads.run { [cost] in
            cost.renewed(record, of: password)
        }
    }

    /// Records of the new passwords of a sheet, in order; 429 while too many sheets are being made.
    ///
    /// In one pass, as a sheet of 250 passwords would otherwise take minutes. They are random, and void after the first
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
                try await sheetThreads.run { [cost] in cost.once.record(of: password) })
        }
        return records
    }

    /// Runs the job when its turn comes. A job that has not begun when the task is cancelled is dropped.
    func run<Value: Sendable>(
        _ asker: Asker, _ patience: Patience, _ request: HTTPRequest?,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        request?.setWait { [self] in secondsToWait(ticket, asker) }
        // Others may come later and go before it.
        let timer = Loop.current?.schedule(afterMilliseconds: patience.rawValue * 1000) { [self] in
            giveUp(ticket, asker)
        }
        defer {
            timer?.cancel()
            request?.setWait(nil)
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                submit(
                    Job(
                        run: { continuation.resume(with: Result { try body() }) },
                        refuse: { continuation.resume(throwing: $0) }), asker, ticket, patience)
            }
        } onCancel: {
            state.withLock { $0.queue.withdraw(ticket, of: asker) }?.refuse(CancellationError())
        }
    }

    private func submit(_ job: Job, _ asker: Asker, _ ticket: Int, _ patience: Patience) {
        let (admission, mustStart) = state.withLock { state in
            let nanoseconds = Int64(patience.rawValue) * 1_000_000_000
            let admission = state.queue.add(
                job, of: asker, ticket: ticket, patience: nanoseconds)
            guard admission == .isIn else {
                state.refused += 1
                return (admission, false)
            }
            let mustStart = state.startedThreads < threads
            if mustStart { state.startedThreads += 1 }
            return (admission, mustStart)
        }
        if case .comeBack(let time) = admission {
            return job.refuse(Problem.signInBusy(retryAfterSeconds: Self.seconds(time)))
        }
        if mustStart { startThread { self.work() } }
        wakeUp.signal()
    }

    private func secondsToWait(_ ticket: Int, _ asker: Asker) -> Int? {
        state.withLock { $0.queue.wait(of: ticket, asker) }.map(Self.seconds)
    }

    private func giveUp(_ ticket: Int, _ asker: Asker) {
        let (job, time) = state.withLock { state in
            let time = state.queue.wait(of: ticket, asker) ?? 0
            let job = state.queue.withdraw(ticket, of: asker)
            if job != nil { state.refused += 1 }
            return (job, time)
        }
        job?.refuse(Problem.signInBusy(retryAfterSeconds: Self.seconds(time)))
    }

    /// At least one, as nobody should come back at once.
    private static func seconds(_ nanoseconds: Int64) -> Int {
        max(1, Int((nanoseconds + 999_999_999) / 1_000_000_000))
    }

    private func work() {
        while true {
            wakeUp.wait()
            guard let job = state.withLock({ $0.queue.next() }) else { continue }
            let begin = TimeSource.real.now
            job.run()
            let time = TimeSource.real.now - begin
            state.withLock { $0.queue.ended(after: time) }
        }
    }
}
