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

    /// Adds the erasures of the database, and takes its seals in place of those before.
    ///
    /// - Parameter connection: as the owner of the schema.
    mutating func update(from connection: BlockingConnection) throws {
        let known = Set(erasures)
        for row in try connection.query(.erasures) {
            guard let person = UUID(try row.text("subject_id")) else { continue }
            let erasure = ExportedErasures.Erasure(
                organizationID: OrganizationID(try row.uuid("organization_id")),
                personID: PersonID(person))
            if !known.contains(erasure) { erasures.append(erasure) }
        }
        seals = try connection.query(.doctorOrganizations).compactMap { row in
            guard let number = try row.optionalInt("number"),
                let digest = try row.optionalText("digest")
            else { return nil }
            return "\(try row.uuid("organization_id")):\(number):\(digest)"
        }
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

extension Statement {
    /// Everyone whose erasure the audit trails know.
    fileprivate static var erasures: Statement {
        """
        select distinct organization_id, subject_id from school.audit_event
         where kind = 'erasure' and subject_kind = 'person'
        """
    }
}
