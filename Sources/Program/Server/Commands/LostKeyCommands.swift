import Access
import Crypto
import JSONBytes
import Postgres
import School
import Values

// What the operator does when a key is lost or stolen; the commands are in deploy/guides/lost-keys.md.

extension Subcommand {
    static let administratorCreate = Subcommand(
        "administrator create",
        "Makes a person an administrator, a new one or one who is there already.",
        operands: ["MANAGED_ID"],
        options: [
            .required("organization", "ID", "Whose administrator."),
            .optional("given-name", "TEXT", "A new person's; made from the managed ID."),
            .optional("family-name", "TEXT", "A new person's; made from the managed ID."), .json,
        ]
    ) { invocation in
        let organizationID = OrganizationID(try invocation.uuid("organization"))
        let managedID = invocation.operands[0]
        let domain = managedID.split(separator: "@").last.map { $0.lowercased() } ?? ""
        guard let user = NewOrganization.user(of: managedID, at: domain) else {
            throw UsageError(
                description: "MANAGED_ID should be a managed ID such as ada@hillside.example.")
        }
        let (given, family) = try NewOrganization.names(of: user, invocation)
        let password = TemporaryPassword.make()
        let expiresAt = TemporaryPassword.expiry(from: Clock.system.now)
        let record = invocation.settings.passwordCost.record(of: password)
        let row = try invocation.ask(
            """
            select outcome, person_id
              from school.create_administrator(
                       \(organizationID), \(PersonID(UUID.v7())), \(given), \(family), \(managedID), \(record),
                       \(expiresAt))
            """)[0]
        let outcome = try row.text("outcome")
        if let reason = refusal(outcome, managedID, organizationID) { throw CommandFailure(reason) }
        let person = JSONValue.text(try row.uuid("person_id").description)
        let secret: [(name: String, value: JSONValue)] = [
            ("temporaryPassword", .text(password)), ("expiresAt", .text(expiresAt.description)),
        ]
        invocation.report([("administratorId", person)] + (outcome == "created" ? secret : []))
    }

    static let administratorList = Subcommand(
        "administrator list", "Lists the administrators of an organization.",
        options: [.required("organization", "ID", "Whose they are."), .json]
    ) { invocation in
        let organizationID = OrganizationID(try invocation.uuid("organization"))
        let rows = try invocation.ask(
            """
            select person_id, managed_id, is_deactivated, last_sign_in_at
              from school.list_administrators(\(organizationID))
            """)
        invocation.list(try rows.map(Listed.init(administrator:)))
    }

    static let passwordExpire = Subcommand(
        "password expire",
        "Lets everyone choose a new password at the next sign-in, and ends all sign-ins.",
        options: [
            .required("organization", "ID", "Whose passwords."),
            .optional("within", "TIME", "How long the old ones still open that page; 30d."), .json,
        ]
    ) { invocation in
        let organizationID = OrganizationID(try invocation.uuid("organization"))
        let seconds: Int64
        do {
            seconds = try NewToken.seconds(invocation.value("within") ?? "30d")
        } catch {
            throw UsageError(
                description: "--within should be a time such as 30d, 12h or 90m, 366d at most.")
        }
        let expiresAt = Timestamp(milliseconds: Clock.system.now.milliseconds + seconds * 1000)
        let rows = try invocation.ask(
            "select school.expire_passwords(\(organizationID), \(expiresAt)) as people")
        guard let people = try rows[0].optionalInt("people") else {
            throw CommandFailure("There is no organization \(organizationID.uuid).")
        }
        invocation.report([
            ("people", JSONValue(integerLiteral: Int64(people))),
            ("expiresAt", .text(expiresAt.description)),
        ])
    }

    static let signingKeyReplace = Subcommand(
        "signing-key replace",
        "Replaces the keys with which the server vouches for people in connected systems.",
        options: [.json]
    ) { invocation in
        let rows = try invocation.ask("select school.replace_signing_keys() as removed")
        invocation.report([
            ("removed", JSONValue(integerLiteral: Int64(try rows[0].int("removed"))))
        ])
    }
}

/// Why someone cannot be made an administrator; `nil` if it was done.
private func refusal(
    _ outcome: String, _ managedID: String, _ organizationID: OrganizationID
) -> String? {
    switch outcome {
    case "created", "given": nil
    case "held": "\(managedID) is an administrator already. See: homeroom password reset --help"
    case "unknownOrganization": "There is no organization \(organizationID.uuid)."
    case "foreignDomain": "The domain of \(managedID) does not belong to the organization."
    case "taken": "The managed ID \(managedID) is taken by another organization."
    default: "\(managedID) is deactivated."
    }
}

extension Listed {
    fileprivate init(administrator row: Row) throws {
        let id = try row.uuid("person_id").description
        let managedID = try row.optionalText("managed_id")
        let isDeactivated = try row.bool("is_deactivated")
        let signedIn = try row.optionalTimestamp("last_sign_in_at")?.description
        line =
            "\(id)  \(managedID ?? "no managed ID")"
            + (isDeactivated ? "  deactivated" : "  last sign-in \(signedIn ?? "never")")
        json = [
            "personId": .text(id), "managedId": managedID.map(JSONValue.text) ?? .null,
            "deactivated": .bool(isDeactivated),
            "lastSignInAt": signedIn.map(JSONValue.text) ?? .null,
        ]
    }
}
