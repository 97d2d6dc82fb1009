import Contract

/// What an import puts right by itself in what other systems write: nothing is lost by it.
typealias ImportNote = ImportNoteCode

/// How often something of one kind was found in a file.
package struct ImportTally: Sendable, Equatable {
    /// What comes of it.
    package typealias Level = ImportLevel

    /// How many lines are named.
    static let linesMax = ImportLimit.lines

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
    private var tallies: [ImportNote: ImportTally] = [:]
    private let file: String?

    init(file: String?) { self.file = file }

    mutating func add(_ note: ImportNote, line: Int? = nil, count: Int = 1) {
        tallies[note, default: ImportTally(.note, file: file, code: note.rawValue)]
            .count(line: line, number: count)
    }

    /// Those that were made.
    var made: [ImportTally] {
        ImportNote.allCases.compactMap { tallies[$0] }.filter { $0.count > 0 }
    }
}
