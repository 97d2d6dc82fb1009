import Archive
import Contract

/// The files of an archive, once all their names have been checked.
struct ArchiveFiles {
    let reader: ZipReader
    let format: ImportFormat
    /// The files to read, in this order, and their entries; `nil` if a file is missing.
    let files: [(file: ImportFile, entry: ZipReader.Entry?)]
    /// Files of the format that are not used.
    let ignored: [String]

    /// The unpacked size of all files, in bytes.
    var totalSize: Int { files.reduce(0) { $0 + ($1.entry?.size ?? 0) } }

    /// Opens the archive; `nil` if none of it can be read.
    ///
    /// - Parameters:
    ///   - needsAll: whether a missing file is a mistake if nothing in the archive says that it may be missing, as
    ///     after the first import.
    ///   - isStrict: whether names and manifest must be exactly as the standard has them.
    init?(
        _ archive: any ArchiveBytes, needsAll: Bool, isStrict: Bool, report: inout ImportReport
    ) {
        var limits = ArchiveLimits()
        limits.allowsFolders = true
        do {
            reader = try ZipReader(archive, limits: limits)
        } catch {
            report.errors.add(error.finding)
            return nil
        }
        let found = isStrict ? reader.entries.map { ($0.name, $0) } : report.found(reader.entries)
        guard isStrict || !found.isEmpty else { return nil }
        var names = FileNames(entries: found, isStrict: isStrict, findings: report.errors)
        defer { report.errors = names.findings }
        if let entry = names.entry(OneRosterManifest.fileName) {
            let manifest =
                isStrict
                ? OneRosterManifest(reader, entry, findings: &names.findings)
                : OneRosterManifest(
                    meant: reader, entry, notes: &report.notes, findings: &names.findings)
            guard let manifest else { return nil }
            format = manifest.version == .v1p1 ? .oneRoster1 : .oneRoster2
            (files, ignored) = names.standard(manifest)
        } else if names.areOfOneRoster, names.areOfSchoolDataSync(reader) {
            format = .schoolDataSync
            (files, ignored) = names.schoolDataSync(needsAll: needsAll)
        } else if names.areOfOneRoster {
            format = .oneRoster1
            (files, ignored) = names.plain(needsAll: needsAll)
        } else {
            format = .appleCSV
            files = names.templates(needsAll: needsAll)
            ignored = []
        }
    }
}

/// Checks the names of the files against those an archive should have.
struct FileNames {
    typealias Files = [(file: ImportFile, entry: ZipReader.Entry?)]

    /// By the names that they are read as.
    let entries: [(name: String, entry: ZipReader.Entry)]
    let isStrict: Bool
    var findings: ImportFindings

    /// Whether an archive without a manifest has OneRoster's files: those whose names only OneRoster uses.
    var areOfOneRoster: Bool {
        let names = Set(entries.map(\.name))
        let own = ["orgs.csv", "users.csv", "enrollments.csv"]
        let apples = ["locations.csv", "students.csv", "staff.csv", "rosters.csv"]
        return !names.isDisjoint(with: own) && names.isDisjoint(with: apples)
    }

    /// Apple's six files.
    mutating func templates(needsAll: Bool) -> Files {
        let names = Template.allCases.map(\.rawValue)
        refuseOthers(than: names)
        let files = Template.allCases.map { ($0.file, entry($0.rawValue)) }
        let missing = files.filter { $0.1 == nil }.map(\.0.layout.name)
        guard needsAll || missing.count == files.count else { return files }
        for name in missing {
            add(
                .missingFile, name,
                "\(name) is missing; the archive must hold all six files, also those that did not "
                    + "change.")
        }
        return files
    }

    /// OneRoster's files as listed in a manifest.
    mutating func standard(_ manifest: OneRosterManifest) -> (Files, ignored: [String]) {
        let names = OneRosterFile.names(of: manifest.version)
        refuseOthers(than: names.map { $0 + ".csv" } + [OneRosterManifest.fileName])
        for name in names {
            let file = name + ".csv"
            let isListed = manifest.modes[name] != nil
            guard isStrict || OneRosterFile(rawValue: name) != nil else { continue }
            if isListed, entry(file) == nil {
                add(
                    .missingFile, file,
                    "manifest.csv says that \(file) is there, but it is missing.")
            } else if !isListed, entry(file) != nil {
                add(
                    .unexpectedFile, file,
                    "manifest.csv does not say whether \(file) is bulk or delta.")
            }
        }
        let used = OneRosterFile.files(of: manifest.version)
        let files = used.map { file in
            (
                file.file(
                    manifest.version, manifest.modes[file.rawValue] ?? .bulk,
                    isThere: manifest.modes[file.rawValue] != nil), entry(file.fileName)
            )
        }
        return (files, ignored(of: manifest.version))
    }

    /// OneRoster's files without a manifest, as Apple School Manager accepts them.
    mutating func plain(needsAll: Bool) -> (Files, ignored: [String]) {
        refuseOthers(than: OneRosterFile.names(of: .v1p1).map { $0 + ".csv" })
        let files: Files = OneRosterFile.files(of: .v1p1).compactMap { file in
            let entry = entry(file.fileName)
            // Apple has no terms, so the ones that classes refer to cannot be checked.
            if file == .academicSessions, entry == nil { return nil }
            return (file.file(.v1p1, .plain, isThere: entry != nil), entry)
        }
        for (file, entry) in files where entry == nil && needsAll {
            add(
                .missingFile, file.layout.name,
                "\(file.layout.name) is missing; the archive must hold orgs, users, courses, classes and "
                    + "enrollments, also those that did not change.")
        }
        return (files, ignored(of: .v1p1))
    }

    private func ignored(of version: OneRosterVersion) -> [String] {
        let used = OneRosterFile.files(of: version).map(\.fileName)
        return OneRosterFile.names(of: version).map { $0 + ".csv" }
            .filter { entry($0) != nil && !used.contains($0) }
    }

    func entry(_ name: String) -> ZipReader.Entry? {
        entries.first { $0.name == name }?.entry
    }

    /// Where names need not be exact, others have been passed over.
    mutating func refuseOthers(than names: [String]) {
        guard isStrict else { return }
        for entry in entries where !names.contains(entry.name) {
            if entry.name.contains("/") {
                add(
                    .fileInFolder, clipped(entry.name),
                    "\(shown(entry.name)) lies in a folder; all files must lie at the top of the "
                        + "archive.")
            } else {
                add(
                    .unknownFile, clipped(entry.name),
                    "\(shown(entry.name)) does not belong here; the files are "
                        + names.joined(separator: ", ") + ".")
            }
        }
    }

    mutating func add(_ code: ImportFinding.Code, _ file: String, _ text: String) {
        findings.add(ImportFinding(code, file: file, text))
    }
}

extension ArchiveError {
    /// The refusal, for the person who made the archive.
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
