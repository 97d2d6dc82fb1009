import EventLoop
import Log
import Metrics
import Postgres
import School
import Values

/// The person whose uploads are next.
struct UploadTurn: Sendable {
    let organizationID: UUID
    let personID: UUID

    init(_ row: Row) throws {
        organizationID = try row.uuid("organization_id")
        personID = try row.uuid("person_id")
    }
}

/// Stores the uploads in the inbox: each transaction stores one, or several similar ones of a person, and removes
/// them from the inbox.
struct UploadStore: Sendable {
    /// How many people of an organization get a turn in one round.
    private static let peopleEach = 8
    /// How many uploads of a person may be stored at once.
    private static let uploadsAtOnce = 16

    /// The connection broke while uploads were being stored; one of them may be the cause.
    struct Interrupted: Error {
        let uploadIDs: [UUID]
        let turn: UploadTurn
        let cause: PostgresError
    }

    let figures: UploadFigures
    let log: Log?

    /// Stores the oldest uploads of everyone whose turn it is; returns how many people were served. 0 if others hold
    /// all waiting uploads, everyone waiting is resting, or nothing waits.
    func storeRound(in session: Session, rests: UploadRests = UploadRests()) async throws -> Int {
        var count = 0
        let resting = rests.resting(now: Loop.current?.now ?? 0)
        for row in try await session.query(
            .pendingUploads(each: Self.peopleEach, resting: resting))
        {
            let turn = try UploadTurn(row)
            let began = Loop.current?.now ?? 0
            if try await storeNext(in: turn, session) { count += 1 }
            rests.note(turn.personID, from: began, to: Loop.current?.now ?? 0)
        }
        return count
    }

    /// Stores a person's next uploads unless another worker is storing them. If that fails, stores the first one alone.
    private func storeNext(
        _ count: Int = UploadStore.uploadsAtOnce, in turn: UploadTurn, _ session: Session
    ) async throws -> Bool {
        var claimed: [UUID] = []
        var stored = 0
        do {
            try await session.transaction(as: nil) { session in
                claimed = try await session.query(.claimUploads(count, in: turn))
                    .map { try $0.uuid("upload_id") }
                guard !claimed.isEmpty else { return }
                stored = try await session.query(.storeUploads(claimed, in: turn))[0].int("count")
            }
        } catch let error as PostgresError {
            guard let first = claimed.first else { throw error }
            if case .connectionLost = error {
                throw Interrupted(uploadIDs: claimed, turn: turn, cause: error)
            }
            if claimed.count > 1 { return try await storeNext(1, in: turn, session) }
            try await note(error, of: first, in: turn, session)
            return true
        }
        figures.stored.add(stored)
        return stored > 0
    }

    /// Sets an upload aside, or postpones it; throws if the failure is not the upload's own.
    func note(
        _ error: PostgresError, of uploadID: UUID, in turn: UploadTurn, _ session: Session
    ) async throws {
        let outcome = Outcome(error)
        guard outcome != .elsewhere else { throw error }
        try await session.query(
            .noteFailure(
                error.sqlState ?? "08006", isFinal: outcome == .final, of: uploadID, in: turn))
        figures.failed.add()
        log?.error(
            "upload not stored",
            [
                "upload_id": .uuid(uploadID), "cause": .text(logText(of: error)),
                "again": .text(outcome == .again ? "later" : "at the next start"),
            ])
    }

    /// What a failure means for the upload.
    private enum Outcome {
        /// It fails every time.
        case final
        /// It may succeed another time.
        case again
        /// The database is in trouble, whichever upload is stored.
        case elsewhere

        init(_ error: PostgresError) {
            switch error {
            case .unavailable, .busy, .cancelled: self = .elsewhere
            case .connectionLost, .misuse, .unexpected: self = .again
            case .server(let server):
                switch server.sqlState.prefix(2) {
                case _ where server.sqlState == "57014": self = .again
                case "40", "55", "XX": self = .again
                case "08", "25", "53", "57", "58": self = .elsewhere
                default: self = .final
                }
            }
        }
    }
}
