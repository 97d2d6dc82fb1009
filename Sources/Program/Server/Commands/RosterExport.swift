import Exports
import JSONBytes
import OneRoster
import Postgres
import School
import Values

/// `homeroom export --format oneroster`, or another format of rosters: the roster of one organization as an archive that
/// others can take in.
struct RosterExport {
    /// Of the nightly export alone.
    private static let others = ["date", "full", "again", "accept-audit-trail"]

    private let format: RosterFormat
    private let path: String
    private let organizationID: OrganizationID?
    private let printsJSON: Bool

    init(_ invocation: Invocation, as format: RosterFormat) throws {
        self.format = format
        if let option = Self.others.first(where: invocation.has) {
            throw UsageError(
                description: "--\(option) does not go with --format \(format.rawValue).")
        }
        var path = invocation.value("out") ?? ""
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard !path.isEmpty else {
            throw UsageError(description: "--out should be a new folder or .zip file.")
        }
        self.path = path
        organizationID =
            invocation.has("organization")
            ? OrganizationID(try invocation.uuid("organization")) : nil
        printsJSON = invocation.has("json")
    }

    func run(_ invocation: Invocation) throws {
        let installation = try Installation.open(
            invocation.settings, log: invocation.settings.commandLog)
        defer { installation.close() }
        let connection = try NightlyExport.connect(installation.databaseURL)
        let archive = RosterArchive(
            connection, of: try organization(connection), as: format)
        let counts: RosterArchive.Counts
        do {
            counts = try archive.write(to: path)
        } catch let error as RosterArchiveError {
            throw CommandFailure("\(error)")
        }
        if printsJSON {
            let records = counts.map { ($0.file, JSONValue.number(JSONNumber(Int64($0.records)))) }
            let result: JSONValue = [
                "path": .text(path), "records": .object(JSONObject(records)),
            ]
            printLine(String(decoding: result.bytes, as: UTF8.self))
        } else {
            for count in counts { printLine("\(count.file): \(count.records) records") }
        }
    }

    /// The only one, if none is named.
    private func organization(_ connection: BlockingConnection) throws -> OrganizationID {
        let all = try ExportedOrganization.all(connection).map(\.id)
        if let organizationID {
            guard all.contains(organizationID) else {
                throw CommandFailure("There is no organization \(organizationID.uuid).")
            }
            return organizationID
        }
        guard let only = all.first, all.count == 1 else {
            throw UsageError(description: "--organization is needed: there are several.")
        }
        return only
    }
}
