import Archive

/// The template files of an archive, once everything about their names is found right.
struct ArchiveFiles {
    let reader: ZipReader
    let entries: [Template: ZipReader.Entry]

    /// The unpacked size of all files, in bytes.
    var totalSize: Int { entries.values.reduce(0) { $0 + $1.size } }

    /// Opens the archive; `nil` when none of it can be read.
    ///
    /// - Parameter needsAll: whether a missing file is a mistake, as it is after the first import.
    init?(path: String, needsAll: Bool, findings: inout Findings) {
        var limits = ArchiveLimits()
        limits.allowsFolders = true
        do {
            reader = try ZipReader(path: path, limits: limits)
        } catch {
            findings.add(error.finding)
            return nil
        }
        entries = ArchiveFiles.entries(of: reader, findings: &findings)
        let missing = Template.allCases.filter { entries[$0] == nil }
        guard needsAll || missing.count == Template.allCases.count else { return }
        for template in missing {
            findings.add(
                ImportFinding(
                    .missingFile, file: template.rawValue,
                    "\(template.rawValue) is missing; the archive must hold all six files, also those "
                        + "that did not change."))
        }
    }

    private static func entries(
        of reader: ZipReader, findings: inout Findings
    ) -> [Template: ZipReader.Entry] {
        var entries: [Template: ZipReader.Entry] = [:]
        for entry in reader.entries {
            if let template = Template(rawValue: entry.name) {
                entries[template] = entry
            } else if entry.name.contains("/") {
                findings.add(
                    ImportFinding(
                        .fileInFolder, file: clipped(entry.name),
                        "\(shown(entry.name)) lies in a folder; all files must lie at the top of the "
                            + "archive."))
            } else {
                findings.add(
                    ImportFinding(
                        .unknownFile, file: clipped(entry.name),
                        "\(shown(entry.name)) does not belong here; the files are "
                            + Template.allCases.map(\.rawValue).joined(separator: ", ") + "."))
            }
        }
        return entries
    }
}

extension ArchiveError {
    /// The refusal as somebody reads it who made the archive.
    var finding: ImportFinding {
        let kind: ImportFinding.Code =
            switch code {
            case .notReadable, .notAnArchive, .damaged, .notWritable: .notAnArchive
            case .duplicateName: .duplicateFile
            default: .unsafeArchive
            }
        return ImportFinding(kind, file: entry.map { clipped($0) }, code.sentence)
    }
}
