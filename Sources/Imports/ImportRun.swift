import Archive
import Postgres
import School

/// Takes one archive from its files to the directory, in an open transaction that runs as the person who ordered the
/// import.
///
/// Rows stream from the archive into temporary tables, where they are checked against each other. Then the plan is
/// made, and only then is the directory written. An archive with a mistake changes nothing. Memory use does not
/// depend on the size.
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

    private var findings = ImportFindings()
    private var warnings = ImportFindings()
    private var files: ArchiveFiles?
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
        let needsAll = try connection.query(.hasImportedBefore())[0].bool("has_imported")
        files = ArchiveFiles(archive, needsAll: needsAll, findings: &findings)
        // A read failure is not a mistake in the archive.
        if let failure = archive.failure { throw failure }
        guard let files else { return try outcome(.failed) }
        let unread = try stage(files)
        if let failure = archive.failure { throw failure }
        try check(files, unread)
        guard findings.isEmpty else { return try outcome(.failed) }
        if files.format != .appleCSV { try connection.query(.mapOneRoster()) }
        report(0.7)
        let plan = try connection.query(.planImport()).map(ImportOutcome.File.init(row:))
        removals = try connection.query(.shrinkage()).map(ImportOutcome.Removal.init(row:))
        try findings.add(contradictions: connection.query(.overfullClasses()))
        try warnings.add(contradictions: connection.query(.warnings()))
        guard findings.isEmpty else { return try outcome(.failed) }
        report(0.75)
        try connection.query(.keepChanges(of: importID))
        report(0.8)
        if let waiting = try outcomeToLookAt(plan) { return waiting }
        let succeeded = try outcome(.succeeded, plan)
        try connection.query(.apply(importID, endingAt: succeeded.endedAt))
        report(0.99)
        return succeeded
    }

    /// The outcome of an import whose plan has to be approved first; `nil` if it is to be applied.
    private mutating func outcomeToLookAt(
        _ plan: [ImportOutcome.File]
    ) throws -> ImportOutcome? {
        if case .apply(let isApproved) = kind {
            let waits = !isApproved && removals.contains(where: \.isMuch)
            return try waits ? outcome(.awaitingApproval, plan) : nil
        }
        let digest = try connection.query(.planDigest(of: importID))[0].bytes("digest")
        if case .previewed(let seen) = kind {
            if digest == seen { return nil }
            warnings.add(
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
            ignoredFiles: files?.ignored ?? [], errors: findings.kept.sorted(by: precedes),
            errorCount: findings.count,
            endedAt: try connection.query(.importEnd())[0].timestamp("ended_at"))
        guard status != .failed else { return outcome }
        outcome.warnings = warnings.kept.sorted(by: precedes)
        outcome.warningCount = warnings.count
        outcome.removals = removals
        return outcome
    }

    /// Copies all files into the staging tables. Returns the names of those that could not be read completely.
    private mutating func stage(_ files: ArchiveFiles) throws -> [String] {
        try connection.query(.beginStaging())
        try connection.query(.noteScopes(files.files.map(\.file)))
        var unread: [String] = []
        var findings = findings
        var bytesRead = 0
        let totalSize = max(1, files.totalSize)
        let report = report
        for (file, entry) in files.files {
            guard let entry else { continue }
            let stream: ZipEntryStream
            do throws(ArchiveError) {
                stream = try files.reader.stream(entry)
            } catch {
                // There is no file at the position that the archive states.
                findings.add(error.finding)
                unread.append(file.layout.name)
                continue
            }
            var isReadable = true
            try connection.copyIn(file.layout.staging) { send in
                try withoutActuallyEscaping(send) { send in
                    var reading = FileReading(
                        file.layout,
                        advance: { count in
                            bytesRead += count
                            report(0.6 * Double(bytesRead) / Double(totalSize))
                        }, send: send)
                    try reading.read(stream, findings: &findings)
                    isReadable = reading.isReadable
                }
            }
            if !isReadable { unread.append(file.layout.name) }
        }
        self.findings = findings
        return unread
    }

    /// Adds the contradictions between rows.
    private mutating func check(_ files: ArchiveFiles, _ unread: [String]) throws {
        let isApples = files.format == .appleCSV
        try connection.query(isApples ? .analyseStaging() : .analyseOneRoster())
        let mistakes = try connection.query(
            isApples ? .mistakes(unread: unread) : .oneRosterMistakes(unread: unread))
        try findings.add(contradictions: mistakes)
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

extension ImportFindings {
    /// Adds the contradictions found by a statement.
    fileprivate mutating func add(contradictions rows: Rows) throws {
        for row in rows {
            let finding = try ImportFinding(contradiction: row)
            add(finding)
        }
        if let row = rows.first { addUnkept(try row.int("total") - rows.count) }
    }
}

extension ImportFinding {
    /// Reads a row of `import_mistakes`.
    fileprivate init(contradiction row: Row) throws {
        let code = Code(rawValue: try row.text("code")) ?? .internalError
        let value = shown(try row.text("value"))
        let file = try row.optionalText("known_file") ?? ""
        let line = try row.optionalInt("known_line") ?? 0
        let column = try row.text("column_name")
        let text =
            switch code {
            case .duplicateID: "\(value) already appears in \(file), line \(line)."
            case .duplicateSeat:
                "\(value) is already in this class (line \(line))."
            case .unknownReference: "There is no \(value) in \(file)."
            case .wrongPeriod: "The end, \(value), is before the beginning."
            case .roleConflict:
                "\(value) is not a \(file) in the list of users, and is seated as one."
            case .classTooLarge:
                "A class may have at most \(line) \(file)s, and \(value) would have more."
            case .circularReference: "\(value) is, by way of others, a part of itself."
            case .higherRole:
                "\(value) has a role that the person who ordered this import may not give, and stays as "
                    + "he or she is."
            case .guardedEmail:
                "\(value) teaches or taught and has signed in, so that only an administrator changes the email. It "
                    + "stays as it is."
            default: "The managed ID is made of \(column), so it must not be empty."
            }
        self.init(
            code, file: try row.text("file"), line: try row.optionalInt("line"), column: column,
            text)
    }
}
