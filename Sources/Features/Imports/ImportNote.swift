/// What an import puts right by itself in what other systems write: nothing is lost by it.
enum ImportNote: Int, CaseIterable, Sendable {
    // The archive.
    case folderRemoved, otherFile, fileRenamed, manifestMended
    // The form of a file.
    case utf16, technicalLine, otherSeparator, emptyRow
    // The header.
    case ownColumn, columnOrder, absentColumn
    // Values.
    case trimmed, respelled, dateRewritten, listMended, shortened, unquoted, emptyWord
    case nearestWord
    // Rows.
    case repeatedRow, repeatedSeat

    /// Stable, for programs.
    var code: String {
        switch self {
        case .folderRemoved: "folder_removed"
        case .otherFile: "other_file"
        case .fileRenamed: "file_renamed"
        case .manifestMended: "manifest_mended"
        case .utf16: "utf16"
        case .technicalLine: "technical_line"
        case .otherSeparator: "other_separator"
        case .emptyRow: "empty_row"
        case .ownColumn: "own_column"
        case .columnOrder: "column_order"
        case .absentColumn: "absent_column"
        case .trimmed: "trimmed"
        case .respelled: "respelled"
        case .dateRewritten: "date_rewritten"
        case .listMended: "list_mended"
        case .shortened: "shortened"
        case .unquoted: "unquoted"
        case .emptyWord: "empty_word"
        case .nearestWord: "nearest_word"
        case .repeatedRow: "repeated_row"
        case .repeatedSeat: "repeated_seat"
        }
    }
}

/// How often something of one kind was found in a file.
package struct ImportTally: Sendable, Equatable {
    /// What comes of it.
    package enum Level: String, Sendable, CaseIterable {
        /// Put right.
        case note
        /// A row, a value or a reference was left out.
        case warning
        /// The archive is refused.
        case error
    }

    /// How many lines are named.
    static let linesMax = 3

    package let level: Level
    package let file: String?
    package let column: String?
    package let code: String
    package private(set) var count = 0
    /// The first of its lines.
    package private(set) var lines: [Int] = []

    init(_ level: Level, file: String?, column: String? = nil, code: String) {
        self.level = level
        self.file = file
        self.column = column
        self.code = code
    }

    /// - Parameter number: how many of them, if not all have lines to name.
    mutating func count(line: Int?, number: Int = 1) {
        count += number
        if let line, lines.count < Self.linesMax { lines.append(line) }
    }
}

/// What was put right in one file.
struct ImportNotes {
    private var tallies: [ImportTally]

    init(file: String?) {
        tallies = ImportNote.allCases.map { ImportTally(.note, file: file, code: $0.code) }
    }

    mutating func add(_ note: ImportNote, line: Int? = nil, count: Int = 1) {
        tallies[note.rawValue].count(line: line, number: count)
    }

    /// Those that were made.
    var made: [ImportTally] { tallies.filter { $0.count > 0 } }
}
