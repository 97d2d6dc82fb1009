import Archive
import CSV
import Files

/// The rows of `roles.csv`, on disk until the users are read.
///
/// How many roles a user has is for the provider to say. So rows leave memory as they are made, and are counted like
/// records.
final class RosterRoles {
    private static let pieceBytes = 65_536

    private let file: UnnamedFile
    private let limits: RosterLimits
    private var rows = CSVWriter()
    private var count = 0

    /// - Parameter spool: the folder on whose disk the rows are kept.
    init(_ version: OneRosterVersion, in spool: String, _ limits: RosterLimits) throws {
        file = try UnnamedFile(in: spool)
        self.limits = limits
        rows.record(OneRosterFile.roles.layout(version, .bulk).columns.map(\.name))
    }

    /// Appends the roles of a user. They have no ids in the collection, and get numbers.
    ///
    /// - Parameter reading: counts them.
    func append(_ user: RosterRecord, countedBy reading: RosterReading) throws {
        let roles = try user.inner("roles")
        try reading.count(roles.count)
        for role in roles {
            count += 1
            rows.record([
                "role-\(count)", "", "", user.id, try role.text("roleType"), try role.text("role"),
                try role.day("beginDate"), try role.day("endDate"), try role.reference("org"), "",
            ])
            if rows.bytes.count > Self.pieceBytes { try flush() }
        }
    }

    /// Adds the file to the archive, as its next one.
    func write(to archive: ZipPacker) throws {
        try flush()
        try archive.begin(OneRosterFile.roles.fileName)
        for start in stride(from: 0, to: file.count, by: Self.pieceBytes) {
            let end = min(start + Self.pieceBytes, file.count)
            try archive.write(try file.bytes(in: start..<end))
        }
    }

    private func flush() throws {
        try file.append(rows.take())
        guard file.count <= limits.roleBytes else {
            throw RosterFailure(
                .tooLarge,
                "The roles of the users have more than \(limits.roleBytes >> 20) MiB as a file.")
        }
    }
}
