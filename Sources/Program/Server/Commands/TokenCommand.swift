import Access
import Crypto
import JSONBytes
import Postgres
import School
import Values

extension Subcommand {
    static let tokenCreate = Subcommand(
        "token create", "Makes an access token for a service, a person, or an app.",
        options: [
            .required("organization", "ID", "Whose it is."),
            .required(
                "role", "ROLE",
                "A role of service accounts, such as provisioner, or one that the person holds."),
            .optional("person", "ID", "In whose name it speaks; not for services."),
            .optional("bundle", "ID", "The app that gets it, with the person."),
            .optional("environment", "NAME", "production (default) or development."),
            .optional("expires", "TIME", "How long it lives, such as 30d, 12h or 90m; 30d."), .json,
        ]
    ) { invocation in
        let token = try NewToken(invocation)
        let installation = try Installation.open(
            invocation.settings, log: invocation.settings.commandLog)
        defer { installation.close() }
        let subject = try token.create(installation.connect())
        invocation.report(
            [
                ("accessToken", .text(token.token.text)),
                ("expiresAt", .text(token.expiresAt.description)),
            ] + (subject.map { [("subject", .text($0))] } ?? []))
    }
}

/// A token to be created without a sign-in.
struct NewToken {
    let token = Token()
    let expiresAt: Timestamp

    private let organizationID: OrganizationID
    private let role: Standing
    private let personID: PersonID?
    private let bundleID: String?
    private let environment: Environment

    init(_ invocation: Invocation) throws {
        let role = try NewToken.role(invocation.value("role") ?? "")
        let hasPerson = invocation.has("person")
        if role.isRoleOfPeople, !hasPerson {
            throw UsageError(description: "--role \(role.rawValue) needs --person.")
        }
        if !role.isRoleOfPeople, hasPerson || invocation.has("bundle") {
            throw UsageError(
                description: "A service speaks for no person: --role \(role.rawValue) takes "
                    + "neither --person nor --bundle.")
        }
        let word = invocation.value("environment") ?? Environment.production.rawValue
        guard let environment = Environment(rawValue: word) else {
            throw UsageError(description: "--environment should be production or development.")
        }
        let seconds = try NewToken.seconds(invocation.value("expires") ?? "30d")
        let person = hasPerson ? try invocation.uuid("person") : nil
        organizationID = OrganizationID(try invocation.uuid("organization"))
        personID = person.map { PersonID($0) }
        bundleID = try invocation.line("bundle")
        expiresAt = Timestamp(milliseconds: Clock.system.now.milliseconds + seconds * 1000)
        self.environment = environment
        self.role = role
    }

    private static func role(_ word: String) throws -> Standing {
        let roles = Standing.rolesOfPeople + Standing.rolesOfServices
        guard let role = Standing(rawValue: word), roles.contains(role) else {
            let words = roles.map(\.rawValue).joined(separator: ", ")
            throw UsageError(description: "--role should be one of \(words).")
        }
        return role
    }

    /// Creates it, or throws the reason why it cannot.
    ///
    /// - Returns: the pseudonym by which the app knows the person; `nil` if the token is not an app's.
    func create(_ connection: BlockingConnection) throws -> String? {
        let rows = try connection.query(
            .createToken(
                token, organizationID: organizationID, role: role, personID: personID,
                bundleID: bundleID, environment: environment, expiresAt: expiresAt))
        switch try rows[0].text("outcome") {
        case "created":
            return try connection.query(.subject(of: token))[0].optionalText("subject")
        case "unknownOrganization":
            throw CommandFailure("There is no organization \(organizationID.uuid).")
        case "notHeld":
            throw CommandFailure("The person does not hold the role \(role.rawValue).")
        default:
            throw CommandFailure(
                "There is no such person in the organization, or he or she is deactivated.")
        }
    }

    /// Reads `30d`, `12h`, `90m` or `45s`; a year at most.
    static func seconds(_ text: String) throws -> Int64 {
        let units: [Character: Int64] = ["d": 86_400, "h": 3600, "m": 60, "s": 1]
        let digits = text.dropLast()
        guard let unit = text.last.flatMap({ units[$0] }), digits.utf8.count <= 9,
            digits.utf8.allSatisfy({ (48...57).contains($0) }), let count = Int64(digits),
            (1...366 * 86_400).contains(count * unit)
        else {
            throw UsageError(
                description: "--expires should be a time such as 30d, 12h or 90m, 366d at most.")
        }
        return count * unit
    }
}

extension Statement {
    /// Creates a token without a sign-in; returns one word.
    static func createToken(
        _ token: Token, organizationID: OrganizationID, role: Standing, personID: PersonID?,
        bundleID: String? = nil, environment: Environment = .production, expiresAt: Timestamp
    ) -> Statement {
        """
        select school.create_token(
                   \(organizationID), \(token.digest), \(role.rawValue), \(personID), \(bundleID),
                   \(environment.rawValue), \(expiresAt)) as outcome
        """
    }
}

extension Statement {
    fileprivate static func subject(of token: Token) -> Statement {
        "select school.subject_of_token(\(token.digest)) as subject"
    }
}

extension Invocation {
    func uuid(_ name: String) throws -> UUID {
        guard let id = value(name).flatMap({ UUID($0) }) else {
            throw UsageError(description: "--\(name) should be an id such as \(UUID.v7()).")
        }
        return id
    }
}
