import API
import Crypto
import Files
import Glibc
import HTTPClient
import JSONBytes
import Log
import Postgres
import School
import Values

/// Imports an archive on disk, or the roster of a OneRoster provider, on the calling thread, for `homeroom import`.
///
/// It uses the same queue as archives sent over HTTP, so that both wait for each other. If the command is killed, the
/// next worker takes over its import.
package struct FileImport {
    private let queue: ImportQueue
    private let connection: BlockingConnection
    private let caller: Caller

    /// - Parameters:
    ///   - target: the database, as the server's login.
    ///   - organizationID: the organization of the directory; `nil` means the only one. The initializer returns `nil`
    ///     if there is none or more than one.
    package init?(
        target: String, organizationID: OrganizationID?, log: Log?
    ) throws {
        queue = try ImportQueue(target: target, log: log)
        connection = try BlockingConnection(target)
        let only = try connection.query("select school.only_organization() as organization_id")
        guard
            let organizationID = try organizationID
                ?? only[0].optionalUUID("organization_id").map({ ID($0) })
        else { return nil }
        caller = Caller(
            organizationID: organizationID, personID: nil, standings: [.provisioner])
    }

    /// Stores the file, waits for the import to end, and returns what `GET /v1/imports/{id}` would.
    ///
    /// - Parameters:
    ///   - isStrict: whether every deviation from the standard ends it.
    ///   - report: called with the progress, from 0 to 1.
    package func run(
        _ path: String, isPreview: Bool, isApproved: Bool, isStrict: Bool = false,
        report: @escaping (Double) -> Void
    ) throws -> JSONValue {
        try run(report) { importID in
            try store(
                path, as: importID, isPreview: isPreview, isApproved: isApproved, isStrict: isStrict
            )
        }
    }

    /// Pulls the roster of a OneRoster provider and imports it in the same way; throws a `RosterFailure` where the
    /// provider is to blame.
    ///
    /// - Parameters:
    ///   - secret: the client's.
    ///   - spool: the folder on whose disk the archive is built.
    package func run(
        pulling address: RosterAddress, clientID: String, secret: String,
        with client: any BlockingCalls, spool: String, isPreview: Bool, isApproved: Bool,
        report: @escaping (Double) -> Void
    ) throws -> JSONValue {
        let limits = RosterLimits()
        let provider = RosterProvider(
            address, clientID: clientID, secret: secret, client: client, limits: limits,
            pace: TimedPace(limits) {})
        let pull = RosterPull(address: address, provider: provider, limits: limits, spool: spool)
        let archive = try pull.run()
        return try run(report) { importID in
            try connection.transaction(as: caller.identity) {
                try connection.add(
                    archive, as: importID, mode: isPreview ? "preview" : "apply",
                    fileName: address.shownName, isApproved: isApproved, by: caller)
            }
        }
    }

    /// - Parameter store: stores the archive as the import with this id.
    private func run(
        _ report: @escaping (Double) -> Void, _ store: (ImportID) throws -> Void
    ) throws -> JSONValue {
        let importID = ImportID(.v7())
        do {
            try store(importID)
        } catch PostgresError.server(let error) where error.constraint == Imports.queueRule {
            throw FullQueue()
        }
        while true {
            let details = try details(of: importID)
            let status = details["status"]?.text
            if status != "queued", status != "running" { return details }
            report(details["progress"]?.double ?? 0)
            if try queue.runNext(of: caller.organizationID, report: report) == nil {
                usleep(QueueWorker.pauseMicroseconds)
            }
        }
    }

    private func store(
        _ path: String, as importID: ImportID, isPreview: Bool, isApproved: Bool, isStrict: Bool
    ) throws {
        let file = try File.reading(path)
        let size = try file.size()
        guard (1...Imports.archiveBytesMax).contains(size) else {
            throw FileError("read", path, size == 0 ? ENODATA : EFBIG)
        }
        try connection.transaction(as: caller.identity) {
            try connection.query(
                .add(
                    importID, mode: isPreview ? "preview" : "apply", fileName: Self.name(of: path),
                    bytes: size, isApproved: isApproved, isStrict: isStrict, by: caller))
            var position = 0
            while let piece = try file.next(upTo: ClaimedImport.pieceBytes) {
                try connection.query(.add(piece, at: position, to: importID, by: caller))
                position += 1
            }
        }
    }

    /// The last component of a path; `nil` if it could not be shown as it is.
    private static func name(of path: String) -> String? {
        path.split(separator: "/").last.map(String.init).flatMap {
            Shape.line().check(.text($0)).isEmpty ? $0 : nil
        }
    }

    private func details(of importID: ImportID) throws -> JSONValue {
        let rows = try connection.query(
            .importDetails(importID, of: caller), as: caller.identity)
        var writer = JSONWriter()
        try rows.writeJSON(row: 0, into: &writer)
        return try JSONValue(parsing: writer.bytes)
    }
}

/// The organization's queue of imports is full.
struct FullQueue: Error, CustomStringConvertible {
    let description = "Too many imports of your organization are waiting."
}
