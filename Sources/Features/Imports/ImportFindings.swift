import Contract

/// Findings of one level: the first thousand, the number of all, and how many there are of each kind.
struct ImportFindings {
    /// How many findings are kept with their position and text.
    static let keptMax = 1_000

    private struct Kind: Hashable {
        let file: String?
        let column: String?
        let code: ImportFinding.Code
    }

    let level: ImportTally.Level
    private(set) var kept: [ImportFinding] = []
    private(set) var count = 0
    private var places: [Kind: Int] = [:]
    private(set) var tallies: [ImportTally] = []

    init(_ level: ImportTally.Level) {
        self.level = level
    }

    var isEmpty: Bool { count == 0 }

    mutating func add(_ finding: ImportFinding) {
        add(finding.code, finding.file, finding.line, finding.column) { finding }
    }

    /// - Parameter finding: called only if there is space for it.
    mutating func add(
        _ code: ImportFinding.Code, _ file: String?, _ line: Int?, _ column: String?,
        _ finding: () -> ImportFinding
    ) {
        tally(code, file, column, line: line, number: 1)
        if keep(1) { kept.append(finding()) }
    }

    /// Adds findings that a statement counted, kind by kind, with the first of them.
    mutating func add(_ first: [ImportFinding], of tallies: [CountedFindings]) {
        for tally in tallies {
            for (index, line) in tally.lines.enumerated() {
                self.tally(
                    tally.code, tally.file, tally.column, line: line,
                    number: index == 0 ? tally.count : 0)
            }
            if tally.lines.isEmpty {
                self.tally(tally.code, tally.file, tally.column, line: nil, number: tally.count)
            }
            count += tally.count
        }
        kept.append(contentsOf: first.prefix(max(0, Self.keptMax - kept.count)))
    }

    /// Counts findings that were made elsewhere and not passed on.
    mutating func addUnkept(_ number: Int) {
        count += number
    }

    private mutating func keep(_ number: Int) -> Bool {
        count += number
        return kept.count < Self.keptMax
    }

    private mutating func tally(
        _ code: ImportFinding.Code, _ file: String?, _ column: String?, line: Int?, number: Int
    ) {
        let kind = Kind(file: file, column: column, code: code)
        let place = places[kind] ?? tallies.count
        if place == tallies.count {
            guard tallies.count < Self.keptMax else { return }
            places[kind] = place
            tallies.append(ImportTally(level, file: file, column: column, code: code.rawValue))
        }
        tallies[place].count(line: line, number: number)
    }
}

/// How many findings of one kind the database found.
struct CountedFindings {
    let code: ImportFinding.Code
    let file: String
    let column: String
    let count: Int
    /// The first of their lines.
    let lines: [Int]
}
