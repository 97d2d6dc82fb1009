import JSONBytes

extension Subcommand {
    static let migrate = Subcommand(
        "migrate", "Brings the database to the schema of this version.", options: [.json]
    ) { invocation in
        let settings = invocation.settings
        let outcome = try Installation.migrate(settings, log: settings.commandLog)
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
