/// Which column of a file holds what, as its header says.
struct TemplateHeader {
    /// A column of the file.
    struct Place: Sendable {
        let name: String
        let rule: Template.Rule
        let isRequired: Bool
    }

    /// What goes into one column of the staging table.
    enum Output: Sendable {
        /// The value at a position, `nil` where the file has no such column.
        case value(Int?)
        /// The values of a series, as an array; `nil` where a number is left out.
        case list([Int?])
    }

    /// The columns in the order of the file.
    let places: [Place]
    /// The columns of the staging table behind the line number, in the order of the template.
    let outputs: [Output]

    /// Reads the header; `nil` when the file cannot be read by it, with every reason in the findings.
    init?(_ names: [String], of template: Template, findings: inout Findings) {
        var reading = Reading(template: template, findings: findings)
        let places = reading.places(names)
        findings = reading.findings
        guard let places else { return nil }
        self.places = places
        outputs = TemplateHeader.outputs(names, of: template)
    }

    private static func outputs(_ names: [String], of template: Template) -> [Output] {
        var outputs: [Output] = []
        for column in template.columns {
            guard let series = template.series, column.name.hasPrefix(series.name) else {
                outputs.append(.value(names.firstIndex(of: column.name)))
                continue
            }
            guard column.name == series.name else { continue }
            let numbered = series.numbers.map { names.firstIndex(of: "\(series.name)_\($0)") }
            let used = numbered.prefix((numbered.lastIndex { $0 != nil } ?? -1) + 1)
            outputs.append(.list([names.firstIndex(of: series.name)] + used))
        }
        for column in template.optionalColumns {
            outputs.append(.value(names.firstIndex(of: column.name)))
        }
        return outputs
    }
}

/// The check of one header.
private struct Reading {
    let template: Template
    var findings: Findings

    mutating func places(_ names: [String]) -> [TemplateHeader.Place]? {
        let before = findings.count
        var places: [TemplateHeader.Place] = []
        var seen: Set<String> = []
        for name in names {
            if !seen.insert(name).inserted {
                add(.duplicateColumn, name, "The column \(shown(name)) stands in the header twice.")
            } else if let place = place(name) {
                places.append(place)
            } else {
                add(
                    .unknownColumn, name,
                    "\(template.rawValue) has no column \(shown(name)); the header must be exactly as "
                        + "in the template.")
            }
        }
        let wanted = template.columns.map(\.name)
        for name in wanted where !seen.contains(name) {
            add(.missingColumn, name, "The column \(name) is missing in the header.")
        }
        let given = names.filter(wanted.contains)
        if findings.count == before, given != wanted {
            add(
                .wrongColumnOrder, nil,
                "The columns must stand in the order of the template: "
                    + wanted.joined(separator: ", ") + ".")
        }
        return findings.count == before ? places : nil
    }

    private func place(_ name: String) -> TemplateHeader.Place? {
        let known = template.columns + template.optionalColumns
        if let column = known.first(where: { $0.name == name }) {
            return TemplateHeader.Place(
                name: name, rule: column.rule, isRequired: column.isRequired)
        }
        guard let series = template.series, name.hasPrefix(series.name + "_"),
            let number = Int(name.dropFirst(series.name.count + 1)),
            series.numbers.contains(number), name == "\(series.name)_\(number)"
        else { return nil }
        return TemplateHeader.Place(name: name, rule: .identifier, isRequired: false)
    }

    private mutating func add(
        _ code: ImportFinding.Code, _ column: String?, _ text: String
    ) {
        findings.add(
            ImportFinding(
                code, file: template.rawValue, line: 1, column: column.map { clipped($0) }, text))
    }
}

/// A name out of a file in quotation marks, cut where it is long.
func shown(_ text: String) -> String { "\"\(clipped(text))\"" }

/// The beginning of a text out of a file, without control characters.
func clipped(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(80).map { scalar -> Unicode.Scalar in
        scalar.value < 32 || (127..<160).contains(scalar.value) ? "\u{FFFD}" : scalar
    }
    var clipped = ""
    clipped.unicodeScalars.append(contentsOf: scalars)
    return text.unicodeScalars.count > 80 ? clipped + "…" : clipped
}
