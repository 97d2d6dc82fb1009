import Archive
import Files
import Glibc
import Postgres
import School
import Values

/// Writes the roster of an organization as CSV files that other systems take in whole: what is in it now, and nothing
/// else.
///
/// All files are of one moment.
package struct RosterArchive {
    /// How many records each file has.
    package typealias Counts = [(file: String, records: Int)]

    private let connection: BlockingConnection
    private let organization: OrganizationID
    private let format: RosterFormat

    /// - Parameter connection: with a login that may become a roster reader.
    package init(
        _ connection: BlockingConnection, of organization: OrganizationID, as format: RosterFormat
    ) {
        self.connection = connection
        self.organization = organization
        self.format = format
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

    /// The manifest first, if the format has one, then each file.
    private func forEachFile(_ body: (String, [UInt8]) throws -> Void) throws -> Counts {
        if let manifest = format.manifest { try body("manifest.csv", manifest) }
        let identity = Identity(
            role: Standing.rosterReader.databaseRole,
            settings: [.init("school.organization", organization.uuid.description)])
        try connection.execute(
            "set session characteristics as transaction isolation level repeatable read, read only")
        return try connection.transaction(as: identity) {
            try format.files.map { file in
                var content = file.header
                var records = 0
                try connection.copyOut(file.copy) { record in
                    content.append(contentsOf: record)
                    records += 1
                }
                try body(file.fileName, content)
                return (file.fileName, records)
            }
        }
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
