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
    private let allowances = UploadAllowances()

    init(database: Database, log: Log?) {
        self.database = database
        worker = UploadWorker(database: database, log: log)
    }

    /// Returns when the upload is durable, or is part of the request's open transaction. Throws 429 if the person has
    /// sent too much, and 503 if too much of the organization is waiting.
    func take(_ kind: UploadKind, _ document: [UInt8], of caller: Caller) async throws {
        try allowances.take(document.count, of: caller, now: Loop.current?.now ?? 0)
        guard !worker.figures.isCrowded(caller.organizationID) else { throw Problem.busy }
        let statement = Statement.takeUpload(kind, JSONDocument(document))
        if document.count <= Self.smallBytes {
            _ = try await database.patientQuery(statement, as: caller)
        } else {
            _ = try await database.longQuery(statement, as: caller)
        }
        let worker = worker
        database.afterCommit { worker.nudge() }
    }
}

/// How much each person may send to this process: 32 MiB at once and 1 MiB a second, where each upload counts for at
/// least 8 KiB beside its content.
final class UploadAllowances: Sendable {
    private static let bytesAtOnce: Int64 = 32 << 20
    private static let bytesPerSecond: Int64 = 1 << 20
    private static let bytesPerUpload: Int64 = 8 << 10
    private static let peopleMax = 50_000

    /// For each person, the time in nanoseconds at which the whole allowance is available again.
    private let fullAt = Mutex<[PersonID: Int64]>([:])

    /// - Parameter now: monotonic time, in nanoseconds.
    func take(_ bytes: Int, of caller: Caller, now: Int64) throws {
        guard let personID = caller.personID else { return }
        let cost = Self.nanoseconds(Int64(bytes) + Self.bytesPerUpload)
        let excess = fullAt.withLock { fullAt in
            if fullAt.count >= Self.peopleMax { fullAt = fullAt.filter { $0.value > now } }
            let after = max(fullAt[personID] ?? 0, now) + cost
            let excess = after - now - Self.nanoseconds(Self.bytesAtOnce)
            if excess <= 0 { fullAt[personID] = after }
            return excess
        }
        guard excess > 0 else { return }
        throw Problem.tooMuchUploaded(retryAfterSeconds: Int((excess - 1) / 1_000_000_000) + 1)
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
