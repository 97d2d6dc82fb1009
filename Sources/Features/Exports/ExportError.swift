import Values

/// The reason why an organization was not exported, or a folder not read.
package enum ExportError: Error, Sendable, CustomStringConvertible {
    /// Another run is exporting the organization.
    case running
    /// PostgreSQL returned a row without the expected first field.
    case unreadableRow
    /// There is nothing that looks like an export.
    case nothingToVerify(path: String)
    /// There is no file of deletions.
    case noDeletions(path: String)
    /// A line of a file that an export wrote cannot be read.
    case unreadableLine(path: String, line: Int, text: String)
    /// A file is not compressed, or incomplete.
    case noGzipFile(path: String)
    /// A folder of a later date is there already.
    case dateBefore(Day, last: String)
    /// The date is not over yet in the organization's time zone, and has not begun.
    case dateAhead(Day, today: Day)
    /// The audit trail lacks a seal that an earlier export saw.
    case auditTrailCut(seal: String)

    package var description: String {
        switch self {
        case .running: "Another run exports this organization right now."
        case .unreadableRow: "PostgreSQL gave a row that does not begin with its JSON."
        case .nothingToVerify(let path): "There is no exported folder in \(path)."
        case .auditTrailCut(let seal):
            "The audit trail no longer holds the seal \(seal) that the last export saw. Events were "
                + "removed, or an older backup was restored. Run homeroom doctor --seal \(seal), and find "
                + "out which. Then export with --accept-audit-trail once."
        case .dateBefore(let day, let last):
            "The folder \(last) is there already, and receivers load folders in the order of their dates: "
                + "\(day) cannot come after it."
        case .dateAhead(let day, let today): "\(day) is in the future: today is \(today)."
        case .noDeletions(let path):
            "There is no exported folder in \(path): none holds deletions.ndjson.gz or deletions.csv.gz."
        case .unreadableLine(let path, let line, let text):
            "\(path), line \(line): \(text). Nobody was erased."
        case .noGzipFile(let path): "\(path) is not a whole gzip file. Nobody was erased."
        }
    }
}
