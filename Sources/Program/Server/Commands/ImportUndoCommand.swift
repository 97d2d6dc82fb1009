import Crypto
import JSONBytes
import Postgres
import School
import Values

extension Subcommand {
    static let importUndo = Subcommand(
        "import undo",
        "Undoes an import that was applied, unless something has been built on it since.",
        operands: ["IMPORT_ID"],
        options: [
            .optional("organization", "ID", "Whose it is; not needed where there is only one."),
            .flag("dry-run", "Says what it would do, and does nothing."), .json,
        ]
    ) { invocation in
        guard let id = UUID(invocation.operands[0]) else {
            throw UsageError(description: "IMPORT_ID should be an id such as \(UUID.v7()).")
        }
        let chosen =
            try invocation.has("organization")
            ? OrganizationID(invocation.uuid("organization")) : nil
        let installation = try Installation.open(
            invocation.settings, log: invocation.settings.commandLog)
        defer { installation.close() }
        // With the last one, the statement of a killed command ends within a second.
        let connection = try BlockingConnection(
            installation.databaseURL,
            options: ["statement_timeout": "0", "client_connection_check_interval": "1s"])
        guard let organizationID = try chosen ?? onlyOrganization(connection) else {
            throw UsageError(description: "--organization is needed where there is not just one.")
        }
        let isDry = invocation.has("dry-run")
        // In a transaction: a command that is killed before it could say what it did has done nothing.
        let rows = try connection.transaction {
            try connection.query(
                """
                select outcome, kind, what, found, example
                  from school.undo_import(\(organizationID), \(ImportID(id)), \(isDry))
                """)
        }
        let undoing = try ImportUndoing(rows)
        try undoing.report(invocation, id, isDry: isDry)
    }
}

private func onlyOrganization(_ connection: BlockingConnection) throws -> OrganizationID? {
    try connection.query("select school.only_organization() as organization_id")[0]
        .optionalUUID("organization_id").map { OrganizationID($0) }
}

/// What `undo_import()` said.
private struct ImportUndoing {
    /// Rows of one kind that are undone, or an obstacle.
    fileprivate struct Part {
        let kind: String
        let what: String
        let found: Int
        let example: String?

        var count: JSONValue { JSONValue(integerLiteral: Int64(found)) }
        var json: JSONValue { ["kind": .text(kind), "change": .text(what), "count": count] }

        /// Its kind in the plural, such as `classes`.
        var kinds: String { ["person": "people", "class": "classes"][kind] ?? "\(kind)s" }
    }

    private let outcome: String
    private var parts: [Part] = []

    init(_ rows: Rows) throws {
        outcome = try rows[0].text("outcome")
        guard outcome == "undone" || outcome == "blocked" else { return }
        parts = try rows.map { row in
            Part(
                kind: try row.text("kind"), what: try row.text("what"),
                found: try row.int("found"), example: try row.optionalText("example"))
        }
    }

    /// Prints what was done; throws the reason if nothing was.
    func report(_ invocation: Invocation, _ id: UUID, isDry: Bool) throws {
        switch outcome {
        case "undone":
            let head: [(name: String, value: JSONValue)] = [
                ("importId", .text(id.description)), ("undone", .bool(!isDry)),
            ]
            let lines = parts.map { part in
                (name: "\(part.kinds) \(part.what)", value: part.count)
            }
            let rows = (name: "rows", value: JSONValue.array(parts.map(\.json)))
            invocation.report(head + (invocation.has("json") ? [rows] : lines))
        case "blocked":
            for part in parts { complain("\(part)") }
            throw CommandFailure(
                "Nothing was changed: something has been built on this import since.")
        case "unknown": throw CommandFailure("The organization has no import \(id).")
        case "notApplied":
            throw CommandFailure("This import changed nothing, so there is nothing to undo.")
        case "alreadyUndone": throw CommandFailure("This import was undone before.")
        case "underWay":
            throw CommandFailure(
                "Another import of the organization is under way. Try again when it is done.")
        default:
            throw CommandFailure(
                """
                What this import replaced is not kept: it was applied more than 30 days ago, changed more than \
                5,000,000 rows, or a person in it was erased since. Import a corrected archive.
                """)
        }
    }
}

extension ImportUndoing.Part: CustomStringConvertible {
    /// An obstacle in words, such as `2 people: no longer as the import left them, such as ….`
    var description: String {
        let reason =
            switch what {
            case "changed": "no longer as the import left \(found == 1 ? "it" : "them")"
            case "work": "used for work since"
            default: "referred to by \(what)"
            }
        return "\(found) \(found == 1 ? kind : kinds): \(reason)"
            + (example.map { ", such as \($0)." } ?? ".")
    }
}
