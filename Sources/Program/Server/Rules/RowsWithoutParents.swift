import CLinux
import Postgres
import Records

/// Rows that refer to rows which are gone, for every foreign key.
///
/// Nothing else notices them: PostgreSQL checks a foreign key when a row is written, and trusts it from then on.
struct RowsWithoutParents {
    /// Checking a key takes one read of the larger table. If that takes longer, the doctor says that the key was not
    /// checked.
    private static let secondsPerKey = 20
    private static let secondsMax: Int64 = 600

    let connection: BlockingConnection
    /// For how long one key may take.
    private let patience: String

    init(_ connection: BlockingConnection, patience: String = "\(secondsPerKey)s") {
        self.connection = connection
        self.patience = patience
    }

    /// Small tables come first, so that what time is left for goes to the large ones.
    func look(_ diagnosis: inout Diagnosis) throws {
        var findings: [Diagnosis.Finding] = []
        var leftOut: [String] = []
        let end = linux_monotonic_nanoseconds() + Self.secondsMax * 1_000_000_000
        try connection.query("select set_config('statement_timeout', \(patience), false)")
        defer { _ = try? connection.query("select set_config('statement_timeout', '0', false)") }
        for key in try connection.query("select name, child, parent from school.foreign_keys()") {
            let (name, child) = (try key.text("name"), try key.text("child"))
            guard linux_monotonic_nanoseconds() < end else {
                leftOut.append(name)
                continue
            }
            switch try count(child, name) {
            case .rows(0): break
            case .rows(let count):
                findings.append(try finding(count, child, parent: key.text("parent"), name))
            case .late: leftOut.append(name)
            case .damaged(let state): findings.append(Self.damage(child, name, state))
            }
        }
        diagnosis.note("rows_without_parents", findings)
        diagnosis.note(
            "rows_not_checked",
            leftOut.isEmpty
                ? nil
                : "Not read, since it takes too long, is whether rows lack what they refer to by: "
                    + leftOut.joined(separator: ", ") + ".",
            advice:
                "When there is time, ask by hand: select school.rows_without_parents('TABLE', 'NAME').",
            severity: .info)
    }

    private enum Outcome {
        case rows(Int)
        /// There was not enough time.
        case late
        /// A table could not be read; what PostgreSQL calls it.
        case damaged(String)
    }

    private func count(_ child: String, _ name: String) throws -> Outcome {
        do {
            let row = try connection.query(
                "select school.rows_without_parents(\(child), \(name)) as total")[0]
            return .rows(try row.int("total"))
        } catch {
            switch error.sqlState {
            case "57014": return .late
            case let state? where ["XX001", "XX002", "58030", "58P01"].contains(state):
                return .damaged(state)
            default: throw error
            }
        }
    }

    private static func damage(
        _ child: String, _ name: String, _ state: String
    ) -> Diagnosis.Finding {
        Diagnosis.Finding(
            code: "rows_without_parents", severity: .error,
            text: "Rows of \(child) could not be read by \(name): the data is damaged (\(state)).",
            advice: "deploy/guides/backups.md says what to do when the database is damaged.")
    }

    private func finding(
        _ count: Int, _ child: String, parent: String, _ name: String
    ) -> Diagnosis.Finding {
        let total = count >= 1000 ? "1000 or more rows" : count == 1 ? "1 row" : "\(count) rows"
        return Diagnosis.Finding(
            code: "rows_without_parents", severity: .error,
            text: "\(total) of \(child) refer to rows of \(parent) that are gone (\(name)).",
            advice: """
                They were removed past the foreign keys. Find out who did that, and compare with a backup: \
                homeroom restore into another folder brings it back beside this one.
                """)
    }
}
