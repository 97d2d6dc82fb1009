import Archive
import CSV
import Files
import Glibc
import Postgres
import School
import Values

/// Writes the roster of an organization as CSV files of OneRoster 1.2, in bulk: what is in it now, and nothing else.
///
/// All files are of one moment.
package struct RosterArchive {
    /// How many records each file has.
    package typealias Counts = [(file: String, records: Int)]

    private let connection: BlockingConnection
    private let organization: OrganizationID

    /// - Parameter connection: with a login that may become a roster reader.
    package init(_ connection: BlockingConnection, of organization: OrganizationID) {
        self.connection = connection
        self.organization = organization
    }

    /// Writes a new folder, or a ZIP file if the path ends in `.zip`. Nothing is left behind by a failure.
    package func write(to path: String) throws -> Counts {
        guard Folder.kind(of: path) == nil else { throw RosterArchiveError.exists(path) }
        return try path.hasSuffix(".zip") ? pack(path) : unfold(path)
    }

    private func pack(_ path: String) throws -> Counts {
        let archive = try ZipWriter(path: path)
        let counts = try forEachFile { name, content in try archive.add(name, content) }
        try archive.close()
        return counts
    }

    private func unfold(_ path: String) throws -> Counts {
        let aside = "\(path).partial"
        try Folder.make(aside, mode: 0o750, isDurable: true)
        do {
            let counts = try forEachFile { name, content in
                let file = try File.creating("\(aside)/\(name)", mode: 0o640)
                try file.append(content)
                try file.sync()
            }
            try Folder.sync(aside)
            try Folder.rename(aside, to: path)
            return counts
        } catch {
            try? Folder.remove(aside)
            throw error
        }
    }

    /// The manifest first, then each file.
    private func forEachFile(_ body: (String, [UInt8]) throws -> Void) throws -> Counts {
        try body("manifest.csv", Self.manifest)
        let identity = Identity(
            role: Standing.rosterReader.databaseRole,
            settings: [.init("school.organization", organization.uuid.description)])
        try connection.execute(
            "set session characteristics as transaction isolation level repeatable read, read only")
        return try connection.transaction(as: identity) {
            try RosterFile.allCases.map { file in
                var content = file.header
                var records = 0
                try connection.copyOut(file.copy) { record in
                    content.append(contentsOf: record)
                    records += 1
                }
                try body("\(file.rawValue).csv", content)
                return ("\(file.rawValue).csv", records)
            }
        }
    }

    private static var manifest: [UInt8] {
        var writer = CSVWriter()
        writer.record(["propertyName", "value"])
        writer.record(["manifest.version", "1.0"])
        writer.record(["oneroster.version", "1.2"])
        for name in RosterFile.namesOfStandard {
            let mode = RosterFile(rawValue: name) == nil ? "absent" : "bulk"
            writer.record(["file.\(name)", mode])
        }
        writer.record(["source.systemName", "Homeroom"])
        return writer.take()
    }
}

/// Why no archive was written.
package enum RosterArchiveError: Error, CustomStringConvertible {
    case exists(String)

    package var description: String {
        switch self {
        case .exists(let path): "\(path) is there already. Name a new folder or .zip file."
        }
    }
}
