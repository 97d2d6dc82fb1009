import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

/// Allowing an app to act for oneself (RFC 6749 section 4.1). The page `/oauth/authorize` asks the person, and makes
/// these calls in the person's name.
extension Access {
    var authorizationEndpoints: [Endpoint] {
        let people = Standing.rolesOfPeople
        let wrong = (
            status: 422,
            meaning: "The app's request is wrong. `redirectTo`, if present, reports it to the app."
        )
        return [
            Endpoint(
                .post, "/v1/me/authorizations/check", "Ask which app wants to act for you",
                for: people, body: .json(OAuthShapes.authorization),
                answers: [.json("The app, and what it will see.", OAuthShapes.asking)],
                problems: [wrong], handler: checkAuthorization),
            Endpoint(
                .post, "/v1/me/authorizations", "Allow an app to act for you", for: people,
                body: .json(OAuthShapes.authorization),
                answers: [
                    .json("Where to send the browser.", OAuthShapes.redirect, status: 201)
                ],
                problems: [wrong], keys: .refused, handler: authorize),
        ]
    }

    func checkAuthorization(_ request: Request, _ caller: Caller) async throws -> Response {
        let (asked, name) = try await authorization(request, caller)
        return .json([
            "client": ["id": .text(asked.client), "name": .text(name)],
            "sees": .array(AppScope.sees.map(JSONValue.text)),
        ])
    }

    func authorize(_ request: Request, _ caller: Caller) async throws -> Response {
        guard let token = request.bearer else { throw Problem.unauthenticated }
        let (asked, _) = try await authorization(request, caller)
        let code = Token()
        let rows = try await database.transaction(as: caller) { session in
            try await session.query(.authorize(asked, code: code, by: token))
        }
        guard try rows.first?.bool("is_known") == true else { throw Problem.unknownClient }
        return .json(["redirectTo": .text(asked.granted(code))], status: 201)
    }

    private func authorization(
        _ request: Request, _ caller: Caller
    ) async throws -> (AuthorizationRequest, name: String) {
        let body = try await request.body()
        let client = body.text("clientId") ?? ""
        let rows = try await database.query(.clientName(of: client), as: caller)
        let name = try rows.first?.optionalText("name")
        let asked = try AuthorizationRequest(
            body, isRegistered: name != nil, issuer: issuer.text(for: request))
        return (asked, name ?? client)
    }
}
