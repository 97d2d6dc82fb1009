import Files
import HTTPClient
import Imports
import JSONBytes
import School

extension Subcommand {
    static let importFile = Subcommand(
        "import",
        "Brings in people, classes and who sits in them: an archive of CSV files, or a OneRoster API.",
        operands: ["FILE"], mayLackOperands: true,
        options: [
            .optional(
                "from", "URL",
                "Pulls from a OneRoster API instead of a file; the URL ends in /v1p2 or /v1p1."),
            .optional("client-id", "ID", "What that API knows us by."),
            .optional(
                "secret-file", "FILE",
                "Holds the client secret; without it, HOMEROOM_CLIENT_SECRET does."),
            .optional(
                "token-url", "URL", "Where it gives access tokens; /oauth/token when absent."),
            .optional(
                "local-sources", "on|off",
                "Whether it may be inside a network, or here without TLS (HOMEROOM_LOCAL_SOURCES), off."
            ),
            .optional("organization", "ID", "Whose it is; not needed where there is only one."),
            .flag("preview", "Only says what the archive would do."),
            .flag(
                "approve",
                "Goes on where more than a tenth would be removed, or where rows that cannot be read may be about those "
                    + "who would be."),
            .flag(
                "strict", "Refuses what is not as the standard has it, for those who write exports."
            ),
            .json,
        ]
    ) { invocation in
        let settings = invocation.settings
        let source = try invocation.rosterSource()
        guard source == nil || !invocation.has("strict") else {
            throw UsageError(description: "--strict is for a FILE, not for --from URL.")
        }
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
        let (isPreview, isApproved) = (invocation.has("preview"), invocation.has("approve"))
        let outcome: JSONValue
        if let source {
            outcome = try file.run(
                pulling: source.address, clientID: source.clientID, secret: source.secret,
                with: BlockingClient(
                    reachesLocal: settings.reachesLocalSources, limits: .rosterSources),
                spool: settings.dataFolder, isPreview: isPreview, isApproved: isApproved,
                report: progress.show)
        } else {
            outcome = try file.run(
                invocation.operands[0], isPreview: isPreview, isApproved: isApproved,
                isStrict: invocation.has("strict"), report: progress.show)
        }
        progress.end()
        try invocation.report(importOutcome: outcome)
    }
}

/// The address that `homeroom import --from` pulls from, and the client that it pulls as.
private struct RosterSourceArguments {
    let address: RosterAddress
    let clientID: String
    let secret: String
}

extension Invocation {
    /// The longest client secret, in bytes.
    private static let secretLength = 4096

    /// What to pull; `nil` if a file is imported.
    fileprivate func rosterSource() throws -> RosterSourceArguments? {
        guard let url = value("from") else {
            guard !operands.isEmpty else {
                throw UsageError(description: "import takes FILE, or --from URL.")
            }
            return nil
        }
        guard operands.isEmpty else {
            throw UsageError(description: "import takes FILE or --from URL, not both.")
        }
        guard let clientID = value("client-id") else {
            throw UsageError(description: "--from needs --client-id.")
        }
        let address: RosterAddress
        do {
            address = try RosterAddress(url: url, tokenURL: value("token-url"))
        } catch {
            throw UsageError(description: error.description)
        }
        return RosterSourceArguments(
            address: address, clientID: clientID, secret: try clientSecret())
    }

    /// From a file or the environment: everyone on the machine can read the arguments of a process.
    private func clientSecret() throws -> String {
        guard let path = value("secret-file") else {
            guard let secret = settings.clientSecret else {
                throw UsageError(
                    description: "--from needs --secret-file or HOMEROOM_CLIENT_SECRET.")
            }
            return secret
        }
        let content = try File.contents(of: path, limit: Self.secretLength)
        let end = content.lastIndex { $0 != 0x0A && $0 != 0x0D }.map { $0 + 1 } ?? 0
        guard end > 0 else { throw CommandFailure("\(path) is empty.") }
        return String(decoding: content[..<end], as: UTF8.self)
    }

    /// Prints the result of an import; throws if the import was not carried out.
    fileprivate func report(importOutcome outcome: JSONValue) throws {
        if has("json") {
            printLine(String(decoding: outcome.bytes, as: UTF8.self))
        } else {
            printImport(outcome)
        }
        for note in outcome["tallies"]?.array ?? [] where note["level"]?.text == "note" {
            complain("Put right: " + Invocation.line(of: note))
        }
        for warning in outcome["warnings"]?.array ?? [] {
            complain("Left out: " + Invocation.line(of: warning))
        }
        switch outcome["status"]?.text {
        case "failed":
            for error in outcome["errors"]?.array ?? [] { complain(Invocation.line(of: error)) }
            let count = outcome["errorCount"]?.int64 ?? 0
            throw CommandFailure("Nothing was changed: the archive has \(count) errors.")
        case "awaitingApproval" where Self.hasUnknownRows(outcome):
            throw CommandFailure(
                "Nothing was changed: the archive would remove \(Self.share(of: outcome)), and rows that cannot be read "
                    + "may be about some of them. Correct the file, or import it again with --approve if that is meant."
            )
        case "awaitingApproval":
            throw CommandFailure(
                "Nothing was changed: the archive would remove \(Self.share(of: outcome)), more than a tenth. "
                    + "Import it again with --approve if that is meant.")
        case "planned" where outcome["removesMuch"]?.bool == true:
            complain(
                "The archive would remove \(Self.share(of: outcome)), more than a tenth. Does it lack a part of "
                    + "the school?")
        default: break
        }
    }

    private static func hasUnknownRows(_ outcome: JSONValue) -> Bool {
        outcome["warnings"]?.array?.contains { $0["code"]?.text == "unknown_row" } ?? false
    }

    /// `200 of 960 people, 2 of 40 classes and 1400 of 5760 seats`
    private static func share(of outcome: JSONValue) -> String {
        let parts = (outcome["removals"]?.array ?? []).compactMap { removal -> String? in
            guard let kind = removal["kind"]?.text, let removed = removal["removed"]?.int64,
                let present = removal["present"]?.int64, removed > 0
            else { return nil }
            return "\(removed) of \(present) \(kind)"
        }
        guard parts.count > 1, let last = parts.last else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " and " + last
    }

    private func printImport(_ outcome: JSONValue) {
        for part in ["id", "status"] { printLine("\(part): \(outcome[part]?.text ?? "")") }
        for file in outcome["files"]?.array ?? [] {
            let counts = ["created", "changed", "unchanged", "removed"].map { name in
                "\(file[name]?.int64 ?? 0) \(name)"
            }
            let skipped = file["skipped"]?.int64 ?? 0
            let leftOut = file["leftOut"]?.int64 ?? 0
            printLine(
                "\(file["name"]?.text ?? ""): \(counts.joined(separator: ", "))"
                    + (skipped > 0 ? ", \(skipped) skipped" : "")
                    + (leftOut > 0 ? ", \(leftOut) left out" : ""))
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
        let place = position.isEmpty ? "" : position.joined(separator: ", ") + ": "
        if let count = error["count"]?.int64 { return "\(place)\(code), \(count) times" }
        return place + "\(error["text"]?.text ?? "") (\(code))"
    }
}
