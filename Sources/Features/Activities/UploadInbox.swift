import API
import EventLoop
import HTTPWire
import JSONBytes
import Log
import Postgres
import School
import Synchronization
import Values

/// The kind of an upload.
enum UploadKind: String {
    case activities
    /// The path of a context that the app reports as done.
    case completion
}

/// Accepts what apps report: durably, at the same cost for everyone, and no more than can be stored.
///
/// A person's limit counts what was sent and not what still waits, because uploads that count for an assignment wait
/// longer.
final class UploadInbox: Sendable {
    /// An upload of more bytes goes to the lane for slow statements.
    static let smallBytes = 65_536

    let worker: UploadWorker
    private let database: Database
    let allowances = UploadAllowances()

    init(database: Database, log: Log?) {
        self.database = database
        worker = UploadWorker(database: database, log: log)
    }

    /// Returns when the upload is durable, or is part of the request's open transaction. Throws 429 if the person has
    /// sent too much, and 503 if too much of the organization is waiting.
    func take(_ kind: UploadKind, _ document: [UInt8], of caller: Caller) async throws {
        _ = try await take(
            .takeUpload(kind, JSONDocument(document)), bytes: document.count,
            costing: document.count, of: caller)
    }

    /// The same for a statement that leaves an upload, and may answer.
    ///
    /// - Parameters:
    ///   - bytes: the length of its document.
    ///   - cost: what it takes of the person's allowance, in bytes.
    ///   - receipts: how many statements it is, whose receipts are kept for a month.
    func take(
        _ statement: Statement, bytes: Int, costing cost: Int, receipts: Int = 0, of caller: Caller
    ) async throws -> Rows {
        try allowances.take(
            cost, receipts: receipts, of: caller, now: Loop.current?.now ?? 0)
        guard !worker.figures.isCrowded(caller.organizationID) else { throw Problem.busy }
        let rows =
            try await bytes <= Self.smallBytes
            ? database.patientQuery(statement, as: caller)
            : database.longQuery(statement, as: caller)
        let worker = worker
        database.afterCommit { worker.nudge() }
        return rows
    }
}

/// How much each person may send to this process: 32 MiB at once and 1 MiB a second, where each upload counts for at
/// least 8 KiB beside its content; and statements for 20,000 receipts in any 24 hours, however small they are.
final class UploadAllowances: Sendable {
    private static let bytesAtOnce: Int64 = 32 << 20
    private static let bytesPerSecond: Int64 = 1 << 20
    private static let bytesPerUpload: Int64 = 8 << 10
    /// At once, and so many again come back in the course of a day.
    private static let receiptsAtOnce: Int64 = 10_000
    private static let day: Int64 = 86_400_000_000_000
    private static let peopleMax = 50_000

    /// For each person, the times in nanoseconds at which a whole allowance is available again.
    private struct WholeAt {
        var bytes: [PersonID: Int64] = [:]
        /// Only of people whose apps sent statements within a day.
        var receipts: [PersonID: Int64] = [:]
    }

    private let wholeAt = Mutex(WholeAt())

    /// - Parameters:
    ///   - receipts: how many the upload leaves.
    ///   - now: monotonic time, in nanoseconds.
    func take(_ bytes: Int, receipts: Int = 0, of caller: Caller, now: Int64) throws {
        guard let personID = caller.personID else { return }
        let cost = Self.nanoseconds(Int64(bytes) + Self.bytesPerUpload)
        let receiptCost = Int64(receipts) * (Self.day / Self.receiptsAtOnce)
        let excess = wholeAt.withLock { wholeAt in
            Self.makeRoom(in: &wholeAt, now: now)
            let afterBytes = max(wholeAt.bytes[personID] ?? 0, now) + cost
            let afterReceipts = max(wholeAt.receipts[personID] ?? 0, now) + receiptCost
            var excess = afterBytes - now - Self.nanoseconds(Self.bytesAtOnce)
            if receipts > 0 { excess = max(excess, afterReceipts - now - Self.day) }
            guard excess <= 0 else { return excess }
            wholeAt.bytes[personID] = afterBytes
            if receipts > 0 { wholeAt.receipts[personID] = afterReceipts }
            return excess
        }
        guard excess > 0 else { return }
        throw Problem.tooMuchUploaded(retryAfterSeconds: Int((excess - 1) / 1_000_000_000) + 1)
    }

    /// Forgets those who have everything again; and all receipts if those are of too many people to look through.
    private static func makeRoom(in wholeAt: inout WholeAt, now: Int64) {
        if wholeAt.bytes.count >= peopleMax {
            wholeAt.bytes = wholeAt.bytes.filter { $0.value > now }
        }
        guard wholeAt.receipts.count >= peopleMax else { return }
        wholeAt.receipts = wholeAt.receipts.filter { $0.value > now }
        if wholeAt.receipts.count >= peopleMax { wholeAt.receipts = [:] }
    }

    private static func nanoseconds(_ bytes: Int64) -> Int64 {
        bytes * 1_000_000_000 / bytesPerSecond
    }
}

extension Problem {
    static func tooMuchUploaded(retryAfterSeconds seconds: Int) -> Problem {
        Problem(
            429, "upload_allowance_used", "This person's apps sent too much at once.",
            detail: "Try again after the time in Retry-After.",
            headers: [ResponseField("Retry-After", String(seconds))])
    }
}
