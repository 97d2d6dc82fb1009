import Archive
import Contract
import Postgres
import School

/// Takes one archive from its files to the directory, in an open transaction that runs as the person who ordered the
/// import.
///
/// Rows stream from the archive into temporary tables, where they are checked against each other. Then the plan is
/// made, and only then is the directory written. What cannot be read is left out, and stays in the directory as it was;
/// above a share of it, and in a strict import for a single mistake, nothing is changed. Memory use does not depend on
/// the size.
struct ImportRun {
    /// How far an import goes.
    enum Kind {
        /// Only shows its plan.
        case preview
        /// Applies a plan with this digest, which someone saw and approved, and no other.
        case previewed([UInt8])
        /// Applies its plan; a plan that removes much waits for approval.
        case apply(isApproved: Bool)
    }

    let connection: BlockingConnection
    let importID: ImportID
    let kind: Kind
    /// Called with the progress, from 0 to 1.
    let report: (Double) -> Void

    var said = ImportReport()
    var rules = ImportRules()
    private var files: ArchiveFiles?
    /// How many rows each file has.
    var rowsOfFiles: [String: Int] = [:]
    /// How many of them were left out.
    var leftOutOfFiles: [String: Int] = [:]
    /// Files of whose rows some were left out while they were read.
    var filesWithFlaws: [String] = []
    /// Whether people may be removed who are still in the archive: nobody can tell of some rows whom they are about, or
    /// a person seems to have a new id.
    private var mayRemovePresent = false
    private var removals: [ImportOutcome.Removal] = []

    init(
        _ importID: ImportID, _ connection: BlockingConnection, _ kind: Kind,
        report: @escaping (Double) -> Void
    ) {
        self.importID = importID
        self.connection = connection
        self.kind = kind
        self.report = report
    }

    mutating func run(_ archive: ArchivePieces) throws -> ImportOutcome {
        // An import that is not there has none; that shows when its archive is read.
        rules =
            try connection.query(.importRules(of: importID)).first.map(ImportRules.init(row:))
            ?? ImportRules()
        let needsAll = try connection.query(.hasImportedBefore())[0].bool("has_imported")
        files = ArchiveFiles(
            archive, needsAll: needsAll, isStrict: rules.isStrict, report: &said)
        // A read failure is not a mistake in the archive.
        if let failure = archive.failure { throw failure }
        guard let files else { return try outcome(.failed) }
        let unread = try stage(files)
        if let failure = archive.failure { throw failure }
        try check(files, unread)
        guard said.errors.isEmpty else { return try outcome(.failed) }
        if files.format != .appleCSV { try connection.query(.mapOneRoster()) }
        if !rules.isStrict { try refuseWithoutPeople(files) }
        guard said.errors.isEmpty else { return try outcome(.failed) }
        report(0.7)
        return try planned()
    }

    /// Plans what has been staged, and applies it or shows it.
    private mutating func planned() throws -> ImportOutcome {
        var plan = try connection.query(.planImport()).map(ImportOutcome.File.init(row:))
        for index in plan.indices { plan[index].leftOut = leftOutOfFiles[plan[index].name] ?? 0 }
        removals = try connection.query(.shrinkage()).map(ImportOutcome.Removal.init(row:))
        try said.errors.add(contradictions: connection.query(.overfullClasses()))
        try said.warnings.add(contradictions: connection.query(.warnings()))
        guard said.errors.isEmpty else { return try outcome(.failed) }
        try noteUnknownRows()
        report(0.75)
        try connection.query(.keepChanges(of: importID))
        report(0.8)
        if let waiting = try outcomeToLookAt(plan) { return waiting }
        let succeeded = try outcome(.succeeded, plan)
        try connection.query(.apply(importID, endingAt: succeeded.endedAt))
        report(0.99)
        return succeeded
    }

    /// Whoever a row was about that cannot be read may be among those who would be removed.
    private mutating func noteUnknownRows() throws {
        guard !rules.isStrict, removals.contains(where: { $0.removed > 0 }) else { return }
        let moved = try connection.query(.movedPeople())
        if !moved.isEmpty { mayRemovePresent = true }
        try said.warnings.add(contradictions: moved)
        for row in try connection.query(.unknownRows()) {
            mayRemovePresent = true
            let (rows, file) = (try row.int("rows"), try row.text("file"))
            said.warnings.add(
                ImportFinding(
                    .unknownRow, file: file, line: try row.int("line"),
                    "\(rows) \(rows == 1 ? "row" : "rows") of \(file) cannot be read, and nobody can tell whom "
                        + "that is about. Some of those who would be removed may be among them, so that this waits for "
                        + "approval. Correct the file, or look at the removals."))
        }
    }

    /// The outcome of an import whose plan has to be approved first; `nil` if it is to be applied.
    private mutating func outcomeToLookAt(
        _ plan: [ImportOutcome.File]
    ) throws -> ImportOutcome? {
        if case .apply(let isApproved) = kind {
            let waits = !isApproved && (mayRemovePresent || removals.contains(where: \.isMuch))
            return try waits ? outcome(.awaitingApproval, plan) : nil
        }
        let digest = try connection.query(.planDigest(of: importID))[0].bytes("digest")
        if case .previewed(let seen) = kind {
            if digest == seen { return nil }
            said.warnings.add(
                ImportFinding(
                    .directoryChanged,
                    "The directory has changed since this preview, so nothing was applied. This is the "
                        + "new plan; approve it to apply it."))
        }
        var planned = try outcome(.planned, plan)
        planned.planDigest = digest
        return planned
    }

    private func outcome(
        _ status: ImportOutcome.Status, _ plan: [ImportOutcome.File] = []
    ) throws -> ImportOutcome {
        var outcome = ImportOutcome(
            status: status, format: files?.format, files: plan,
            ignoredFiles: files?.ignored ?? [], errors: said.errors.kept.sorted(by: precedes),
            errorCount: said.errors.count,
            endedAt: try connection.query(.importEnd())[0].timestamp("ended_at"))
        outcome.tallies = said.tallies
        outcome.warnings = said.warnings.kept.sorted(by: precedes)
        outcome.warningCount = said.warnings.count
        if status != .failed { outcome.removals = removals }
        return outcome
    }

    /// The order in which people work through the list: file by file, from top to bottom.
    private func precedes(_ left: ImportFinding, _ right: ImportFinding) -> Bool {
        let positions = [left, right].map { finding -> (Int, Int) in
            let position = files?.files.firstIndex { $0.file.layout.name == finding.file }
            return (position ?? -1, finding.line ?? 0)
        }
        return positions[0] < positions[1]
    }
}

extension ImportOutcome.File {
    fileprivate init(row: Row) throws {
        try self.init(
            name: row.text("name"), rows: row.int("rows"), created: row.int("created"),
            changed: row.int("changed"), unchanged: row.int("unchanged"),
            removed: row.int("removed"), skipped: row.int("skipped"))
    }
}

extension ImportOutcome.Removal {
    fileprivate init(row: Row) throws {
        try self.init(
            kind: row.text("kind"), removed: row.int("removed"), present: row.int("present"))
    }
}
