import Archive
import CSV
import Contract

/// What was read of a file.
struct ReadFile {
    var rows = 0
    /// Whether a row, or a part of one, was left out.
    var leftOut = false
    var isReadable = true
}

/// Reads one file of an archive as other systems write them, record by record.
struct LenientReading {
    let layout: FileLayout
    /// Called with rows in COPY's text format.
    let send: (UnsafeRawBufferPointer) throws -> Void
    /// Called with the number of bytes of the file that were read since the last call.
    let advance: (Int) -> Void
    /// As `2026-08-31`.
    let today: [UInt8]

    private var rows = CopyText()
    private(set) var result = ReadFile()

    init(
        _ layout: FileLayout, today: [UInt8], advance: @escaping (Int) -> Void,
        send: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) {
        self.layout = layout
        self.today = today
        self.advance = advance
        self.send = send
    }

    /// Reads to the end of the file, or to where it cannot be read any further.
    mutating func read(
        _ stream: ZipEntryStream, notes: inout ImportNotes, warnings: inout ImportFindings,
        errors: inout ImportFindings
    ) throws {
        do {
            let advance = advance
            let opening = try CSVOpening {
                let bytes = try stream.next()
                if let bytes { advance(bytes.count) }
                return bytes
            }
            notes.add(opening)
            var reader = CSVReader(options: layout.options.lenient(opening)) { try opening.next() }
            guard let header = try header(&reader, &notes, &errors), let use = header.use else {
                result.isReadable = false
                return
            }
            var judge = RowJudge(
                layout, header, use, today: today, notes: notes, warnings: warnings)
            defer {
                notes = judge.notes
                warnings = judge.warnings
                result.rows = judge.rows
                result.leftOut = judge.leftOut
            }
            while let record = try reader.next() {
                if judge.take(record) { try pass(judge, record.line) }
            }
        } catch let error as CSVError {
            errors.add(ImportFinding(unreadable: error, file: layout.name))
            result.isReadable = false
        } catch let error as ArchiveError {
            errors.add(error.finding)
            result.isReadable = false
        }
        try flush()
    }

    private func header(
        _ reader: inout CSVReader, _ notes: inout ImportNotes, _ errors: inout ImportFindings
    ) throws -> FileHeader? {
        guard let record = try reader.next() else {
            errors.add(
                ImportFinding(
                    .emptyFile, file: layout.name,
                    "\(layout.name) is empty; its first line must be a header that names the columns."
                ))
            return nil
        }
        if let flaw = record.flaw { throw flaw }
        return FileHeader(found: record.fields, of: layout, notes: &notes, findings: &errors)
    }

    private mutating func pass(_ judge: RowJudge, _ line: Int) throws {
        rows.append(line)
        for output in judge.header.outputs {
            switch output {
            case .value(let index): rows.append(index.map { judge.values[$0] } ?? [])
            case .list(let indices):
                rows.append(indices.map { $0.map { judge.values[$0] } ?? [] })
            }
        }
        rows.append(Array((judge.flaw?.rawValue ?? "").utf8)[...])
        rows.endRow()
        if rows.isFull { try flush() }
    }

    private mutating func flush() throws {
        guard !rows.bytes.isEmpty else { return }
        try rows.bytes.withUnsafeBytes(send)
        rows.removeAll()
    }
}

extension CSVOptions {
    /// For files of other programs, whose values are counted by who reads them.
    func lenient(_ opening: CSVOpening) -> CSVOptions {
        var options = self
        options.isLenient = true
        options.requiresEqualCounts = false
        options.firstLine = opening.skippedLines + 1
        if opening.separator != .detected { options.separator = opening.separator }
        return options
    }
}

extension ImportNotes {
    /// Notes what stood in front of a header.
    mutating func add(_ opening: CSVOpening) {
        for note in opening.notes {
            switch note {
            case .utf16: add(.utf16)
            case .repeatedMark: add(.trimmed, line: 1)
            case .separatorLine, .typeLine: add(.technicalLine, line: 1)
            case .semicolons, .tabs: add(.otherSeparator)
            }
        }
    }
}

extension ImportFinding {
    /// Why a file cannot be read on, and what to do.
    init(unreadable error: CSVError, file: String) {
        let place = " (character \(error.column) of the line)"
        switch error.code {
        case .invalidUTF8:
            self.init(
                .invalidUTF8, file: file, line: error.line,
                "\(file) is not UTF-8\(place). It looks like a file of Excel in an older encoding, such as Windows-1252 "
                    + "or Shift_JIS. In Excel, save it as \"CSV UTF-8\"; in other programs, choose UTF-8."
            )
        case .nullCharacter:
            self.init(
                .malformedCSV, file: file, line: error.line,
                "\(file) is not text in UTF-8\(place). In Excel, save it as \"CSV UTF-8\"; in other programs, choose UTF-8."
            )
        case .unterminatedQuote:
            self.init(
                .malformedCSV, file: file, line: error.line,
                "\(error.text)\(place) Close it, or remove it, and send the archive again.")
        default:
            self.init(
                .malformedCSV, file: file, line: error.line,
                "\(error.text)\(place) Correct the line and send the archive again.")
        }
    }
}
