import Archive
import CSV
import Contract

/// Reads one file of an archive, header first and then record by record. Reports every mistake, and passes every
/// record on as a row for its staging table.
struct FileReading {
    let layout: FileLayout
    /// Called with rows in COPY's text format.
    let send: (UnsafeRawBufferPointer) throws -> Void
    /// Called with the number of bytes of the file that were read since the last call.
    let advance: (Int) -> Void

    /// OneRoster's status of a row whose record was deleted.
    private static let deleted = Array("tobedeleted".utf8)

    private var rows = CopyText()
    private(set) var isReadable = true

    init(
        _ layout: FileLayout, advance: @escaping (Int) -> Void,
        send: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) {
        self.layout = layout
        self.send = send
        self.advance = advance
    }

    /// Reads to the end of the file, or to where it cannot be read any further.
    mutating func read(_ stream: ZipEntryStream, findings: inout ImportFindings) throws {
        let advance = advance
        var reader = CSVReader(options: layout.options) {
            let bytes = try stream.next()
            if let bytes { advance(bytes.count) }
            return bytes
        }
        do {
            guard let header = try header(&reader, findings: &findings) else {
                isReadable = false
                return
            }
            while let record = try next(&reader, header, findings: &findings) {
                try take(record, header, findings: &findings)
            }
        } catch let error as CSVError {
            add(error, nil, &findings)
            isReadable = false
        } catch let error as ArchiveError {
            findings.add(error.finding)
            isReadable = false
        }
        try flush()
    }

    private func header(
        _ reader: inout CSVReader, findings: inout ImportFindings
    ) throws -> FileHeader? {
        guard let record = try reader.next() else {
            findings.add(
                ImportFinding(
                    .emptyFile, file: layout.name,
                    "\(layout.name) is empty; the first line must be the header of the template."
                ))
            return nil
        }
        return FileHeader(record.fields, of: layout, findings: &findings)
    }

    /// The next record with as many values as the header; others are reported and skipped.
    private mutating func next(
        _ reader: inout CSVReader, _ header: FileHeader, findings: inout ImportFindings
    ) throws -> CSVRecord? {
        while true {
            do { return try reader.next() } catch let error as CSVError {
                guard error.isConfinedToRecord else { throw error }
                add(error, header, &findings)
                isReadable = false
            }
        }
    }

    private mutating func take(
        _ record: CSVRecord, _ header: FileHeader, findings: inout ImportFindings
    ) throws {
        let isDeleted =
            header.status.map { record.utf8($0).elementsEqual(FileReading.deleted) } ?? false
        for (index, column) in header.columns.enumerated() {
            let isNeeded = column.isRequired && (!isDeleted || index == header.identity)
            check(record.utf8(index), record.line(of: index), column, isNeeded, &findings)
        }
        rows.append(record.line)
        for output in header.outputs {
            switch output {
            case .value(let index): rows.append(index.map { record.utf8($0) } ?? [])
            case .list(let indices): rows.append(indices.map { $0.map { record.utf8($0) } ?? [] })
            }
        }
        rows.endRow()
        if rows.isFull { try flush() }
    }

    private func check(
        _ value: ArraySlice<UInt8>, _ line: Int, _ column: FileHeader.Column, _ isNeeded: Bool,
        _ findings: inout ImportFindings
    ) {
        if value.isEmpty {
            guard isNeeded else { return }
            findings.add(
                ImportFinding(
                    .missingValue, file: layout.name, line: line, column: column.name,
                    "\(column.name) must not be empty."))
        } else if let mistake = column.rule.mistake(in: value) {
            findings.add(
                ImportFinding(
                    mistake.code, file: layout.name, line: line, column: column.name,
                    mistake.text))
        }
    }

    private func add(
        _ error: CSVError, _ header: FileHeader?, _ findings: inout ImportFindings
    ) {
        let code: ImportFinding.Code =
            switch error.code {
            case .fieldCount: .wrongNumberOfValues
            case .invalidUTF8: .invalidUTF8
            default: .malformedCSV
            }
        let character = error.code == .fieldCount ? "" : " (character \(error.column) of the line)"
        findings.add(
            ImportFinding(
                code, file: layout.name, line: error.line, "\(error.text)\(character)"))
    }

    private mutating func flush() throws {
        guard !rows.bytes.isEmpty else { return }
        try rows.bytes.withUnsafeBytes(send)
        rows.removeAll()
    }
}
