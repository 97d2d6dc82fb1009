import Access
import Crypto
import Demonstration
import Files
import Glibc
import HTTPWire
import Postgres
import School
import Values

/// One run of `homeroom demo` over an open database.
struct Demonstrating {
    private let installation: Installation
    private let settings: Settings
    private let service: InProcess
    private let isBeside: Bool

    /// - Parameter isBeside: whether the school is made although there are other organizations.
    init(_ installation: Installation, _ settings: Settings, isBeside: Bool) throws {
        self.isBeside = isBeside
        self.installation = installation
        self.settings = settings
        service = try InProcess(
            target: installation.databaseURL, passwordCost: settings.passwordCost,
            log: settings.commandLog)
    }

    func close() { service.close() }

    /// Creates the school unless it exists, finishing one that was begun; returns whether it did.
    func makeUnlessThere() throws -> Bool {
        let token = try administratorToken()
        let door = door(asOwner: nil)
        let isFinished = try service.run {
            try await Overview.isFinished(door, token: token)
        }
        if isFinished { return false }
        let owner = try installation.connectAsOwner(settings)
        let filling = Filling(
            door: self.door(asOwner: owner), token: token,
            organizationID: DemonstrationAccount.organizationID, now: Clock.system.now)
        let archive = try archive()
        let counts = try service.run {
            try await filling.run(archive: archive) { complain("demo: \($0) …") }
        }
        complain("demo: \(counts.handouts) handouts, \(counts.activities) activities")
        return true
    }

    func overview() throws -> Overview {
        let token = try administratorToken()
        let door = door(asOwner: nil)
        return try service.run { try await Overview(door: door, token: token) }
    }

    /// Says whether people of the school sign in from other machines, too, and returns whether they do not.
    ///
    /// - Parameter isOpen: `nil` leaves it as it is.
    func arrangeNetwork(_ isOpen: Bool?) throws -> Bool {
        let connection = try installation.connect()
        let id = DemonstrationAccount.organizationID
        if let isOpen { try connection.query("select school.set_local(\(id), \(!isOpen))") }
        return try connection.query("select school.is_local(\(id)) as is_local")[0]
            .bool("is_local")
    }

    /// A token of the administrator, valid for some minutes; creates the organization if there is none.
    private func administratorToken() throws -> String {
        let token = Token()
        let connection = try installation.connect()
        let statement = Demonstrating.statement(
            for: token, DemonstrationAccount.administratorID, .administrator, app: nil)
        switch try connection.query(statement)[0].text("outcome") {
        case "created": return token.text
        case "unknownOrganization":
            let others = try connection.query("select from school.list_organizations()")
            guard isBeside || others.isEmpty else {
                throw CommandFailure(
                    "There is an organization already, and the passwords of the demonstration school are public. "
                        + "Use another database for it, or say --beside.")
            }
            let organization = NewOrganization(demonstrationIn: "Europe/Berlin")
            try organization.create(connection, passwordCost: settings.passwordCost)
            try connection.query("select school.set_local(\(organization.organizationID), true)")
            return organization.token.text
        default:
            throw CommandFailure(
                "The demonstration school exists, but its administrator is gone.")
        }
    }

    private static func statement(
        for token: Token, _ person: PersonID, _ standing: Standing, app: String?
    ) -> Statement {
        .createToken(
            token, organizationID: DemonstrationAccount.organizationID, role: standing,
            personID: person, bundleID: app,
            expiresAt: Timestamp(milliseconds: Clock.system.now.milliseconds + 15 * 60_000))
    }

    /// The service for the demonstration; without an owner connection, the past stays as it is.
    private func door(asOwner owner: BlockingConnection?) -> Door {
        let service = service
        return Door(
            send: { method, target, token, content in
                let (body, type): ([UInt8], String) =
                    switch content {
                    case .nothing: ([], "")
                    case .json(let bytes): (bytes, "application/json")
                    case .form(let bytes): (bytes, "application/x-www-form-urlencoded")
                    case .archive(let bytes): (bytes, "application/zip")
                    }
                return try await service.send(
                    method, target, token: token, body: body, type: type)
            },
            makeToken: { person, standing, app in
                let token = Token()
                let statement = Demonstrating.statement(for: token, person, standing, app: app)
                let rows = try await service.database.query(statement)
                let outcome = try rows[0].text("outcome")
                guard outcome == "created" else { throw CommandFailure("no token: \(outcome)") }
                return token.text
            },
            askAsOwner: { statement in
                // Runs on the loop like everything else here, so one thread at a time.
                if let owner { _ = try owner.query(statement) }
            })
    }

    /// The directory as an archive.
    private func archive() throws -> [UInt8] {
        let path = "/tmp/homeroom-demonstration-\(UUID.v7()).zip"
        try DemonstrationSchool().writeArchive(to: path)
        defer { unlink(path) }
        return try File.contents(of: path, limit: .max)
    }
}
