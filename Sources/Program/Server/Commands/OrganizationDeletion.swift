import JSONBytes
import Postgres
import School
import Values

extension Subcommand {
    static let organizationDelete = Subcommand(
        "organization delete",
        "Deletes an organization after a waiting time; until then no one signs in to it.",
        operands: ["ID"],
        options: [
            .optional("waiting-days", "DAYS", "How long that can be cancelled, 1 to 365; 30."),
            .flag("cancel", "Cancels the deletion, while the organization still waits for it."),
            .json,
        ]
    ) { invocation in
        let deletion = try OrganizationDeletion(invocation)
        let installation = try Installation.open(
            invocation.settings, log: invocation.settings.commandLog)
        defer { installation.close() }
        let connection = try installation.connect()
        try invocation.report(
            invocation.has("cancel") ? deletion.cancel(connection) : deletion.order(connection))
    }
}

/// The arguments of `organization delete`.
private struct OrganizationDeletion {
    private let organizationID: OrganizationID
    private let waitingDays: Int32

    init(_ invocation: Invocation) throws {
        organizationID = OrganizationID(try invocation.operandID())
        let text = invocation.value("waiting-days") ?? "30"
        guard let days = Int32(text), (1...365).contains(days) else {
            throw UsageError(description: "--waiting-days should be a number from 1 to 365.")
        }
        waitingDays = days
    }

    func order(_ connection: BlockingConnection) throws -> [(name: String, value: JSONValue)] {
        let row = try connection.query(
            """
            select outcome, name, due_at from school.order_deletion(\(organizationID), \(waitingDays))
            """)[0]
        switch try row.text("outcome") {
        case "ordered", "ordered before":
            return [
                ("organizationId", .text(organizationID.uuid.description)),
                ("name", .text(try row.text("name"))),
                ("deletedAt", .text(try row.timestamp("due_at").description)),
            ]
        case "held":
            throw CommandFailure(
                """
                A hold stands in this organization, so it is not deleted. Its administrators list and lift \
                holds with GET and DELETE /v1/retention/holds.
                """)
        default: throw CommandFailure("There is no such organization.")
        }
    }

    func cancel(_ connection: BlockingConnection) throws -> [(name: String, value: JSONValue)] {
        let rows = try connection.query(
            "select school.cancel_deletion(\(organizationID)) as outcome")
        switch try rows[0].text("outcome") {
        case "cancelled":
            return [
                ("organizationId", .text(organizationID.uuid.description)),
                ("cancelled", .bool(true)),
            ]
        case "not ordered": throw CommandFailure("The organization is not to be deleted.")
        case "begun":
            throw CommandFailure(
                """
                The waiting time is over, and the deletion has begun. Restore the organization from an archive \
                or a backup.
                """)
        default: throw CommandFailure("There is no such organization.")
        }
    }
}

extension Invocation {
    /// The first argument, which is the id of an organization.
    func operandID() throws -> UUID {
        guard let id = UUID(operands[0]) else {
            throw UsageError(description: "ID should be the id of an organization.")
        }
        return id
    }
}
