import API
import Crypto
import HTTPClient
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// Names the ids of sign-in providers.
package enum SignInProviderEntity: ResourceEntity {
    package static let table: Statement = "sign_in_provider"
}

/// Other systems with which people sign in, as an administrator connects them.
extension Access {
    static let providerKind = Column<String>(
        "kind", ProviderShapes.kind, "`other` is any issuer of OpenID Connect.")
    static let providerIssuer = Column<String?>(
        "issuer", .text(1...1000),
        "Where the provider describes itself, without `/.well-known/openid-configuration`. Needed for `other`; that of "
            + "Google and Microsoft is known."
    ).withDefault
    static let providerTenant = Column<String?>(
        "tenant", .uuid, "The id of the school's directory; only for Microsoft.")
    static let providerMatching = Column<String?>(
        "matching", .word(["managedId", "email"]),
        "What the verified address of an account is compared with, of the people who are here; `managedId` when absent. "
            + "Only the first sign-in with an account asks for it."
    ).withDefault
    static let providerDomains = Column<[String]?>(
        "email_domains", .array(.text(1...253), count: 0...50),
        "The domains in which addresses must be; those of the organization when empty."
    ).withDefault

    static func signInProviders(
        sealedWith key: CredentialKey
    ) -> Resource<SignInProviderEntity> {
        Resource(
            .init("sign-in provider", "sign-in providers", at: "/v1/sign-in-providers"),
            columns: [
                providerKind, Column<String>("name", .line(100), "What people read on the button."),
                providerIssuer, providerTenant,
                Column<String>(
                    "client_id", .text(1...255), "The id that the provider gave Homeroom."),
                providerMatching, providerDomains,
            ],
            extras: [
                .required(
                    "clientSecret", .text(1...1000),
                    "The secret that the provider gave Homeroom. Kept sealed, and never answered."
                )
            ],
            rules: Rules {
                $0.check = { provider, _, caller in
                    let issuer = try complete(&provider)
                    guard let secret = provider.body.text("clientSecret") else { return }
                    let sealed = SealedSecret(
                        Array(secret.utf8),
                        for: SecretContext.signInProvider(
                            provider.id.uuid, at: issuer, of: caller.organizationID),
                        with: try await key.toSeal())
                    provider.set("sealed_secret", to: sealed.bytes)
                    provider.set("key_id", to: sealed.keyID)
                }
                $0.complete = { provider, session, _ in
                    let change = provider.present == nil ? "connected" : "changed"
                    try await session.query(.auditProvider(provider.id, change))
                }
                $0.removed = { [.auditProvider($0, "disconnected")] }
            })
    }

    /// Fills in what a body may leave out, refuses what does not fit together, and returns the issuer.
    private static func complete(
        _ provider: inout Draft<SignInProviderEntity>
    ) throws -> String {
        let kind = ProviderKind(rawValue: provider[providerKind]) ?? .other
        let tenant = provider[providerTenant]
        if (kind == .microsoft) != (tenant != nil) {
            throw Problem.unfitTenant(isNeeded: kind == .microsoft)
        }
        if let known = kind.issuer(tenant: tenant?.lowercased()) {
            if let sent = provider.body.text("issuer"), sent != known {
                throw Problem.foreignIssuer(known)
            }
            provider[providerIssuer] = known
        }
        guard let issuer = provider[providerIssuer] else { throw Problem.missingIssuer }
        guard let address = WebAddress(issuer), !address.rest.contains("?") else {
            throw Problem.unfitIssuer
        }
        provider[providerTenant] = tenant?.lowercased()
        provider[providerMatching] = provider[providerMatching] ?? "managedId"
        let domains = (provider[providerDomains] ?? []).map { $0.lowercased() }
        if let index = domains.firstIndex(where: { !isDomain($0) }) {
            throw Problem.unfitDomain(at: index)
        }
        provider[providerDomains] = domains
        if provider.body.text("clientSecret") == nil, try provider.differs(in: [providerIssuer]) {
            // The former secret is for the former issuer: another one must not be sent it.
            throw Problem.missingClientSecret
        }
        return issuer
    }

    private static func isDomain(_ text: String) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count > 1
            && labels.allSatisfy { label in
                !label.isEmpty && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { byte in
                        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
                            || byte == UInt8(ascii: "-")
                    }
            }
    }

    var providerEndpoints: [Endpoint] {
        let providers = signInProviders
        return providers.endpoints(
            database, readers: [.administrator], writers: [.administrator],
            ResourceTexts(
                summaries: [
                    .create: "Connect a sign-in provider",
                    .remove: "Disconnect a sign-in provider",
                ],
                descriptions: [
                    .create: "It signs in people who are here already, and never makes one."
                ],
                answers: [
                    .remove: "Disconnected. Those who signed in with it stay signed in."
                ],
                removing: [
                    (
                        409,
                        "It is the only one of a school without passwords (`last_sign_in_provider`)."
                    )
                ])) + [
                Endpoint(
                    .post, "\(providers.names.path)/{id}/check",
                    "Ask a sign-in provider how it describes itself",
                    description: """
                        Tests the connection: reads the provider's addresses and keys anew, signs nobody in and \
                        changes nothing.
                        """, for: [.administrator],
                    answers: [.json("It answers, and fits.", ProviderShapes.check)],
                    problems: Self.providerProblems, cost: 10,
                    handler: checkProvider),
                Endpoint(
                    .delete, "/v1/people/{id}/sign-in-links",
                    "Forget a person's accounts at sign-in providers",
                    description: """
                        For those who may set the person's password. The next sign-in with an account finds the \
                        person by the account's address again.
                        """,
                    for: [.administrator, .siteManager, .peopleManager],
                    answers: [
                        .empty(204, "The accounts are forgotten; the next ones may be others.")
                    ],
                    problems: [(403, "You may not reset the person's password.")],
                    handler: forgetLinks),
            ] + providerSignInEndpoints
    }

    static let providerProblems = [
        (status: 502, meaning: "The provider does not answer, or not as it should."),
        (status: 503, meaning: "Too many calls to other servers are on their way."),
    ]

    /// Asks anew, whatever is known of the provider.
    func checkProvider(_ request: Request, _ caller: Caller) async throws -> Response {
        let id: ID<SignInProviderEntity> = try request.id("id")
        let found = try await database.query(
            signInProviders.find(.id(id), of: caller.organizationID), as: caller)
        guard found.first != nil else { throw Problem.notFound }
        let provider = try await provider(id.uuid)
        let known = try await issuers.known.learn(provider.place)
        return .json([
            "issuer": .text(provider.issuer),
            "authorizationEndpoint": .text(known.metadata.authorization.text),
            "tokenEndpoint": .text(known.metadata.token.text),
            "keys": JSONValue(integerLiteral: Int64(known.keys.count)),
        ])
    }

    func forgetLinks(_ request: Request, _ caller: Caller) async throws -> Response {
        let reference: Reference<PersonEntity> = try request.reference("id")
        let outcome = try await database.transaction(as: caller) { session in
            let found = try await session.query(
                .visiblePerson(reference, organizationID: caller.organizationID))
            guard let row = found.first else { throw Problem.notFound }
            return try await session.query(
                .forgetLinks(of: PersonID(try row.uuid("person_id"))))
        }
        switch try outcome.first?.text("outcome") {
        case "allowed": return .noContent
        case "forbidden": throw Problem.forbiddenLinks
        default: throw Problem.notFound
        }
    }
}
