import Access
import Crypto
import JSONBytes
import Postgres
import School
import Values

// What the operator lists, revokes and resets.

extension Subcommand {
    static let organizationList = Subcommand(
        "organization list", "Lists the organizations.", options: [.json]
    ) { invocation in
        let rows = try invocation.ask("select * from school.list_organizations()")
        let organizations = try rows.map { row in
            let domains = try row.textArray("domains")
            return Listed(
                line: "\(try row.uuid("organization_id"))  \(try row.text("name")) "
                    + "(\(domains.joined(separator: ", ")))",
                json: [
                    "organizationId": .text(try row.uuid("organization_id").description),
                    "name": .text(try row.text("name")),
                    "domains": .array(domains.map(JSONValue.text)),
                    "timeZone": .text(try row.text("time_zone")),
                    "people": .number(JSONNumber(Int64(try row.int("people")))),
                    "createdAt": .text(try row.timestamp("created_at").description),
                ])
        }
        invocation.list(organizations)
    }

    static let tokenList = Subcommand(
        "token list", "Lists the valid tokens that token create made for an organization.",
        options: [.required("organization", "ID", "Whose they are."), .json]
    ) { invocation in
        let organizationID = OrganizationID(try invocation.uuid("organization"))
        let rows = try invocation.ask("select * from school.list_tokens(\(organizationID))")
        invocation.list(try rows.map(Listed.init(token:)))
    }

    static let tokenRevoke = Subcommand(
        "token revoke", "Revokes a token by the id that token list shows.", operands: ["TOKEN_ID"],
        options: [.required("organization", "ID", "Whose it is."), .json]
    ) { invocation in
        let organizationID = OrganizationID(try invocation.uuid("organization"))
        let id = invocation.operands[0]
        let rows = try invocation.ask(
            "select school.revoke_listed_token(\(organizationID), \(id)) as is_revoked")
        guard try rows[0].bool("is_revoked") else {
            throw CommandFailure("The organization has no valid token with this id.")
        }
        invocation.report([("tokenId", .text(id)), ("revoked", .bool(true))])
    }

    static let passwordReset = Subcommand(
        "password reset", "Gives a person a temporary password, and ends the person's sign-ins.",
        operands: ["MANAGED_ID"], options: [.json]
    ) { invocation in
        let managedID = invocation.operands[0]
        let password = TemporaryPassword.make()
        let expiresAt = TemporaryPassword.expiry(from: Clock.system.now)
        let record = invocation.settings.passwordCost.record(of: password)
        let rows = try invocation.ask(
            "select school.reset_password(\(managedID), \(record), \(expiresAt)) as outcome")
        switch try rows[0].text("outcome") {
        case "set": break
        case "deactivated": throw CommandFailure("\(managedID) is deactivated.")
        case "withoutPassword":
            throw CommandFailure(
                "The school of \(managedID) signs in with a provider, and a password would not work. Only "
                    + "administrators have passwords there; one of them can change that under Settings."
            )
        default: throw CommandFailure("Nobody has the managed ID \(managedID).")
        }
        invocation.report([
            ("temporaryPassword", .text(password)), ("expiresAt", .text(expiresAt.description)),
        ])
    }
}

/// One entry of a list, for people and for programs.
struct Listed {
    let line: String
    let json: JSONValue
}

extension Listed {
    fileprivate init(token row: Row) throws {
        let id = try row.text("token_id")
        // A token without a role of its own carries all roles of the person.
        let role = try row.optionalText("standing")
        let person = try row.optionalUUID("person_id")?.description
        let app = try row.optionalText("app")
        let expiresAt = try row.timestamp("expires_at").description
        let whose = [person, app].compactMap { $0.map { "  \($0)" } }.joined()
        line = "\(id)  \(role ?? "all roles")\(whose)  until \(expiresAt)"
        json = [
            "tokenId": .text(id), "role": role.map(JSONValue.text) ?? .null,
            "personId": person.map(JSONValue.text) ?? .null,
            "bundleId": app.map(JSONValue.text) ?? .null,
            "environment": .text(try row.text("environment")),
            "createdAt": .text(try row.timestamp("created_at").description),
            "expiresAt": .text(expiresAt),
        ]
    }
}

extension Invocation {
    /// Queries the installation's database as the server's login.
    func ask(_ statement: Statement) throws -> Rows {
        let installation = try Installation.open(settings, log: settings.commandLog)
        defer { installation.close() }
        return try installation.connect().query(statement)
    }

    /// Prints a list: a JSON array with `--json`, otherwise a line for each entry.
    func list(_ entries: [Listed]) {
        guard has("json") else { return entries.forEach { printLine($0.line) } }
        let array = JSONValue.array(entries.map(\.json))
        printLine(String(decoding: array.bytes, as: UTF8.self))
    }
}
