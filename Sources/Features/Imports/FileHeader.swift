import Contract

/// Which column of a file contains what, according to its header.
struct FileHeader {
    /// A column of the file.
    struct Column: Sendable {
        /// As written in the header.
        let name: String
        let rule: ValueRule
        let isRequired: Bool
    }

    /// The content of one column of the staging table.
    enum Output: Sendable {
        /// The value at a position; `nil` if the file has no such column.
        case value(Int?)
        /// The values of a series, as an array; `nil` for numbers that are left out.
        case list([Int?])
    }

    /// The columns in the order of the file.
    let columns: [Column]
    /// The columns of the staging table after the line number.
    let outputs: [Output]
    /// The position of the column that marks a row as deleted.
    let status: Int?
    /// The position of the column with the row's id.
    let identity: Int?
    /// What of a row is used, and when; `nil` where every mistake ends the import.
    var use: RowUse?

    /// Reads the header; `nil` if the file cannot be read with it, with every reason in the findings.
    init?(_ names: [String], of layout: FileLayout, findings: inout ImportFindings) {
        var reading = Reading(layout: layout, findings: findings)
        let columns = reading.columns(names)
        findings = reading.findings
        guard let columns else { return nil }
        self.columns = columns
        let canonical = names.map(layout.canonical)
        outputs = layout.staged.map { FileHeader.output($0.key, canonical, of: layout) }
        status = layout.statusColumn.flatMap { canonical.firstIndex(of: layout.canonical($0)) }
        identity = layout.columns.first.flatMap {
            canonical.firstIndex(of: layout.canonical($0.name))
        }
    }

    /// Reads a header by the names of its columns, whatever their order; `nil` if the file cannot be read with it.
    init?(
        found names: [String], of layout: FileLayout, notes: inout ImportNotes,
        findings: inout ImportFindings
    ) {
        let reading = LenientHeader(layout, names)
        guard let columns = reading.columns(&notes, &findings) else { return nil }
        self.columns = columns
        let plain = names.map(layout.plain)
        outputs = layout.staged.map { FileHeader.output(layout.plain($0.key), plain, of: layout) }
        status = layout.statusColumn.flatMap { plain.firstIndex(of: layout.plain($0)) }
        identity = layout.columns.first.flatMap { plain.firstIndex(of: layout.plain($0.name)) }
        use = RowUse(layout, plain)
    }

    private static func output(
        _ name: String, _ names: [String], of layout: FileLayout
    ) -> Output {
        let first = names.firstIndex(of: layout.canonical(name))
        guard let series = layout.series, series.name == name else { return .value(first) }
        let numbered = series.numbers.map { names.firstIndex(of: "\(series.name)_\($0)") }
        let used = numbered.prefix((numbered.lastIndex { $0 != nil } ?? -1) + 1)
        return .list([first] + used)
    }
}

/// Checks one header.
private struct Reading {
    let layout: FileLayout
    var findings: ImportFindings

    mutating func columns(_ names: [String]) -> [FileHeader.Column]? {
        let before = findings.count
        var columns: [FileHeader.Column] = []
        var seen: Set<String> = []
        for name in names {
            if !seen.insert(layout.canonical(name)).inserted {
                add(
                    .duplicateColumn, name, "The column \(shown(name)) appears twice in the header."
                )
            } else if let column = column(name) {
                columns.append(column)
            } else {
                add(
                    .unknownColumn, name,
                    "\(layout.name) has no column \(shown(name)); the header must be exactly as "
                        + "in the template.")
            }
        }
        for column in layout.columns where column.isRequired || layout.headerRule != .subset {
            guard !seen.contains(layout.canonical(column.name)) else { continue }
            add(
                .missingColumn, column.name,
                "The column \(column.name) is missing from the header.")
        }
        if findings.count == before { checkOrder(names) }
        return findings.count == before ? columns : nil
    }

    private mutating func checkOrder(_ names: [String]) {
        guard layout.headerRule != .subset else { return }
        let wanted = layout.columns.map { layout.canonical($0.name) }
        let names = names.map(layout.canonical)
        // Optional columns of a template may be anywhere, those of the standard only at the end.
        let given =
            layout.headerRule == .template
            ? names.filter(wanted.contains) : Array(names.prefix(wanted.count))
        guard given != wanted else { return }
        add(
            .wrongColumnOrder, nil,
            "The columns must be in the order of the template: "
                + layout.columns.map(\.name).joined(separator: ", ") + ".")
    }

    private func column(_ name: String) -> FileHeader.Column? {
        let canonical = layout.canonical(name)
        let known = layout.columns + layout.optionalColumns
        if let column = known.first(where: { layout.canonical($0.name) == canonical }) {
            return FileHeader.Column(
                name: name, rule: column.rule, isRequired: column.isRequired)
        }
        if layout.headerRule != .template, canonical.hasPrefix("metadata.") {
            return FileHeader.Column(name: name, rule: .anything, isRequired: false)
        }
        guard let series = layout.series, name.hasPrefix(series.name + "_"),
            let number = Int(name.dropFirst(series.name.count + 1)),
            series.numbers.contains(number), name == "\(series.name)_\(number)"
        else { return nil }
        return FileHeader.Column(name: name, rule: .identifier, isRequired: false)
    }

    /// - Parameter column: `nil` if it has no name.
    private mutating func add(
        _ code: ImportFinding.Code, _ column: String?, _ text: String
    ) {
        let column = column.flatMap { $0.isEmpty ? nil : $0 }
        findings.add(
            ImportFinding(
                code, file: layout.name, line: 1, column: column.map { clipped($0) }, text))
    }
}

/// A name from a file in quotation marks, truncated if it is long.
func shown(_ text: String) -> String { "\"\(clipped(text))\"" }

/// The beginning of a text from a file, without control characters.
func clipped(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(80).map { scalar -> Unicode.Scalar in
        scalar.value < 32 || (127..<160).contains(scalar.value) ? "\u{FFFD}" : scalar
    }
    var clipped = ""
    clipped.unicodeScalars.append(contentsOf: scalars)
    return text.unicodeScalars.count > 80 ? clipped + "…" : clipped
}
