import Imports
import JSONBytes
import School

extension Subcommand {
    static let importFile = Subcommand(
        "import", "Brings in an archive of CSV files: people, classes and who sits in them.",
        operands: ["FILE"],
        options: [
            .optional("organization", "ID", "Whose it is; not needed where there is only one."),
            .flag("preview", "Only says what the archive would do."),
            .flag("approve", "Goes on where more than a tenth would be removed."), .json,
        ]
    ) { invocation in
        let settings = invocation.settings
        let organizationID =
            invocation.has("organization")
            ? OrganizationID(try invocation.uuid("organization")) : nil
        let installation = try Installation.open(settings, log: settings.commandLog)
        defer { installation.close() }
        let file = try FileImport(
            target: installation.databaseURL, organizationID: organizationID, log: nil)
        guard let file else {
            throw UsageError(description: "--organization is needed where there is not just one.")
        }
        let progress = ProgressLine("import")
        let outcome = try file.run(
            invocation.operands[0], isPreview: invocation.has("preview"),
            isApproved: invocation.has("approve"), report: progress.show)
        progress.end()
        try invocation.report(importOutcome: outcome)
    }
}

extension Invocation {
    /// Prints the result of an import; throws if the import was not carried out.
    fileprivate func report(importOutcome outcome: JSONValue) throws {
        if has("json") {
            printLine(String(decoding: outcome.bytes, as: UTF8.self))
        } else {
            printImport(outcome)
        }
        for warning in outcome["warnings"]?.array ?? [] {
            complain("Passed over: " + Invocation.line(of: warning))
        }
        switch outcome["status"]?.text {
        case "failed":
            for error in outcome["errors"]?.array ?? [] { complain(Invocation.line(of: error)) }
            let count = outcome["errorCount"]?.int64 ?? 0
            throw CommandFailure("Nothing was changed: the archive has \(count) errors.")
        case "awaitingApproval":
            throw CommandFailure(
                "Nothing was changed: the archive would remove more than a tenth of the people, classes "
                    + "or seats. Import it again with --approve if that is meant.")
        default: break
        }
    }

    private func printImport(_ outcome: JSONValue) {
        for part in ["id", "status"] { printLine("\(part): \(outcome[part]?.text ?? "")") }
        for file in outcome["files"]?.array ?? [] {
            let counts = ["created", "changed", "unchanged", "removed"].map { name in
                "\(file[name]?.int64 ?? 0) \(name)"
            }
            let skipped = file["skipped"]?.int64 ?? 0
            printLine(
                "\(file["name"]?.text ?? ""): \(counts.joined(separator: ", "))"
                    + (skipped > 0 ? ", \(skipped) skipped" : ""))
        }
        for name in outcome["ignoredFiles"]?.array ?? [] {
            printLine("\(name.text ?? ""): not used")
        }
    }

    /// `students.csv, line 13, first_name: first_name must not be empty. (missing_value)`
    private static func line(of error: JSONValue) -> String {
        let position = [
            error["file"]?.text, error["line"]?.int64.map { "line \($0)" }, error["column"]?.text,
        ].compactMap(\.self)
        let code = error["code"]?.text ?? ""
        return (position.isEmpty ? "" : position.joined(separator: ", ") + ": ")
            + "\(error["text"]?.text ?? "") (\(code))"
    }
}
