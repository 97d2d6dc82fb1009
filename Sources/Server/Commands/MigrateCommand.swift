import JSONBytes

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
        let outcome = try Installation.migrate(
            settings, isWhole: invocation.has("whole"), log: settings.commandLog)
        if invocation.has("json") {
            invocation.report([
                ("wasCurrent", .bool(outcome.wasCurrent)),
                ("applied", .array(outcome.applied.map(JSONValue.text))),
            ])
        } else if outcome.wasCurrent {
            printLine("The database is current; nothing was changed.")
        } else {
            for name in outcome.applied { printLine("applied \(name)") }
            printLine("The database is current.")
        }
    }
}
