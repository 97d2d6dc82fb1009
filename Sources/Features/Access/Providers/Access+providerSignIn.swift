import API
import Crypto
import EventLoop
import HTTPClient
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// Signing in with another system (OpenID Connect Core 1.0 section 3.1): the authorization code flow with PKCE. It ends
/// with a session of a person who is here already, and never makes one.
extension Access {
    var providerSignInEndpoints: [Endpoint] {
        [
            Endpoint(
                open: .get, "/v1/sign-in/offered-providers",
                "List the providers that people may sign in with",
                query: [
                    .optional(
                        "domain", .text(1...253),
                        "A domain of the organization; without it, the providers of the only organization."
                    )
                ],
                answers: [.json("In the order of their ids.", ProviderShapes.offered)],
                handler: listOfferedProviders),
            Endpoint(
                open: .post, "/v1/sign-in/with-provider/beginning",
                "Begin a sign-in with a provider",
                body: .json(ProviderShapes.beginning),
                answers: [.json("Where to send the browser.", ProviderShapes.begun)],
                problems: Self.providerProblems, keys: .refused, handler: beginWithProvider),
            Endpoint(
                open: .post, "/v1/sign-in/with-provider",
                "Sign in a person who comes back from a provider",
                description: """
                    Makes a sign-in for a browser, without a refresh token. It never creates a person: the \
                    account must belong to someone who is here.
                    """,
                body: .json(ProviderShapes.signIn),
                answers: [.json("The token of the browser.", AccessShapes.tokens)],
                problems: [
                    (
                        401,
                        "The account belongs to no one who may sign in here. The answer does not say why."
                    ),
                    (409, "It was begun elsewhere or too long ago, or is over already."),
                    (429, "Too many sign-ins from this network failed."),
                ] + Self.providerProblems, keys: .refused, handler: signInWithProvider),
        ]
    }

    /// Where providers send people back to.
    private func redirectURI(_ request: Request) -> String {
        issuer.text(for: request) + "/sign-in/callback"
    }

    func listOfferedProviders(_ request: Request) async throws -> Response {
        let domain = request.query("domain")
        let rows = try await database.query(.offeredProviders(domain: domain))
        let isWithout = try await database.query(.isWithoutPasswords(domain: domain))
        let byDomain = try await database.query(.areProvidersByDomain)
        let items = try rows.map { row -> JSONValue in
            [
                "id": .text(try row.uuid("id").description), "name": .text(try row.text("name")),
                "kind": .text(try row.text("kind")),
            ]
        }
        return .json([
            "items": .array(items), "byDomain": .bool(try byDomain[0].bool("by_domain")),
            "withoutPasswords": .bool(try isWithout[0].bool("is_without")),
            "redirectUri": .text(redirectURI(request)),
        ])
    }

    func beginWithProvider(_ request: Request) async throws -> Response {
        let provider = try await provider(try await request.body())
        let metadata = try await issuers.known.find(provider.place).metadata
        let attempt = ProviderAttempt(with: provider.id)
        var items = [
            (name: "response_type", value: "code"), (name: "client_id", value: provider.client.id),
            (name: "redirect_uri", value: redirectURI(request)),
            (name: "scope", value: "openid email profile"), (name: "state", value: attempt.state),
            (name: "nonce", value: attempt.nonce),
            (name: "code_challenge", value: CodeChallenge(ofVerifier: attempt.verifier).text),
            (name: "code_challenge_method", value: CodeChallenge.method),
        ]
        if let prompt = provider.kind.prompt { items.append(("prompt", prompt)) }
        return .json([
            "redirectTo": .text(metadata.request(items)), "secret": .text(attempt.secret),
        ])
    }

    func signInWithProvider(_ request: Request) async throws -> Response {
        let address = request.http.clientAddress
        let now = Loop.current?.now ?? 0
        if let seconds = providerTries.secondsToWait(address, now: now) {
            throw Problem.tooManyTries(retryAfterSeconds: seconds)
        }
        do {
            return try await finishWithProvider(request)
        } catch let problem as Problem where [401, 409, 502].contains(problem.status) {
            providerTries.count(address, now: now)
            throw problem
        }
    }

    private func finishWithProvider(_ request: Request) async throws -> Response {
        let body = try await request.body()
        let provider = try await provider(body)
        let attempt = ProviderAttempt(with: provider.id, secret: body.text("secret") ?? "")
        guard attempt.isOwn(state: body.text("state") ?? "") else { throw Problem.signInNotBegun }
        let metadata = try await issuers.known.find(provider.place).metadata
        // Who answers is the one that was asked (RFC 9207 section 2.4).
        let sender = body.text("iss")
        guard sender == provider.issuer || sender == nil && !metadata.namesItself else {
            throw Problem.signInNotBegun
        }
        let text = try await issuers.exchange(
            body.text("code") ?? "", at: metadata, for: provider, attempt,
            redirectURI: redirectURI(request))
        let address = request.http.clientAddress
        let token: IDToken
        do {
            token = try await verified(text, provider, attempt)
        } catch let error as IDTokenError {
            _ = try await database.transaction { session in
                try await session.query(
                    .recordFailedProvider(provider.id, reason: "token", from: address))
            }
            throw Problem.providerFailed(error.description)
        }
        let pair = TokenPair(now: database.clock.now)
        let browser = Browser(body.fields("browser")!)
        let verifiedAddress = provider.kind.verifiedAddress(token.claims, tenant: provider.tenant)
        let started = try await database.transaction { session in
            try await session.query(
                .signIn(
                    with: provider.id, subject: token.subject, verified: verifiedAddress,
                    pair: pair, from: address, browser: browser))
        }
        guard let row = started.first else { throw Problem.providerSignInRefused }
        return try tokens(pair, row, idleSeconds: try row.optionalInt("idle_seconds"))
    }

    private func verified(
        _ text: String, _ provider: Provider, _ attempt: ProviderAttempt
    ) async throws -> IDToken {
        let expected = IDToken.Expectation(
            issuer: provider.issuer, clientID: provider.client.id, nonce: attempt.nonce)
        return try await issuers.known.verified(at: provider.place) { known in
            try IDToken(
                verifying: text, with: known.keys, expecting: expected, now: database.clock.now)
        }
    }

    /// A sign-in provider as the server uses it.
    struct Provider {
        let id: UUID
        let organizationID: OrganizationID
        let kind: ProviderKind
        let issuer: String
        let tenant: String?
        let client: (id: String, secret: String)

        /// By what the issuer is known.
        var place: String { Issuers.place(issuer, of: organizationID) }
    }

    private func provider(_ body: Fields) async throws -> Provider {
        guard let id = body.uuid("providerId") else { throw Problem.unknownProvider }
        return try await provider(id)
    }

    func provider(_ id: UUID) async throws -> Provider {
        guard let row = try await database.query(.provider(id)).first,
            let kind = ProviderKind(rawValue: try row.text("kind"))
        else { throw Problem.unknownProvider }
        return Provider(
            id: id, organizationID: OrganizationID(try row.uuid("organization_id")), kind: kind,
            issuer: try row.text("issuer"),
            tenant: try row.optionalText("tenant"),
            client: (try row.text("client_id"), try await secret(of: id, in: row)))
    }

    /// Nobody can sign in with a provider whose secret was sealed with a key that is gone.
    private func secret(of id: UUID, in row: Row) async throws -> String {
        // Stored by an earlier version, and sealed soon.
        if let plain = try row.optionalText("client_secret") { return plain }
        let context = SecretContext.signInProvider(
            id, at: try row.text("issuer"), of: OrganizationID(try row.uuid("organization_id")))
        guard
            let opened = try await key.toOpen()?.open(try row.bytes("sealed_secret"), for: context)
        else { throw Problem.providerSecretLost }
        return String(decoding: opened, as: UTF8.self)
    }
}
