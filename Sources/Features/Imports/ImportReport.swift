import Archive
import Contract

/// What is said about an archive: what is wrong with it, what of it was left out, and what was put right.
struct ImportReport {
    /// Why the archive is refused.
    var errors = ImportFindings(.error)
    /// What was left out, passed over, or is odd.
    var warnings = ImportFindings(.warning)
    /// What was put right in the archive as a whole.
    var notes = ImportNotes(file: nil)
    /// What was put right in its files.
    var notesOfFiles: [ImportTally] = []

    /// How many there are of each kind: errors first.
    var tallies: [ImportTally] {
        errors.tallies + warnings.tallies + notes.made + notesOfFiles
    }

    /// The entries of an archive that may be meant, by the names that they are read as: without the folder that a person
    /// packed, without what computers put beside files, and in the standard's case.
    mutating func found(_ entries: [ZipReader.Entry]) -> [(name: String, entry: ZipReader.Entry)] {
        let files = entries.filter { entry in
            let isExtra = Self.isExtra(entry.name)
            if isExtra { notes.add(.otherFile) }
            return !isExtra
        }
        let folder = Self.commonFolder(of: files)
        if !folder.isEmpty { notes.add(.folderRemoved) }
        var found: [(name: String, entry: ZipReader.Entry)] = []
        for entry in files {
            let name =
                entry.name.hasPrefix(folder)
                ? String(entry.name.dropFirst(folder.count)) : entry.name
            guard let known = Self.knownNames[name.lowercased()] else {
                passOver(name, of: entry)
                continue
            }
            if known != name { notes.add(.fileRenamed) }
            if found.contains(where: { $0.name == known }) {
                errors.add(
                    ImportFinding(
                        .duplicateFile, file: clipped(entry.name),
                        "\(shown(known)) is in the archive twice, written differently. Remove one of them."
                    ))
            } else {
                found.append((known, entry))
            }
        }
        if found.isEmpty { refuseWithoutFiles(entries) }
        return found
    }

    private mutating func refuseWithoutFiles(_ entries: [ZipReader.Entry]) {
        let inner = entries.first { $0.name.lowercased().hasSuffix(".zip") }
        errors.add(
            ImportFinding(
                .missingFile, file: inner.map { clipped($0.name) },
                inner.map {
                    "The archive holds another archive, \(shown($0.name)). Unpack it, and send the one inside."
                }
                    ?? "The archive holds no file of a format that is known here, such as users.csv of OneRoster and School Data "
                    + "Sync or students.csv of Apple School Manager."))
    }

    private mutating func passOver(_ name: String, of entry: ZipReader.Entry) {
        guard name.lowercased().hasSuffix(".csv") else {
            notes.add(.otherFile)
            return
        }
        let isInFolder = name.contains("/")
        warnings.add(
            ImportFinding(
                isInFolder ? .fileInFolder : .unknownFile, file: clipped(entry.name),
                isInFolder
                    ? "\(shown(entry.name)) lies in a folder beside other files, and was passed over."
                    : "No format has a file called \(shown(name)); it was passed over."))
    }

    /// The folder in which all CSV files lie, with the slash at its end; empty if there is none.
    private static func commonFolder(of entries: [ZipReader.Entry]) -> String {
        let folders = entries.filter { $0.name.lowercased().hasSuffix(".csv") }.map { entry in
            entry.name.split(separator: "/", omittingEmptySubsequences: false).dropLast()
                .map { $0 + "/" }.joined()
        }
        guard let first = folders.first, folders.allSatisfy({ $0 == first }) else { return "" }
        return first
    }

    /// Whether a computer put it there: `__MACOSX`, `.DS_Store`, `Thumbs.db`.
    private static func isExtra(_ name: String) -> Bool {
        let steps = name.split(separator: "/")
        return steps.contains { $0 == "__MACOSX" || $0.hasPrefix(".") }
            || ["thumbs.db", "desktop.ini"].contains(steps.last?.lowercased() ?? "")
    }

    /// The names that files of all formats have, by themselves in small letters.
    private static let knownNames: [String: String] = {
        let names =
            Template.allCases.map(\.rawValue)
            + OneRosterFile.names(of: .v1p2).map { $0 + ".csv" } + [OneRosterManifest.fileName]
            + SchoolDataSync.fileNames
        return Dictionary(names.map { ($0.lowercased(), $0) }) { first, _ in first }
    }()
}
