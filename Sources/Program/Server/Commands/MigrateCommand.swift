import JSONBytes
import Postgres

extension Subcommand {
    static let migrate = Subcommand(
        "migrate", "Brings the database to the schema of this version.",
        options: [
            .flag(
                "whole",
                "Makes every function, policy and right afresh, even what is as it should be."),
            .json,
        ]
    ) { invocation in
        let settings = invocation.settings
        let migration = try Installation.migrate(
            settings, isWhole: invocation.has("whole"), log: settings.commandLog)
        if invocation.has("json") {
            invocation.report(migration.json)
        } else {
            for line in migration.lines { printLine(line) }
        }
    }
}

/// What `homeroom migrate` did, and what is still not as this version has it.
struct Migration {
    let outcome: Migrator.Outcome
    /// What was otherwise before; only known if the database was at this version already.
    private let before: RuleComparison
    private let after: RuleComparison

    /// - Parameter connection: with a login that may create roles and act as the schema's owner.
    init(
        of connection: BlockingConnection, to definitions: Definitions, isWhole: Bool
    ) throws {
        before = try RuleComparison(definitions, connection)
        outcome = try Migrator(definitions: definitions, onWait: { complain($0) })
            .migrate(connection, isWhole: isWhole)
        after = try RuleComparison(definitions, connection)
    }

    private var putBack: [RuleDifference] {
        let left = Set(after.differences)
        return before.differences.filter { !left.contains($0) }
    }

    fileprivate var json: [(String, JSONValue)] {
        [
            ("wasCurrent", .bool(outcome.wasCurrent)),
            ("applied", .array(outcome.applied.map(JSONValue.text))),
            ("putBack", .array(putBack.map { .text($0.text) })),
            ("differences", .array(after.differences.map { .text($0.text) })),
        ]
    }

    fileprivate var lines: [String] {
        var lines = outcome.applied.map { "applied \($0)" }
        lines += putBack.map { "put back: \($0.text)" }
        lines += after.leftOut
        guard !after.differences.isEmpty else {
            let change = outcome.wasCurrent ? "; nothing was changed" : ""
            let agreement = after.isCompared ? " It was compared with SQL/, and agrees." : ""
            return lines + ["The database is current\(change).\(agreement)"]
        }
        lines.append(
            "The database is at the schema of this version, but it was changed by hand:")
        for difference in after.differences {
            lines += ["  \(difference.text)", "    \(difference.advice)"]
        }
        return lines
    }
}
