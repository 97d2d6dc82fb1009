import Cluster
import Exports
import JSONBytes
import Postgres
import School
import Values

extension Subcommand {
    static let erasuresApply = Subcommand(
        "erasures apply",
        "After a restore, erase again the people whom later exports report as erased.",
        options: [
            .required(
                "from", "FOLDER",
                "An exported folder, one that holds some, or a backup; once for each."),
            .optional("organization", "ID", "This organization alone."),
            .flag("dry-run", "Says what it would do, and does nothing."), .json,
        ]
    ) { invocation in
        var exported = ExportedErasures()
        var listed: [ExportedErasures.Erasure] = []
        for folder in invocation.all("from") {
            if BackupPlan.isThere(folder) {
                listed += try BackupLedger(in: folder).erasures
            } else {
                try exported.read(folder)
            }
        }
        let organization =
            try invocation.has("organization")
            ? OrganizationID(invocation.uuid("organization")) : nil
        let known = Set(exported.erasures)
        let wanted = (exported.erasures + listed.filter { !known.contains($0) }).filter {
            organization == nil || $0.organizationID == organization
        }
        let installation = try Installation.open(
            invocation.settings, log: invocation.settings.commandLog)
        defer { installation.close() }
        let connection = try installation.connectAsOwner(invocation.settings)
        let outcome = try RepeatedErasures(wanted, isDry: invocation.has("dry-run"), connection)
        outcome.report(invocation, folders: exported.folders)
        guard outcome.failures.isEmpty else {
            throw CommandFailure(
                "\(outcome.failures.count) of \(wanted.count) people could not be erased.")
        }
    }
}

/// Repeats erasures, one transaction each; if one fails, the others still run.
struct RepeatedErasures {
    let isDry: Bool
    private(set) var erased = 0
    /// People who no longer exist.
    private(set) var alreadyGone = 0
    /// People of organizations that this database does not have.
    private(set) var unknownOrganization = 0
    private(set) var failures: [(erasure: ExportedErasures.Erasure, reason: String)] = []

    init(
        _ wanted: [ExportedErasures.Erasure], isDry: Bool, _ connection: BlockingConnection
    ) throws {
        self.isDry = isDry
        try connection.execute("set role school_owner")
        for erasure in wanted {
            let statement: Statement =
                isDry
                ? "select school.erasure_of(\(erasure.organizationID), \(erasure.personID)) as said"
                : "select school.apply_erasure(\(erasure.organizationID), \(erasure.personID)) as said"
            do {
                try count(connection.query(statement)[0].text("said"), erasure)
            } catch {
                if case .connectionLost = error { throw error }
                failures.append((erasure, "The database refused: \(error)."))
            }
        }
    }

    private mutating func count(_ said: String, _ erasure: ExportedErasures.Erasure) {
        switch said {
        case "erased": erased += 1
        case "alreadyGone": alreadyGone += 1
        case "unknownOrganization": unknownOrganization += 1
        case "lastAdministrator":
            failures.append(
                (
                    erasure,
                    "This is the only administrator. Make someone else an administrator first."
                ))
        case "held":
            failures.append((erasure, "A hold stands. An administrator can lift it."))
        case "importsUnderWay":
            failures.append((erasure, "An import is under way. Try again when it is done."))
        default: failures.append((erasure, said))
        }
    }

    func report(_ invocation: Invocation, folders: Int) {
        for failure in failures {
            complain(
                "\(failure.erasure.personID.uuid) of \(failure.erasure.organizationID.uuid): "
                    + "not erased. \(failure.reason)")
        }
        invocation.report([
            ("isDryRun", .bool(isDry)), ("folders", Self.number(folders)),
            (isDry ? "wouldErase" : "erased", Self.number(erased)),
            ("alreadyGone", Self.number(alreadyGone)),
            ("unknownOrganization", Self.number(unknownOrganization)),
            ("failed", Self.number(failures.count)),
        ])
    }

    private static func number(_ value: Int) -> JSONValue {
        .number(JSONNumber(Int64(value)))
    }
}
