import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// Allowing an app or a connected system to act for oneself (RFC 6749 section 4.1). The page `/oauth/authorize` asks
/// the person, and makes these calls in the person's name.
extension Access {
    var authorizationEndpoints: [Endpoint] {
        let people = Standing.rolesOfPeople
        let wrong = (
            status: 422,
            meaning:
                "The client's request is wrong. `redirectTo`, if present, reports it to the client."
        )
        return [
            Endpoint(
                .post, "/v1/me/authorizations/check", "Ask which client wants to act for you",
                description: "For the page that asks the person. Allows nothing yet.",
                for: people, body: .json(OAuthShapes.authorization),
                answers: [.json("The client, and what it will see.", OAuthShapes.asking)],
                problems: [wrong], handler: checkAuthorization),
            Endpoint(
                .post, "/v1/me/authorizations", "Allow a client to act for you",
                description: """
                    The answer leads back to the client with a code, which it exchanges at `POST /oauth/token` \
                    within a minute.
                    """, for: people,
                body: .json(OAuthShapes.authorization),
                answers: [
                    .json("Where to send the browser.", OAuthShapes.redirect, status: 201)
                ],
                problems: [wrong], keys: .refused, handler: authorize),
            Endpoint(
                open: .post, "/v1/authorizations/absence",
                "Find where to tell a client that nobody is signed in",
                body: .json(OAuthShapes.authorization),
                answers: [.json("Where to send the browser.", OAuthShapes.redirect)],
                problems: [(422, "The client is unknown, or the address is not its own.")],
                keys: .refused, handler: reportAbsence),
        ]
    }

    func checkAuthorization(_ request: Request, _ caller: Caller) async throws -> Response {
        let asked = try await authorization(request, caller)
        let step = try asked.step(now: database.clock.now)
        return .json([
            "client": ["id": .text(asked.client.id), "name": .text(asked.client.name)],
            "kind": asked.client.system == nil ? "app" : "system",
            "sees": .array(asked.shown.map(JSONValue.text)),
            "next": .text(step.rawValue), "refusedTo": .text(asked.refused),
        ])
    }

    func authorize(_ request: Request, _ caller: Caller) async throws -> Response {
        guard let token = request.bearer else { throw Problem.unauthenticated }
        let asked = try await authorization(request, caller)
        let code = Token()
        let rows = try await database.transaction(as: caller) { session in
            try await session.query(.authorize(asked, code: code, by: token))
        }
        guard try rows.first?.bool("is_known") == true else { throw Problem.unknownClient }
        return .json(["redirectTo": .text(asked.granted(code))], status: 201)
    }

    private func authorization(
        _ request: Request, _ caller: Caller
    ) async throws -> AuthorizationRequest {
        guard let token = request.bearer else { throw Problem.unauthenticated }
        let body = try await request.body()
        let id = body.text("clientId") ?? ""
        let rows = try await database.query(
            .askingClient(id, scopes: body.scopes, by: token), as: caller)
        return try AuthorizationRequest(
            body, rows.first.flatMap { try AskingClient(id, $0) },
            issuer: issuer.text(for: request))
    }

    /// For `prompt=none` in a browser in which nobody is signed in (OpenID Connect Core section 3.1.2.6).
    func reportAbsence(_ request: Request) async throws -> Response {
        let body = try await request.body()
        let id = body.text("clientId") ?? ""
        let address = body.text("redirectUri") ?? ""
        guard let row = try await database.query(.redirects(of: id)).first,
            try row.bool("is_app") && RedirectURI.isAllowed(address, for: id)
                || row.textArray("redirect_uris").contains(address)
        else { throw Problem.foreignRedirect }
        let way = WayBack(
            address: address, state: body.text("state"), issuer: issuer.text(for: request))
        return .json([
            "redirectTo": .text(
                way.address(with: [
                    "error": "login_required", "error_description": "Nobody is signed in.",
                ]))
        ])
    }
}

extension AuthorizationRequest {
    /// What the person is shown.
    fileprivate var shown: [String] {
        guard client.system != nil else { return AppScope.sees }
        return ["id"] + scopes.compactMap { SystemScope(rawValue: $0)?.shown }
    }
}

extension Statement {
    /// The redirect URIs of a client, for any caller.
    fileprivate static func redirects(of client: String) -> Statement {
        """
        select coalesce(redirect_uris, '{}') as redirect_uris, is_app
          from school.find_redirects(\(client), \(UUID(client)))
        """
    }
}
