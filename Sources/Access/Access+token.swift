import API
import EventLoop
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

extension Access {
    var tokenEndpoints: [Endpoint] {
        [
            Endpoint(
                open: .post, "/oauth/token",
                "Get an access token for a service account (OAuth 2.0)",
                body: .form(ServiceAccountShapes.tokenRequest),
                answers: [.json("The token.", ServiceAccountShapes.token)] + OAuthError.answers,
                keys: .refused, handler: giveToken)
        ]
    }

    /// Answers the client credentials grant (RFC 6749 section 4.4). There are no refresh tokens: the client gets the
    /// next access token with its secret, too. Wrong secrets of others at the same address do not block a right one.
    func giveToken(_ request: Request) async throws -> Response {
        try await OAuthError.answering {
            let address = request.http.clientAddress
            let now = Loop.current?.now ?? 0
            let asked = try TokenRequest(request.http.headers, form: try await request.form())
            if let seconds = clients.secondsToWait(address, now: now),
                try await database.query(.isSecret(asked)).first?.bool("is_secret") != true
            {
                throw OAuthError.tooMany(retryAfterSeconds: seconds)
            }
            let pair = TokenPair(now: Clock.now)
            let rows = try await database.transaction { session in
                try await session.query(.issueToken(asked, pair, address: address))
            }
            switch try rows[0].text("outcome") {
            case "issued": return try answer(pair, rows[0])
            case "scope": throw OAuthError.invalidScope
            case "tooMany": throw OAuthError.tooMany(retryAfterSeconds: 60)
            default:
                clients.countFailure(address, now: Loop.current?.now ?? 0)
                throw OAuthError.invalidClient
            }
        }
    }

    private func answer(_ pair: TokenPair, _ row: Row) throws -> Response {
        let milliseconds = try row.timestamp("expires_at").milliseconds - Clock.now.milliseconds
        var response = Response.json([
            "access_token": .text(pair.access.text), "token_type": "Bearer",
            "expires_in": JSONValue(integerLiteral: max(0, (milliseconds + 500) / 1000)),
            "scope": .text(try row.text("role")),
        ])
        response.headers.append(OAuthError.noCache)
        return response
    }
}
