import Demonstration
import JSONBytes
import School
import Values

extension Subcommand {
    static let demo = Subcommand(
        "demo", "Makes the demonstration school, or finds it, and says how to sign in to it.",
        options: [
            .optional(
                "archive", "FILE",
                "Makes no school, but writes its directory as an archive of CSV templates."),
            .flag(
                "beside",
                "Makes it although there is another organization. Its passwords are printed in every copy."
            ),
            .optional(
                "network", "WORD",
                "allow: its people sign in from other machines, too; refuse: from this one alone, as at first."
            ),
            .json,
        ]
    ) { invocation in
        if let path = invocation.value("archive") {
            let school = DemonstrationSchool()
            try school.writeArchive(to: path)
            invocation.report([
                ("archive", .text(path)),
                ("people", JSONValue(integerLiteral: Int64(school.peopleCount))),
                ("classes", JSONValue(integerLiteral: Int64(school.classCount))),
            ])
            return
        }
        let isOpen = try invocation.allowsNetwork()
        let settings = invocation.settings
        let installation = try Installation.open(settings, log: settings.commandLog)
        defer { installation.close() }
        let demonstrating = try Demonstrating(
            installation, settings, isBeside: invocation.has("beside"))
        defer { demonstrating.close() }
        let isNew = try demonstrating.makeUnlessThere()
        let overview = try demonstrating.overview()
        let isLocal = try demonstrating.arrangeNetwork(isOpen)
        if invocation.has("json") {
            printLine(overview.document(isNew: isNew, isLocal: isLocal).description)
        } else {
            printLine(
                overview.text(isNew: isNew, isLocal: isLocal, at: "http://\(settings.listen)"))
        }
    }
}

extension Invocation {
    /// What `--network` says; `nil` leaves it as it is.
    fileprivate func allowsNetwork() throws -> Bool? {
        switch value("network") {
        case nil: return nil
        case "allow": return true
        case "refuse": return false
        default: throw UsageError(description: "--network should be allow or refuse.")
        }
    }
}

extension Overview {
    /// One JSON object, for scripts.
    fileprivate func document(isNew: Bool, isLocal: Bool) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("isNew", .bool(isNew)), ("isLocal", .bool(isLocal)),
            ("organizationId", .text(DemonstrationAccount.organizationID.uuid.description)),
            ("classId", classID.map(JSONValue.text) ?? nil),
            ("handoutId", handoutID.map(JSONValue.text) ?? nil),
        ]
        for (account, id) in accounts {
            members.append(
                (
                    account.role.rawValue,
                    [
                        "id": id.map(JSONValue.text) ?? nil, "managedId": .text(account.managedID),
                        "password": .text(account.password),
                    ]
                ))
        }
        return .object(JSONObject(members))
    }

    /// For a person at a terminal.
    fileprivate func text(isNew: Bool, isLocal: Bool, at address: String) -> String {
        var lines = [
            isNew
                ? "\(DemonstrationAccount.organizationName), the demonstration school, was made."
                : "\(DemonstrationAccount.organizationName), the demonstration school, is there.",
            "",
        ]
        for (account, _) in accounts {
            lines.append(
                padded(account.role.rawValue, 15) + padded(account.managedID, 32) + account.password
            )
        }
        lines += [
            "",
            isLocal
                ? "They sign in from this machine alone. homeroom demo --network allow lets others in, too."
                : "Anyone who reaches the server can sign in with them: homeroom demo --network refuse ends that.",
        ]
        return (lines + ["", "To try, while it serves:", ""] + tries(at: address)).joined(
            separator: "\n")
    }

    /// Three calls to paste into a shell.
    private func tries(at address: String) -> [String] {
        let teacher = DemonstrationAccount.teacher
        return [
            "TOKEN=$(curl -s \(address)/v1/sign-in --json \\",
            "  '{\"managedId\":\"\(teacher.managedID)\",\"password\":\"\(teacher.password)\"}' \\",
            "  | grep -o '\"accessToken\":\"[^\"]*' | cut -d '\"' -f 4)", "",
            "curl -H \"Authorization: Bearer $TOKEN\" '\(address)/v1/handouts?limit=3'", "",
            "curl -H \"Authorization: Bearer $TOKEN\" -H 'Accept: text/csv' \\",
            "  \(address)/v1/handouts/\(handoutID ?? "ID")/report",
        ]
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
