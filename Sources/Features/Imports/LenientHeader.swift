import Contract

/// Finds the columns of a file by name: trimmed, in any case and order. Those that nobody here knows are passed over.
struct LenientHeader {
    private let layout: FileLayout
    private let names: [String]
    private let plain: [String]

    init(_ layout: FileLayout, _ names: [String]) {
        self.layout = layout
        self.names = names
        plain = names.map(layout.plain)
    }

    func columns(
        _ notes: inout ImportNotes, _ findings: inout ImportFindings
    ) -> [FileHeader.Column]? {
        let before = findings.count
        var seen: Set<String> = []
        let columns = zip(names, plain).map { name, plain -> FileHeader.Column in
            guard let column = column(name, plain) else {
                if plain.isEmpty {
                    notes.add(.emptyRow, line: 1)
                } else if !plain.hasPrefix("metadata.") {
                    notes.add(.ownColumn, line: 1)
                }
                return FileHeader.Column(name: name, rule: .anything, isRequired: false)
            }
            if !seen.insert(plain).inserted {
                add(
                    .duplicateColumn, name,
                    "The column \(shown(name)) appears twice in the header.", &findings)
            }
            return column
        }
        for name in layout.use.needed.union(layout.use.wanted).sorted()
        where !seen.contains(layout.plain(name)) {
            add(
                .missingColumn, name,
                "The column \(name) is missing from the header. Export the file with it.", &findings
            )
        }
        noteForm(seen, &notes)
        return findings.count == before ? columns : nil
    }

    /// What of the form is not as the standard has it.
    private func noteForm(_ seen: Set<String>, _ notes: inout ImportNotes) {
        guard layout.headerRule != .subset else { return }
        let wanted = layout.columns.map { layout.plain($0.name) }
        let absent = wanted.count { !seen.contains($0) }
        if absent > 0 { notes.add(.absentColumn, line: 1, count: absent) }
        if plain.filter(wanted.contains) != wanted.filter(plain.contains) {
            notes.add(.columnOrder, line: 1)
        }
    }

    /// A column that is known, with what is asked of its values; `nil` if it is not.
    private func column(_ name: String, _ plain: String) -> FileHeader.Column? {
        let known = layout.columns + layout.optionalColumns
        if let column = known.first(where: { layout.plain($0.name) == plain }) {
            if column.name == layout.statusColumn {
                return FileHeader.Column(
                    name: column.name, rule: .word(["active", "tobedeleted"]),
                    isRequired: layout.use.needed.contains(column.name))
            }
            let isKept = layout.staged.contains { layout.plain($0.key) == plain }
            return FileHeader.Column(
                name: column.name, rule: isKept || isOfSeries(plain) ? column.rule : .anything,
                isRequired: layout.use.needed.contains(column.name))
        }
        guard isOfSeries(plain) else { return nil }
        return FileHeader.Column(name: plain, rule: .identifier, isRequired: false)
    }

    private func isOfSeries(_ plain: String) -> Bool {
        guard let series = layout.series, plain.hasPrefix(series.name + "_"),
            let number = Int(plain.dropFirst(series.name.count + 1))
        else { return false }
        return series.numbers.contains(number) && plain == "\(series.name)_\(number)"
    }

    private func add(
        _ code: ImportFinding.Code, _ column: String, _ text: String,
        _ findings: inout ImportFindings
    ) {
        findings.add(
            ImportFinding(code, file: layout.name, line: 1, column: clipped(column), text))
    }
}
