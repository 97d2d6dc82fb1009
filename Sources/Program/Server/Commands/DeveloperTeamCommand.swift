import API
import Crypto
import Files
import JSONBytes
import Postgres
import School

extension Subcommand {
    static let developerTeamCreate = Subcommand(
        "developer-team create",
        "Registers a team of developers for every organization, or replaces what is registered.",
        options: [
            .required("team", "ID", "The team's id, as its tokens name it."),
            .required("name", "TEXT", "What the team is called."),
            .required("bundle", "ID", "An app that it publishes; once for each."),
            .required("key-id", "ID", "The id of a key; once for each."),
            .required("public-key", "FILE", "That key: PEM, P-256; as often as --key-id."), .json,
        ]
    ) { invocation in
        let team = try DeploymentTeam(invocation)
        let installation = try Installation.open(
            invocation.settings, log: invocation.settings.commandLog)
        defer { installation.close() }
        let outcome = try team.register(installation.connect())
        invocation.report([
            ("teamId", .text(team.id)),
            ("organizations", JSONValue(integerLiteral: Int64(outcome.organizations))),
            ("passedOver", JSONValue(integerLiteral: Int64(outcome.passedOver))),
        ])
        if outcome.passedOver > 0 {
            complain(
                "\(outcome.passedOver) organizations have a team of their own by this id, which stays as it is."
            )
        }
    }
}

/// A team to register for the whole deployment; the limits are those of `POST /v1/developer-teams`.
struct DeploymentTeam {
    let id: String
    private let name: String
    private let bundleIDs: [String]
    private let keyIDs: [String]
    private let publicKeys: [String]

    init(_ invocation: Invocation) throws {
        id = try DeploymentTeam.word(invocation.value("team") ?? "", "team", 64)
        name = try invocation.line("name") ?? ""
        bundleIDs = try invocation.all("bundle").map { try DeploymentTeam.word($0, "bundle", 155) }
        guard !bundleIDs.contains(where: \.isNameOfTool) else {
            throw UsageError(
                description: "A --bundle that begins with tool: is reserved for tools.")
        }
        keyIDs = try invocation.all("key-id").map { try DeploymentTeam.word($0, "key-id", 64) }
        let files = invocation.all("public-key")
        guard files.count == keyIDs.count, Set(keyIDs).count == keyIDs.count, keyIDs.count <= 20
        else {
            throw UsageError(
                description: "Give each --key-id once, with its --public-key; 20 at most."
            )
        }
        guard Set(bundleIDs).count == bundleIDs.count, bundleIDs.count <= 1000 else {
            throw UsageError(description: "Give each --bundle once; 1,000 at most.")
        }
        publicKeys = try files.map(DeploymentTeam.publicKey)
    }

    private static func word(_ text: String, _ option: String, _ maximum: Int) throws -> String {
        guard Shape.text(1...maximum).check(.text(text)).isEmpty else {
            throw UsageError(
                description: "--\(option) should be an id of 1 to \(maximum) characters.")
        }
        return text
    }

    /// Reads a public key; 2,000 bytes at most.
    private static func publicKey(in path: String) throws -> String {
        let bytes = try File.contents(of: path, limit: 2000)
        do {
            return try ES256PublicKey(pem: String(decoding: bytes, as: UTF8.self)).pem
        } catch {
            throw CommandFailure("\(path) is not a PEM public key on the curve P-256: \(error)")
        }
    }

    /// Registers it in every organization, all or nothing; throws the reason if it cannot.
    func register(
        _ connection: BlockingConnection
    ) throws -> (organizations: Int, passedOver: Int) {
        do {
            let rows = try connection.query(
                """
                select organizations, passed_over
                  from school.register_deployment_team(
                       \(id), \(name), \(bundleIDs), \(keyIDs), \(publicKeys))
                """)
            return (try rows[0].int("organizations"), try rows[0].int("passed_over"))
        } catch {
            guard error.constraint == "deployment_bundle_pkey" else { throw error }
            throw CommandFailure("Another team of the deployment publishes one of these apps.")
        }
    }
}
