import Archive
import CSV
import Contract

extension FileNames {
    /// Whether files with OneRoster's names have the columns of School Data Sync.
    func areOfSchoolDataSync(_ reader: ZipReader) -> Bool {
        SchoolDataSync.isMeant { file in
            entry(file.fileName).map { columns(of: $0, reader) } ?? []
        }
    }

    /// The columns that a file's header names, in small letters; none if it cannot be read, which is said when the
    /// file is.
    private func columns(of entry: ZipReader.Entry, _ reader: ZipReader) -> Set<String> {
        do {
            let stream = try reader.stream(entry)
            let opening = try CSVOpening { try stream.next() }
            var csv = CSVReader(options: CSVOptions.standard.lenient(opening)) {
                try opening.next()
            }
            let names = try csv.next()?.fields ?? []
            return Set(
                names.map {
                    String(decoding: Array($0.utf8)[...].trimmedText, as: UTF8.self).lowercased()
                })
        } catch {
            return []
        }
    }

    /// The files of School Data Sync. Classes and enrollments may both be missing, where only people are managed, and so
    /// may sessions and courses.
    mutating func schoolDataSync(needsAll: Bool) -> (Files, ignored: [String]) {
        refuseOthers(than: SchoolDataSync.fileNames)
        let hasRoles = entry(OneRosterFile.roles.fileName) != nil
        let used = OneRosterFile.allCases.filter { hasRoles || $0 != .roles }
        let files: Files = used.map { file in
            let entry = entry(file.fileName)
            return (
                SchoolDataSync.file(file, isThere: entry != nil, hasRoles: hasRoles), entry
            )
        }
        for file in [OneRosterFile.orgs, .users] where needsAll && entry(file.fileName) == nil {
            add(
                .missingFile, file.fileName,
                "\(file.fileName) is missing; the archive must hold orgs, users and roles, also those that did not "
                    + "change.")
        }
        let names = Set(OneRosterFile.allCases.map(\.fileName))
        return (
            files, SchoolDataSync.fileNames.filter { entry($0) != nil && !names.contains($0) }
        )
    }
}
