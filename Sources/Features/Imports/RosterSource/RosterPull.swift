import Archive
import CSV
import Files

/// Pulls the roster of a provider and packs it as an archive of OneRoster's CSV files in bulk: from there on it is an
/// import like any other, with its checks, plan, shrink guard and approval.
///
/// Calls block. Memory does not depend on the size, but for a hash of each id.
struct RosterPull {
    /// How often a roster is read from the start because it changed meanwhile.
    private static let readingsMax = 3

    let address: RosterAddress
    let provider: RosterProvider
    let limits: RosterLimits
    /// The folder on whose disk the archive is built.
    let spool: String

    /// Throws a `RosterFailure` where the provider is to blame.
    func run() throws -> UnnamedFile {
        for _ in 0..<Self.readingsMax {
            do {
                return try readOnce()
            } catch is RosterChanged {
                continue
            }
        }
        throw RosterFailure(
            .changing,
            "The roster changed while it was read, \(Self.readingsMax) times, or the provider counts its records "
                + "wrongly (X-Total-Count). Choose a quieter hour.")
    }

    private func readOnce() throws -> UnnamedFile {
        try Folder.make(spool, mode: 0o700)
        let archive = try ZipPacker(in: spool)
        let reading = RosterReading(address, provider, limits)
        var seen: [(OneRosterFile, RosterReading.Seen)] = []
        try archive.begin(OneRosterManifest.fileName)
        try archive.write(manifest)
        for collection in collections {
            seen.append((collection, try copy(collection, from: reading, to: archive)))
        }
        for (collection, part) in seen {
            guard try reading.isAsRead(collection, part) else { throw RosterChanged() }
        }
        let file = try archive.finish()
        guard file.count <= Imports.archiveBytesMax else {
            throw RosterFailure(.tooLarge, "The roster has more than 1 GiB as an archive.")
        }
        return file
    }

    /// Those that a provider serves: roles are in the users.
    private var collections: [OneRosterFile] {
        OneRosterFile.files(of: address.version).filter { $0 != .roles }
    }

    /// Copies a collection to its file, and the roles of users to theirs.
    private func copy(
        _ collection: OneRosterFile, from reading: RosterReading, to archive: ZipPacker
    ) throws -> RosterReading.Seen {
        let table = RosterTable(collection, address.version)
        let hasRoles = collection == .users && address.version == .v1p2
        let roles = try hasRoles ? RosterRoles(address.version, in: spool, limits) : nil
        var rows = CSVWriter()
        try archive.begin(collection.fileName)
        rows.record(table.header)
        let seen = try reading.read(collection) { record in
            try table.append(record, to: &rows)
            if rows.bytes.count > 65_536 { try archive.write(rows.take()) }
            try roles?.append(record, countedBy: reading)
        }
        try archive.write(rows.take())
        try roles?.write(to: archive)
        return seen
    }

    private var manifest: [UInt8] {
        var file = CSVWriter()
        file.record(["propertyName", "value"])
        file.record(["manifest.version", "1.0"])
        file.record(["oneroster.version", address.version.rawValue])
        let used = OneRosterFile.files(of: address.version).map(\.rawValue)
        for name in OneRosterFile.names(of: address.version) {
            file.record(["file.\(name)", used.contains(name) ? "bulk" : "absent"])
        }
        return file.take()
    }
}
