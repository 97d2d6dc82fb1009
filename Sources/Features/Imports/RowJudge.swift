import CSV
import Contract

/// Takes the rows of a file one by one: puts right what is certain, leaves out what cannot be read, and passes over what
/// brings nothing, whatever is wrong with it.
struct RowJudge {
    /// What is said of a row in its staging table.
    enum Flaw: String {
        /// It is left out, and its ids say whom it is about.
        case row
        /// It is left out, and nobody can tell whom it is about.
        case unknown
        /// A value or a reference in it is left out.
        case part
    }

    let layout: FileLayout
    let header: FileHeader
    private let use: RowUse
    private let today: [UInt8]
    /// What was put right.
    var notes: ImportNotes
    /// What was left out.
    var warnings: ImportFindings
    /// By position, of the row that was judged last.
    private(set) var values: [ArraySlice<UInt8>]
    private(set) var flaw: Flaw?
    /// How many rows have content.
    private(set) var rows = 0
    /// Whether a row, or a part of one, was left out.
    private(set) var leftOut = false
    /// How many blank values the first row has behind those of the header.
    private var usualExcess: Int?

    /// - Parameter today: as `2026-08-31`.
    init(
        _ layout: FileLayout, _ header: FileHeader, _ use: RowUse, today: [UInt8],
        notes: ImportNotes, warnings: ImportFindings
    ) {
        self.layout = layout
        self.header = header
        self.use = use
        self.today = today
        self.notes = notes
        self.warnings = warnings
        values = Array(repeating: [], count: header.columns.count)
    }

    /// Judges a row; false if it has no content.
    mutating func take(_ record: CSVRecord) -> Bool {
        guard !record.isEmpty, !record.isEndMark else {
            notes.add(.emptyRow, line: record.line)
            return false
        }
        rows += 1
        flaw = nil
        for index in values.indices { values[index] = [] }
        if let finding = mistakeOfForm(in: record) {
            leaveOut(.unknown)
            warnings.add(finding)
            return true
        }
        if record.isMended { notes.add(.unquoted, line: record.line) }
        judge(record)
        return true
    }

    private mutating func judge(_ record: CSVRecord) {
        var mistakes: [(position: Int, code: ImportFinding.Code, text: String)] = []
        for position in use.read {
            let column = header.columns[position]
            let isNeeded = column.isRequired
            let taken = column.rule.taken(record.utf8(position), mayBeEmpty: !isNeeded) {
                notes.add($0, line: record.line)
            }
            values[position] = taken.bytes
            if let mistake = taken.mistake {
                mistakes.append((position, mistake.code, mistake.text))
            } else if taken.bytes.isEmpty, isNeeded || use.isWanted(position) {
                mistakes.append((position, .missingValue, "\(column.name) must not be empty."))
            }
        }
        guard !mistakes.isEmpty else { return }
        // With a value too many, all of them may stand one column further than they should.
        let isShifted = record.count > header.columns.count
        let kind = use.kind(of: values, today: today)
        for mistake in mistakes {
            if mistake.code != .missingValue { values[mistake.position] = [] }
            // A removal needs nothing but its id.
            let matters =
                kind == .something || (kind == .removal && mistake.position == header.identity)
            if matters { report(mistake, record) }
            if matters, isShifted { leaveOut(.unknown) }
        }
    }

    private mutating func report(
        _ mistake: (position: Int, code: ImportFinding.Code, text: String), _ record: CSVRecord
    ) {
        let position = mistake.position
        let isPart = use.isWanted(position) || (!use.isNeeded(position) && mayBeDropped(position))
        if isPart {
            leaveOut(.part)
        } else if use.isIdentity(position) {
            leaveOut(.unknown)
        } else {
            leaveOut(.row)
        }
        let column = header.columns[position].name
        let line = record.line(of: position)
        warnings.add(mistake.code, layout.name, line, column) {
            ImportFinding(
                mistake.code, file: layout.name, line: line, column: column,
                mistake.text + (isPart ? " The rest of the row is taken." : ""))
        }
    }

    /// Whether the rest of a row is right without the value. Without a date or a yes or no it may say the opposite.
    private func mayBeDropped(_ position: Int) -> Bool {
        switch header.columns[position].rule {
        case .email, .passwordPolicy, .identifier, .sourcedID, .sourcedIDs, .label, .shortLabel:
            true
        default: false
        }
    }

    private mutating func leaveOut(_ flaw: Flaw) {
        leftOut = true
        switch (self.flaw, flaw) {
        case (.unknown, _), (.row, .part): break
        default: self.flaw = flaw
        }
    }

    /// What is wrong with a row as a whole: then its values may stand in other columns than they seem to.
    private mutating func mistakeOfForm(in record: CSVRecord) -> ImportFinding? {
        if let flaw = record.flaw {
            return ImportFinding(
                .malformedCSV, file: layout.name, line: flaw.line,
                "\(flaw.text) (character \(flaw.column) of the line) Correct the line.")
        }
        let count = header.columns.count
        let excess = record.count - count
        let isBlank = (min(count, record.count)..<record.count).allSatisfy {
            record.utf8($0).trimmedText.isEmpty
        }
        // What one row has too much may move its values; what every row has does not.
        let usual = usualExcess ?? excess
        usualExcess = usual
        guard excess == 0 || (excess > 0 && isBlank && excess == usual) else {
            return ImportFinding(
                .wrongNumberOfValues, file: layout.name, line: record.line,
                "The record has \(record.count) values where the header has \(count).")
        }
        if excess > 0 { notes.add(.emptyRow, line: record.line) }
        if let index = record.swallowing(count) {
            return ImportFinding(
                .malformedCSV, file: layout.name, line: record.line(of: index),
                "The quotation mark that opens here seems to be closed only in a later row. Correct the line."
            )
        }
        return nil
    }
}

extension CSVRecord {
    /// Whether it is the mark with which old systems end a file (Ctrl-Z).
    fileprivate var isEndMark: Bool { count == 1 && utf8(0).elementsEqual([0x1A]) }

    /// The value that seems to hold a whole row of so many values; `nil` if none does.
    fileprivate func swallowing(_ columns: Int) -> Int? {
        guard columns > 1, line(of: 0) != line(of: count - 1) || utf8(count - 1).contains(0x0A)
        else { return nil }
        return (0..<count).first { index in
            let value = utf8(index)
            guard value.contains(UInt8(ascii: "\n")) else { return false }
            let separators = value.count { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }
            return separators >= columns - 1
        }
    }
}
