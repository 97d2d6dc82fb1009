import Crypto
import EventLoop
import Files
import HTTPClient
import Postgres
import School
import Values

/// A pull that this process has claimed (`claim_roster_pull()`), on a thread and a connection of its own.
///
/// No transaction is open while the provider is asked. What it sends becomes an import in the transaction that ends the
/// claim: a process that dies before leaves nothing behind, and another one begins anew.
struct ClaimedRosterPull {
    /// How often the claim is renewed, in seconds; it lasts three minutes.
    private static let renewalSeconds = 20

    let source: RosterIdentity
    let claimID: UUID
    private let sealed: [UInt8]

    init(_ row: Row) throws {
        source = RosterIdentity(
            organizationID: OrganizationID(try row.uuid("organization_id")),
            url: try row.text("url"), tokenURL: try row.text("token_url"),
            clientID: try row.text("client_id"))
        claimID = try row.uuid("claim_id")
        sealed = try row.bytes("sealed_secret")
    }

    /// Asks the provider and stores its roster as an import; throws a `RosterFailure` where that is not possible.
    ///
    /// - Parameters:
    ///   - key: opens the secret.
    ///   - isEnding: whether the process ends.
    func run(
        _ connection: BlockingConnection, client: any BlockingCalls, key: SealingKey,
        limits: RosterLimits, spool: String, isEnding: @escaping () -> Bool
    ) throws {
        guard let opened = key.open(sealed, for: source.context),
            let address = try? RosterAddress(url: source.url, tokenURL: source.tokenURL)
        else {
            throw RosterFailure(
                .secretLost, "The client secret cannot be opened. Enter it again.")
        }
        var renewed = ContinuousClock.now
        let pace = TimedPace(limits) {
            if isEnding() { throw RosterPullEnded() }
            guard ContinuousClock.now - renewed > .seconds(Self.renewalSeconds) else { return }
            guard try connection.query(.renew(self))[0].bool("is_own") else {
                throw RosterPullEnded()
            }
            renewed = .now
        }
        let provider = RosterProvider(
            address, clientID: source.clientID, secret: String(decoding: opened, as: UTF8.self),
            client: client, limits: limits, pace: pace)
        let pull = RosterPull(address: address, provider: provider, limits: limits, spool: spool)
        try store(try pull.run(), from: address, connection)
    }

    private func store(
        _ archive: UnnamedFile, from address: RosterAddress, _ connection: BlockingConnection
    ) throws {
        let caller = Caller.rosterImporter(of: source.organizationID)
        let importID = ImportID(.v7())
        do {
            try connection.transaction(as: caller.identity) {
                try connection.add(
                    archive, as: importID, mode: "apply", fileName: address.shownName, by: caller)
                // The claim is the server's own.
                try connection.execute("set local role none")
                guard try connection.query(.finish(self, with: importID))[0].bool("is_own") else {
                    throw RosterPullEnded()
                }
            }
        } catch PostgresError.server(let error) where error.constraint == Imports.queueRule {
            throw RosterFailure(.queueFull, "Too many imports of your organization are waiting.")
        }
    }
}

extension Caller {
    /// Who orders the imports of pulls, as of archives on disk: nobody in person, with the rights of a provisioner.
    static func rosterImporter(of organizationID: OrganizationID) -> Caller {
        Caller(organizationID: organizationID, personID: nil, standings: [.provisioner])
    }
}

extension RosterAddress {
    /// What an import from there is called in lists.
    var shownName: String { String("OneRoster, \(url.host)".prefix(256)) }
}

extension BlockingConnection {
    /// Stores an archive with a new import that waits for its turn, in the open transaction.
    func add(
        _ archive: UnnamedFile, as importID: ImportID, mode: String, fileName: String?,
        isApproved: Bool = false, by caller: Caller
    ) throws {
        try query(
            .add(
                importID, mode: mode, fileName: fileName, bytes: archive.count,
                isApproved: isApproved, by: caller))
        let pieces = stride(from: 0, to: archive.count, by: ClaimedImport.pieceBytes)
        for (position, start) in pieces.enumerated() {
            let end = min(start + ClaimedImport.pieceBytes, archive.count)
            try query(
                .add(try archive.bytes(in: start..<end), at: position, to: importID, by: caller))
        }
    }
}
