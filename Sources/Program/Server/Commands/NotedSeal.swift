import Postgres
import Records
import School
import Values

/// A seal of an audit trail that was noted elsewhere.
struct NotedSeal: CustomStringConvertible {
    let organizationID: OrganizationID
    let number: Int64
    private let digest: String

    var description: String { "\(organizationID.uuid):\(number):\(digest)" }

    /// - Parameter text: `ORGANIZATION:NUMBER:DIGEST`, as `doctor` and an export's manifest print it.
    init(_ text: String) throws {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let id = UUID(parts[0]), let number = Int64(parts[1]), number > 0,
            parts[2].utf8.count == 64, parts[2].allSatisfy({ $0.isASCII && $0.isHexDigit })
        else {
            throw UsageError(
                description: "--seal should be ORGANIZATION:NUMBER:DIGEST, as doctor prints it.")
        }
        organizationID = OrganizationID(id)
        self.number = number
        digest = parts[2]
    }

    /// Whether the database still holds it: `found`, `missing`, `different`, or that the organization is unknown.
    func outcome(_ connection: BlockingConnection) throws -> String {
        try connection.query(
            "select school.noted_seal_outcome(\(organizationID), \(number), \(digest)) as outcome")[
                0
            ]
            .text("outcome")
    }

    /// What is wrong with the trail of an organization that is there; `nil` if nothing is.
    func cutting(_ connection: BlockingConnection) throws -> String? {
        switch try outcome(connection) {
        case "missing":
            "The audit trail of \(organizationID.uuid) no longer has seal \(number): its end was removed."
        case "different":
            "Seal \(number) of \(organizationID.uuid) has another digest: the audit trail was made afresh."
        // A rule of the organization may have removed it; the chain is proven from the seal that was kept.
        default: nil
        }
    }

    func look(at connection: BlockingConnection, _ diagnosis: inout Diagnosis) throws {
        let isUnknown = try !["found", "removed", "missing", "different"]
            .contains(outcome(connection))
        diagnosis.note(
            "noted_seal",
            isUnknown
                ? "A seal was noted for \(organizationID.uuid). There is no organization with that id."
                : try cutting(connection), advice: Self.advice)
    }

    private static let advice =
        "Find out who may sign in to the database, and compare with a backup."

    /// Notes what the audit trails lack of these seals, which the deployment itself keeps somewhere.
    static func look(
        at seals: [String], kept place: String, as code: String, _ connection: BlockingConnection,
        _ diagnosis: inout Diagnosis
    ) throws {
        var findings: [Diagnosis.Finding] = []
        for seal in try seals.map(NotedSeal.init) {
            guard let finding = try seal.cutting(connection) else { continue }
            findings.append(
                Diagnosis.Finding(
                    code: code, severity: .error, text: "\(finding) It is noted in \(place).",
                    advice: advice))
        }
        diagnosis.note(code, findings)
    }
}
