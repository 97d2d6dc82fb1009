import Log
import Metrics
import Postgres
import School
import Values

/// Whose upload is next.
struct UploadTurn: Sendable {
    let organizationID: UUID
    let personID: UUID

    init(_ row: Row) throws {
        organizationID = try row.uuid("organization_id")
        personID = try row.uuid("person_id")
    }
}

/// Stores what lies in the inbox: one upload in each transaction, which takes it out of the inbox as well.
struct UploadStore: Sendable {
    /// How many people of an organization get a turn in one round.
    private static let peopleEach = 8

    /// The connection broke over an upload, which may be the reason.
    struct Interrupted: Error {
        let uploadID: UUID
        let turn: UploadTurn
        let cause: PostgresError
    }

    let figures: UploadFigures
    let log: Log?

    /// Stores the oldest upload of everybody whose turn it is; answers how many it dealt with. None where others hold
    /// all that waits, or nothing does.
    func storeRound(in session: Session) async throws -> Int {
        var count = 0
        for row in try await session.query(.pendingUploads(each: Self.peopleEach)) {
            if try await storeNext(in: UploadTurn(row), session) { count += 1 }
        }
        return count
    }

    /// Stores the next upload of a person unless somebody else does.
    private func storeNext(in turn: UploadTurn, _ session: Session) async throws -> Bool {
        var claimed: UUID?
        do {
            try await session.transaction(as: nil) { session in
                claimed = try await session.query(.claimUpload(in: turn)).first?.uuid("upload_id")
                guard let claimed else { return }
                try await session.query(.storeUpload(claimed, in: turn))
            }
        } catch let error as PostgresError {
            guard let claimed else { throw error }
            if case .connectionLost = error {
                throw Interrupted(uploadID: claimed, turn: turn, cause: error)
            }
            try await note(error, of: claimed, in: turn, session)
            return true
        }
        if claimed != nil { figures.stored.add() }
        return claimed != nil
    }

    /// Puts an upload aside, or off; throws where the failure is not the upload's own.
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
        /// It may pass another time.
        case again
        /// The database is in trouble, whatever is stored.
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
