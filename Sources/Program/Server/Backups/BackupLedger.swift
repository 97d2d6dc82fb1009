import Cluster
import Exports
import Files
import JSONBytes
import Postgres
import School
import Values

/// What a restore needs from outside the database: who was erased, and where audit trails ended. It lies beside the
/// backups, and names people only by ids that nothing else knows any more.
struct BackupLedger {
    static let name = "homeroom-ledger.json"

    private(set) var erasures: [ExportedErasures.Erasure] = []
    /// As `doctor --seal` takes them.
    private(set) var seals: [String] = []

    /// The ledger in a folder; empty if there is none.
    init(in folder: String) throws {
        let path = "\(folder)/\(Self.name)"
        guard Folder.kind(of: path) != nil else { return }
        let json = try? JSONValue(parsing: File.contents(of: path, limit: 1 << 30))
        guard let entries = json?["erasures"]?.array, let seals = json?["seals"]?.array else {
            throw CommandFailure("\(path) is not a ledger. Move it away to begin a new one.")
        }
        erasures = entries.compactMap { entry in
            guard let organization = entry["organizationId"]?.text.flatMap({ UUID($0) }),
                let person = entry["personId"]?.text.flatMap({ UUID($0) })
            else { return nil }
            return ExportedErasures.Erasure(
                organizationID: OrganizationID(organization), personID: PersonID(person))
        }
        self.seals = seals.compactMap(\.text)
    }

    /// Adds the erasures of the database, and takes its seals in place of those before. A seal that the database no longer
    /// holds stays: it is the only evidence that the end of an audit trail was removed.
    ///
    /// - Parameters:
    ///   - connection: as the owner of the schema.
    ///   - acceptsAuditTrail: takes the trails as they are, as after a restore to an earlier moment.
    /// - Returns: what is wrong with the trails, as sentences.
    mutating func update(
        from connection: BlockingConnection, acceptsAuditTrail: Bool
    ) throws -> [String] {
        let known = Set(erasures)
        for row in try connection.query(.erasures) {
            guard let person = UUID(try row.text("subject_id")) else { continue }
            let erasure = ExportedErasures.Erasure(
                organizationID: OrganizationID(try row.uuid("organization_id")),
                personID: PersonID(person))
            if !known.contains(erasure) { erasures.append(erasure) }
        }
        var cut: [NotedSeal] = []
        var findings: [String] = []
        for seal in acceptsAuditTrail ? [] : try seals.map(NotedSeal.init) {
            // An organization that was deleted took its trail with it.
            guard let finding = try seal.cutting(connection) else { continue }
            findings.append(finding)
            cut.append(seal)
        }
        let kept = Set(cut.map(\.organizationID))
        seals =
            try SealedTrail.heads(connection).filter { !kept.contains($0.organizationID) }
            .map(\.description) + cut.map(\.description)
        return findings
    }

    /// Ends the command if an audit trail lacks what the ledger knows of it.
    static func refuse(_ cut: [String], in folder: String) throws {
        guard !cut.isEmpty else { return }
        throw CommandFailure(
            """
            The backup was taken, but: \(cut.joined(separator: " ")) The ledger in \(folder) keeps the earlier seal, and \
            no backup is removed. Find out who may sign in to the database, and compare with an earlier backup. If a \
            restore to an earlier moment did that, add --accept-audit-trail once.
            """)
    }

    var text: String {
        let json: JSONValue = [
            "erasures": .array(
                erasures.map {
                    [
                        "organizationId": .text($0.organizationID.uuid.description),
                        "personId": .text($0.personID.uuid.description),
                    ]
                }),
            "seals": .array(seals.map(JSONValue.text)),
        ]
        return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }
}

/// Where the audit trails end now.
enum SealedTrail {
    static func heads(_ connection: BlockingConnection) throws -> [NotedSeal] {
        var heads: [NotedSeal] = []
        for row in try connection.query(.doctorOrganizations) {
            guard let number = try row.optionalInt("number"),
                let digest = try row.optionalText("digest")
            else { continue }
            heads.append(try NotedSeal("\(try row.uuid("organization_id")):\(number):\(digest)"))
        }
        return heads
    }
}

extension Statement {
    /// Everyone whose erasure the audit trails know.
    fileprivate static var erasures: Statement {
        """
        select distinct organization_id, subject_id from school.audit_event
         where kind = 'erasure' and subject_kind = 'person'
        """
    }
}
