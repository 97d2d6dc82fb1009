import JSONBytes
import Postgres
import School
import Values

extension Subcommand {
    static let organizationMove = Subcommand(
        "organization move",
        "Moves an organization to another cell while it is used; the last step takes seconds.",
        operands: ["ID"],
        options: [
            .required(
                "to", "URL", "The other cell's PostgreSQL as its superuser, without a password."),
            .optional(
                "from", "URL",
                "How the other cell reaches this one, where that differs from HOMEROOM_MIGRATION_URL."
            ),
            .flag("check", "Only looks whether the organization could move."),
            .flag("finish", "Deletes what is left here; after that there is no way back."),
            .flag(
                "back",
                "Takes the move back, with all that was written; once more deletes the copy there."),
            .json,
        ]
    ) { invocation in
        let organizationID = OrganizationID(try invocation.operandID())
        let target = try invocation.cell("to")
        let steps = ["check", "finish", "back"].filter(invocation.has)
        guard steps.count <= 1 else {
            throw UsageError(description: "--check, --finish and --back exclude each other.")
        }
        let source = invocation.has("from") ? try invocation.cell("from") : nil
        let installation = try Installation.open(
            invocation.settings, log: invocation.settings.commandLog)
        defer { installation.close() }
        guard installation.cluster == nil, let own = invocation.settings.migrationURL else {
            throw CommandFailure(
                """
                A move needs HOMEROOM_DATABASE_URL and HOMEROOM_MIGRATION_URL, because the other cell has to reach \
                this one's PostgreSQL. From a private PostgreSQL, use organization archive and organization restore.
                """)
        }
        let move = try OrganizationMove(
            organizationID, here: MovingCell("This cell", own, seenAs: source ?? own),
            there: MovingCell("The other cell", target, seenAs: target))
        invocation.report(
            [("organizationId", .text(organizationID.uuid.description))]
                + (try move.take(steps.first)))
    }
}

extension Invocation {
    /// A connection string without a password: everyone on the machine can read a command line.
    fileprivate func cell(_ name: String) throws -> String {
        let text = value(name) ?? ""
        guard !text.isEmpty else {
            throw UsageError(description: "--\(name) should be the address of a PostgreSQL.")
        }
        let authority = text.split(separator: "://", maxSplits: 1).last?.split(separator: "/").first
        let user = authority?.split(separator: "@").first ?? ""
        let isURL = text.contains("://") && authority?.contains("@") == true
        guard !text.contains("password="), !(isURL && user.contains(":")) else {
            throw UsageError(
                description:
                    "--\(name) should have no password, which others could read. Write it into a pgpass file."
            )
        }
        return text
    }
}

extension OrganizationMove {
    /// Does what was asked for, and returns what to report.
    fileprivate func take(_ step: String?) throws -> [(name: String, value: JSONValue)] {
        try checkDistinct()
        for cell in [here, there] { try cell.claim(id) }
        switch step {
        case "check":
            try check()
            return [("canMove", .bool(true))]
        case "finish":
            try finish()
            return [("finished", .bool(true))]
        case "back":
            try back()
            return [("servedBy", .text("this cell"))]
        default:
            let outcome = try move()
            return [
                ("servedBy", .text("the other cell")),
                ("tables", .number(JSONNumber(Int64(outcome.tables)))),
                ("rows", .number(JSONNumber(Int64(outcome.rows)))),
                ("readOnlyMilliseconds", .number(JSONNumber(Int64(outcome.milliseconds)))),
            ]
        }
    }
}
