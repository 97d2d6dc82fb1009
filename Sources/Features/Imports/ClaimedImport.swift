import Contract
import Postgres
import School
import Values

/// An import that this process has claimed, with the transaction that holds the claim.
///
/// The import's changes and its recorded result are one transaction: if the process is killed before the commit,
/// nothing remains, and the next worker starts over. Progress is reported over a second connection.
struct ClaimedImport {
    /// How often an import is begun; one that ends its process each time is then given up.
    static let attemptsMax = 3
    /// How many bytes of an archive are read from the database at a time.
    static let pieceBytes = 256 * 1024

    let organizationID: OrganizationID
    let importID: ImportID
    private let isPreview: Bool
    private let isApproved: Bool
    private let previewed: [UInt8]?
    private let identity: Identity

    init(row: Row) throws {
        let organizationID = OrganizationID(try row.uuid("organization_id"))
        self.organizationID = organizationID
        importID = ImportID(try row.uuid("import_id"))
        isPreview = try row.text("mode") == "preview"
        isApproved = try row.bool("is_approved")
        previewed = try row.optionalBytes("plan_digest")
        let word = try row.text("standing")
        guard let standing = Standing(rawValue: word) else {
            throw PostgresError.unexpected(column: "standing", "\(word) is not a standing")
        }
        identity =
            Caller(
                organizationID: organizationID,
                personID: try row.optionalUUID("person_id").map { ID($0) },
                serviceAccountID: try row.optionalUUID("service_account_id").map { ID($0) },
                standings: [standing]
            ).identity
    }

    /// Runs the import and records its result.
    ///
    /// - Parameters:
    ///   - work: the connection that made the claim, with its open transaction.
    ///   - notes: another connection, outside any transaction.
    func run(
        work: BlockingConnection, notes: BlockingConnection,
        report: @escaping (Double) -> Void = { _ in }
    ) throws -> ImportOutcome {
        let attempts = try notes.query(.beginImport(importID), as: identity)[0].int("attempts")
        let moment = try work.query(.importEnd(), as: identity)[0].timestamp("ended_at")
        if attempts > ClaimedImport.attemptsMax {
            return try record(.interrupted(at: moment), work)
        }
        guard try work.query(.ordererStands())[0].bool("stands") else {
            return try record(.withoutAuthority(at: moment), work)
        }
        let archive = try ArchivePieces(of: importID, notes, as: identity)
        var reported = 0.0
        let kind: ImportRun.Kind =
            isPreview
            ? .preview
            : previewed.map { .previewed($0) } ?? .apply(isApproved: isApproved)
        var run = ImportRun(importID, work, kind) { progress in
            guard progress - reported >= 0.02 else { return }
            reported = progress
            _ = try? notes.query(.noteProgress(importID, progress), as: identity)
            report(progress)
        }
        return try record(run.run(archive), work)
    }

    /// Records that the service itself failed; the cause is in the log.
    func fail(_ notes: BlockingConnection) throws {
        try notes.transaction {
            let moment = try notes.query(.importEnd(), as: identity)[0].timestamp("ended_at")
            _ = try record(.broken(at: moment), notes)
        }
    }

    private func record(
        _ outcome: ImportOutcome, _ connection: BlockingConnection
    ) throws -> ImportOutcome {
        try connection.query(.forgetFindings(importID))
        try connection.query(.forgetFiles(importID))
        if !outcome.errors.isEmpty || !outcome.warnings.isEmpty {
            try connection.query(
                .record(errors: outcome.errors, warnings: outcome.warnings, of: importID))
        }
        if !outcome.files.isEmpty { try connection.query(.record(outcome.files, of: importID)) }
        try connection.query(.record(outcome, of: importID))
        if outcome.status == .awaitingApproval || outcome.status == .planned { return outcome }
        try connection.query(.forgetArchive(importID))
        guard outcome.status == .succeeded else { return outcome }
        try connection.query(.carryToken(of: importID))
        try connection.query(.audit(outcome, of: importID))
        return outcome
    }
}

extension ImportOutcome {
    fileprivate static func interrupted(at moment: Timestamp) -> ImportOutcome {
        ImportOutcome(
            ImportFinding(
                .interrupted,
                "The server stopped \(ClaimedImport.attemptsMax) times while it read this archive. "
                    + "Nothing was changed."), at: moment)
    }

    fileprivate static func withoutAuthority(at moment: Timestamp) -> ImportOutcome {
        ImportOutcome(
            ImportFinding(
                .lostAuthority,
                "The person or account that ordered this import was deactivated or revoked since, or lost the "
                    + "role for it. Nothing was changed. Someone with the role should upload it again."
            ),
            at: moment)
    }

    fileprivate static func broken(at moment: Timestamp) -> ImportOutcome {
        ImportOutcome(
            ImportFinding(
                .internalError,
                "Something went wrong on our side; nothing was changed. The log of the server has the cause "
                    + "under the id of this import."), at: moment)
    }

    private init(_ finding: ImportFinding, at moment: Timestamp) {
        self.init(
            status: .failed, format: nil, files: [], ignoredFiles: [], errors: [finding],
            errorCount: 1, endedAt: moment)
    }
}
