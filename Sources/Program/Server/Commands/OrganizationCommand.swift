import API
import Access
import Crypto
import Demonstration
import JSONBytes
import Postgres
import School
import Values

extension Subcommand {
    static let organizationCreate = Subcommand(
        "organization create", "Makes an organization with its first location and administrator.",
        options: [
            .required("name", "TEXT", "The name of the school or district."),
            .required(
                "domain", "DOMAIN",
                "The domain of its managed IDs; no other organization may have it."),
            .required("administrator", "MANAGED_ID", "Who runs it, such as ada@hillside.example."),
            .optional("given-name", "TEXT", "The administrator's; made from the managed ID."),
            .optional("family-name", "TEXT", "The administrator's; made from the managed ID."),
            .optional("location", "TEXT", "The name of the first location; that of the school."),
            .optional("time-zone", "ZONE", "Such as Europe/Berlin; UTC."), .json,
        ]
    ) { invocation in
        let organization = try NewOrganization(invocation)
        let installation = try Installation.open(
            invocation.settings, log: invocation.settings.commandLog)
        defer { installation.close() }
        try organization.create(
            installation.connect(), passwordCost: invocation.settings.passwordCost)
        invocation.report([
            ("organizationId", .text(organization.organizationID.uuid.description)),
            ("locationId", .text(organization.locationID.uuid.description)),
            ("administratorId", .text(organization.administratorID.uuid.description)),
            ("temporaryPassword", .text(organization.temporaryPassword)),
            ("accessToken", .text(organization.token.text)),
        ])
    }
}

/// An organization to create, with the secrets that are shown only once.
struct NewOrganization {
    let organizationID: OrganizationID
    let locationID: LocationID
    let administratorID: PersonID
    let temporaryPassword = TemporaryPassword.make()
    /// The administrator's first access token, valid for a day, for use before the first sign-in.
    let token = Token()

    private let name: String
    private let domain: String
    private let managedID: String
    private let givenName: String
    private let familyName: String
    private let location: String?
    private let timeZone: String?

    init(_ invocation: Invocation) throws {
        let domain = (invocation.value("domain") ?? "").lowercased()
        guard NewOrganization.isDomain(domain) else {
            throw UsageError(description: "--domain should be a domain such as hillside.example.")
        }
        let managedID = invocation.value("administrator") ?? ""
        guard let user = NewOrganization.user(of: managedID, at: domain) else {
            throw UsageError(
                description: "--administrator should be a managed ID such as ada@\(domain).")
        }
        (givenName, familyName) = try NewOrganization.names(of: user, invocation)
        name = try invocation.line("name") ?? ""
        location = try invocation.line("location")
        timeZone = try invocation.line("time-zone")
        organizationID = OrganizationID(UUID.v7())
        locationID = LocationID(UUID.v7())
        administratorID = PersonID(UUID.v7())
        self.domain = domain
        self.managedID = managedID
    }

    /// The demonstration school, empty.
    init(demonstrationIn timeZone: String) {
        organizationID = DemonstrationAccount.organizationID
        locationID = DemonstrationAccount.locationID
        administratorID = DemonstrationAccount.administratorID
        name = DemonstrationAccount.unfinishedName
        domain = DemonstrationAccount.domain
        managedID = DemonstrationAccount.administrator.managedID
        givenName = "Ada"
        familyName = "Lindqvist"
        location = "Harbour Schools Office"
        self.timeZone = timeZone
    }

    /// The names that the options say, otherwise made from the managed ID.
    static func names(
        of user: String, _ invocation: Invocation
    ) throws -> (given: String, family: String) {
        let words = user.split(separator: ".").map { $0.prefix(1).uppercased() + $0.dropFirst() }
        let lastWord = words.count > 1 ? words[words.count - 1] : "Administrator"
        return (
            try invocation.line("given-name") ?? words.first ?? user,
            try invocation.line("family-name") ?? lastWord
        )
    }

    /// The part before the `@`; `nil` if this is not a managed ID of the domain.
    static func user(of managedID: String, at domain: String) -> String? {
        let parts = managedID.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].lowercased() == domain, managedID.utf8.count <= 320,
            !parts[0].isEmpty, parts[0].utf8.allSatisfy({ $0 > 32 && $0 != 127 })
        else { return nil }
        return String(parts[0])
    }

    /// Creates it, all or nothing; throws the reason if it cannot.
    func create(_ connection: BlockingConnection, passwordCost: PasswordCost) throws {
        let now = Clock.system.now
        let record = passwordCost.record(of: temporaryPassword)
        do {
            try connection.transaction {
                if let timeZone { try check(timeZone, connection) }
                try connection.query(
                    """
                    select school.create_organization(
                               \(organizationID), \(name), \(domain), \(timeZone), \(locationID),
                               \(location), \(administratorID), \(givenName), \(familyName),
                               \(managedID), \(record), \(TemporaryPassword.expiry(from: now)))
                    """)
                try connection.query(
                    .createToken(
                        token, organizationID: organizationID, role: .administrator,
                        personID: administratorID,
                        expiresAt: Timestamp(milliseconds: now.milliseconds + 86_400_000)))
            }
        } catch let error as PostgresError {
            switch error.constraint {
            case "domain_directory_pkey":
                throw CommandFailure("The domain \(domain) belongs to another organization.")
            case "managed_id_directory_pkey":
                throw CommandFailure("The managed ID \(managedID) is taken.")
            default: throw error
            }
        }
    }

    private func check(_ timeZone: String, _ connection: BlockingConnection) throws {
        let rows = try connection.query(
            "select exists (select from pg_timezone_names where name = \(timeZone)) as is_known")
        guard try rows[0].bool("is_known") else {
            throw CommandFailure("\(timeZone) is not a time zone such as Europe/Berlin.")
        }
    }

    /// Labels of letters, digits and hyphens, separated by dots, 253 characters at most (RFC 1123).
    private static func isDomain(_ text: String) -> Bool {
        guard text.utf8.count <= 253 else { return false }
        return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { byte in
                    (97...122).contains(byte) || (48...57).contains(byte) || byte == 45
                }
        }
    }
}

extension Invocation {
    /// The value of an option that is a name: one line, not blank, 256 characters at most.
    func line(_ name: String) throws -> String? {
        guard let text = value(name) else { return nil }
        guard Shape.line().check(.text(text)).isEmpty else {
            throw UsageError(description: "--\(name) should be a name of 1 to 256 characters.")
        }
        return text
    }
}
