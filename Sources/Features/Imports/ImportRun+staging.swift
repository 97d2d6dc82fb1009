import Archive
import Contract
import Postgres

/// What an organization takes, and what the one who ordered an import asks for.
struct ImportRules {
    /// Rows that may be left out whatever their share is.
    static let rowsAlwaysLeftOut = 10

    /// Every deviation from the standard is a mistake, and a mistake ends the import.
    var isStrict = false
    /// The share of a file's rows that may be left out, in percent.
    var leftOutPercent = 1
    /// The day in the organization, as `2026-08-31`.
    var today: [UInt8] = []

    init() {}

    init(row: Row) throws {
        isStrict = try row.bool("is_strict")
        leftOutPercent = try row.int("left_out_percent")
        today = Array(try row.text("today").utf8)
    }

    /// Whether so many rows of a file are too many to be left out.
    func refuses(_ leftOut: Int, of rows: Int) -> Bool {
        leftOut > Self.rowsAlwaysLeftOut && leftOut * 100 > leftOutPercent * rows
    }
}

extension ImportRun {
    /// Copies all files into the staging tables. Returns the names of those that could not be read completely.
    mutating func stage(_ files: ArchiveFiles) throws -> [String] {
        try connection.query(.beginStaging())
        try connection.query(.noteScopes(files.files.map(\.file)))
        var unread: [String] = []
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
                said.errors.add(error.finding)
                unread.append(file.layout.name)
                continue
            }
            let isReadable = try copy(file, stream) { count in
                bytesRead += count
                report(0.6 * Double(bytesRead) / Double(totalSize))
            }
            if !isReadable { unread.append(file.layout.name) }
        }
        return unread
    }

    /// Copies a file into its staging table. False if it could not be read completely.
    private mutating func copy(
        _ file: ImportFile, _ stream: ZipEntryStream, advance: @escaping (Int) -> Void
    ) throws -> Bool {
        var said = said
        var result = ReadFile()
        let isStrict = rules.isStrict
        let today = rules.today
        try connection.copyIn(file.layout.staging(hasFlaws: !isStrict)) { send in
            try withoutActuallyEscaping(send) { send in
                guard isStrict else {
                    var notes = ImportNotes(file: file.layout.name)
                    var reading = LenientReading(
                        file.layout, today: today, advance: advance, send: send)
                    try reading.read(
                        stream, notes: &notes, warnings: &said.warnings, errors: &said.errors)
                    said.notesOfFiles += notes.made
                    result = reading.result
                    return
                }
                var reading = FileReading(file.layout, advance: advance, send: send)
                try reading.read(stream, findings: &said.errors)
                result.isReadable = reading.isReadable
            }
        }
        self.said = said
        rowsOfFiles[file.layout.name] = result.rows
        if result.leftOut { filesWithFlaws.append(file.layout.name) }
        return result.isReadable
    }

    /// Finds the contradictions between rows. In a strict import each is a mistake; in others, what contradicts is left
    /// out.
    mutating func check(_ files: ArchiveFiles, _ unread: [String]) throws {
        let isApples = files.format == .appleCSV
        try connection.query(isApples ? .analyseStaging() : .analyseOneRoster())
        if files.format == .schoolDataSync {
            try connection.query(.adoptSchoolDataSync(isStrict: rules.isStrict))
        }
        if rules.isStrict {
            let mistakes = try connection.query(
                isApples ? .mistakes(unread: unread) : .oneRosterMistakes(unread: unread))
            return try said.errors.add(contradictions: mistakes, in: files.format)
        }
        guard said.errors.isEmpty else { return }
        if !filesWithFlaws.isEmpty { try connection.query(.takeLeftOut(of: filesWithFlaws)) }
        try refuseAboveShare()
        guard said.errors.isEmpty else { return }
        try connection.query(.settleMistakes(isStandard: !isApples, unread: unread))
        try takeFindings(files.format)
        try refuseAboveShare()
    }

    private mutating func takeFindings(_ format: ImportFormat) throws {
        let notes = Set(ImportNote.allCases.map(\.rawValue))
        var counted: [CountedFindings] = []
        for row in try connection.query(.countedFindings()) {
            let code = try row.text("code")
            let lines = try row.text("lines").split(separator: ",").compactMap { Int($0) }
            let (file, count) = (try row.text("file"), try row.int("n"))
            if notes.contains(code) {
                var tally = ImportTally(.note, file: file, code: code)
                for (index, line) in lines.enumerated() {
                    tally.count(line: line, number: index == 0 ? count : 0)
                }
                said.notesOfFiles.append(tally)
            } else {
                counted.append(
                    CountedFindings(
                        code: ImportFinding.Code(rawValue: code) ?? .internalError, file: file,
                        column: format.column(try row.text("column_name"), of: file),
                        count: count, lines: lines))
            }
        }
        guard !counted.isEmpty else { return }
        let first = try connection.query(.firstFindings(but: notes.sorted()))
        var findings: [ImportFinding] = []
        for row in first {
            findings.append(try ImportFinding(contradiction: row, in: format))
        }
        said.warnings.add(findings, of: counted)
    }

    /// Refuses the archive if more of a file would be left out than the organization takes.
    private mutating func refuseAboveShare() throws {
        for row in try connection.query(.leftOutRows()) {
            let (file, counted) = (try row.text("file"), try row.int("counted"))
            leftOutOfFiles[file] = try row.int("rows")
            let rows = rowsOfFiles[file] ?? 0
            guard rules.refuses(counted, of: rows) else { continue }
            said.errors.add(
                ImportFinding(
                    .tooManyLeftOut, file: file, line: try row.int("line"),
                    "\(counted) of \(rows) rows of \(file) cannot be used: more than \(rules.leftOutPercent) % and more "
                        + "than \(ImportRules.rowsAlwaysLeftOut). The warnings say why, the first of them for line "
                        + "\(try row.int("line")). Correct the export and send it again."))
        }
    }

    /// An archive in which everybody is missing is a broken export.
    mutating func refuseWithoutPeople(_ files: ArchiveFiles) throws {
        let ofPeople = files.files.filter { file, entry in
            entry != nil && file.isWhole && file.kinds.contains { $0 == .student || $0 == .staff }
        }
        guard let file = ofPeople.first?.file.layout.name,
            try !connection.query(.hasStagedPeople())[0].bool("has_people")
        else { return }
        said.errors.add(
            ImportFinding(
                .noPeople, file: file,
                "The archive brings nobody: no row of \(file) is about a person who is enabled and has a role here. Check "
                    + "what was chosen for the export."))
    }
}
