import JSONBytes
import Postgres
import School
import Values

/// The end of an organization's audit trail: its last seal, which an export carries out of the database.
///
/// Removing the end of the trail, or all of it, does not remove the seal from there.
struct AuditHead: Equatable {
    let number: Int64
    /// In hexadecimal.
    let digest: String

    init(number: Int64, digest: String) {
        self.number = number
        self.digest = digest
    }

    init(_ row: Row) throws {
        number = Int64(try row.int("number"))
        digest = try row.text("digest")
    }

    /// - Returns: `nil` if a manifest has none.
    init?(_ json: JSONValue?) {
        guard let number = json?["number"]?.int64, let digest = json?["digest"]?.text else {
            return nil
        }
        self.init(number: number, digest: digest)
    }

    func json(of organizationID: OrganizationID) -> JSONValue {
        [
            "organizationId": .text(organizationID.uuid.description),
            "number": .number(JSONNumber(number)), "digest": .text(digest),
        ]
    }

    /// The value that `homeroom doctor --seal` takes.
    func noted(of organizationID: OrganizationID) -> String {
        "\(organizationID.uuid):\(number):\(digest)"
    }
}

extension Statement {
    /// The end of the audit trail, as `school_exporter`; no row if nothing is sealed yet.
    static var auditHead: Statement {
        "select number, digest from school.export_audit_head()"
    }

    /// Whether the seal from an earlier export still exists: `found`, `missing`, `different`, or `removed` by a rule
    /// of retention.
    static func outcome(of head: AuditHead) -> Statement {
        "select school.export_seal_outcome(\(head.number), \(head.digest)) as outcome"
    }
}
