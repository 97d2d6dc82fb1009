import JSONBytes

extension Subcommand {
    static let reindex = Subcommand(
        "reindex", "Rebuilds the indexes whose order an upgrade of the operating system changed.",
        options: [.json]
    ) { invocation in
        let installation = try Installation.open(
            invocation.settings, log: invocation.settings.commandLog)
        defer { installation.close() }
        let connection = try installation.connectAsOwner(invocation.settings)
        let outcome = try CollatedIndexes(connection).rebuild()
        if invocation.has("json") {
            invocation.report([
                ("rebuilt", .array(outcome.rebuilt.map(JSONValue.text))),
                ("collations", .array(outcome.noted.map(JSONValue.text))),
            ])
        } else if outcome.rebuilt.isEmpty {
            printLine("Every index is in the order of the system; nothing was changed.")
        } else {
            for name in outcome.rebuilt { printLine("rebuilt \(name)") }
        }
    }
}
