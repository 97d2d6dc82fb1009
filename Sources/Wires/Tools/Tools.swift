import API
import Crypto
import EventLoop
import HTTPClient
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

/// Other systems in which students work on tasks, over LTI 1.3 Core with Deep Linking 2.0, Names and Role Provisioning
/// Services 2.0 and Assignment and Grade Services 2.0. Homeroom is the platform.
///
/// A person opens a tool with a launch: the browser goes to the tool's login URL, comes back to the page
/// `/lti/authorize`, and takes an ID token to the tool (IMS Security Framework 1.0 section 5.1). Who may open what is
/// decided in `SQL/policies/tools.sql`; what a tool sees, in `SQL/functions/tools/services.sql`.
package struct Tools: Feature {
    package let meaning =
        """
        Other systems in which students work on what a teacher gave them, and which report scores (LTI 1.3). Paths \
        below `/lti` are those of its services, whose parameters and answers are the standard’s.
        """
    let database: Database
    /// By which URL tools know this server.
    let issuer: Issuer
    let signingKeys = SigningKeys<RS256PrivateKey>(for: .toolMessages)
    /// The keys that tools publish.
    let keySets: PublishedKeys<KeySet>
    /// Tokens that tools sent and that do not verify, by address.
    let failures = AddressLimit(most: 60, secondsPerFailure: 3)
    /// Whether so much of an organization waits in the inbox that it takes no more scores.
    let isInboxCrowded: @Sendable (OrganizationID) -> Bool

    /// - Parameters:
    ///   - issuer: by which URL tools know this server.
    ///   - client: asks tools for their keys.
    ///   - isInboxCrowded: whether the inbox takes no more of an organization for now.
    package init(
        database: Database, issuer: Issuer = Issuer(), client: any OutgoingCalls = HTTPClient(),
        isInboxCrowded: @escaping @Sendable (OrganizationID) -> Bool = { _ in false }
    ) {
        self.database = database
        self.issuer = issuer
        self.isInboxCrowded = isInboxCrowded
        keySets = ToolKeySets.published(askedThrough: client, clock: database.clock)
    }

    package var constraints: [String: Problem] {
        ["organization_has_room_for_tools": .tooManyTools]
    }

    package var endpoints: [Endpoint] {
        registrationEndpoints + launchEndpoints + [
            Endpoint(
                open: .get, "/lti/jwks",
                "Get the keys that messages to tools are signed with (RFC 7517)",
                answers: [.json("The public keys.", ToolShapes.keySet)], handler: listKeys),
            tokenEndpoint, deepLinkingEndpoint, chosenEndpoint,
        ] + lineItemEndpoints + lineItemChangeEndpoints + [
            membersEndpoint, scoresEndpoint, resultsEndpoint,
        ]
    }

    func listKeys(_ request: Request) async throws -> Response {
        .json(try await signingKeys.published(by: database))
    }

    /// What the school's server calls itself in the paths of the services.
    func root(_ request: Request) -> String { issuer.text(for: request) + "/lti" }
}

/// What a tool's token may be good for, in the words of the standards.
enum ToolScope: String, CaseIterable {
    case lineItems = "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem"
    case readLineItems = "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem.readonly"
    case results = "https://purl.imsglobal.org/spec/lti-ags/scope/result.readonly"
    case scores = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
    case members = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"

    /// Those of Assignment and Grade Services, as a launch names them.
    static let ofGrades: [ToolScope] = [.lineItems, .readLineItems, .results, .scores]
}

/// Something secret that is sent once: 256 random bits, of which the database has the digest.
struct ToolSecret: Sendable {
    let text: String
    let digest: [UInt8]

    init() {
        self.init(text: SecureRandom.token())
    }

    init(text: String) {
        self.text = text
        digest = SHA256.digest(text).bytes
    }
}
