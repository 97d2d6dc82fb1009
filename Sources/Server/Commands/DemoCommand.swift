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
        let settings = invocation.settings
        let installation = try Installation.open(settings, log: settings.commandLog)
        defer { installation.close() }
        let demonstrating = try Demonstrating(
            installation, settings, isBeside: invocation.has("beside"))
        defer { demonstrating.close() }
        let isNew = try demonstrating.makeUnlessThere()
        let overview = try demonstrating.overview()
        if invocation.has("json") {
            printLine(overview.document(isNew: isNew).description)
        } else {
            printLine(overview.text(isNew: isNew, at: "http://\(settings.listen)"))
        }
    }
}

extension Overview {
    /// One JSON object, for scripts.
    fileprivate func document(isNew: Bool) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("isNew", .bool(isNew)),
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
    fileprivate func text(isNew: Bool, at address: String) -> String {
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
