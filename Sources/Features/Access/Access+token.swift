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
                "Get an access token for an app, a connected system or a service account (OAuth 2.0)",
                description: """
                    `client_credentials` brings no refresh token: when the token expires, the service account sends \
                    its secret again. It may do so 60 times a minute.
                    """,
                body: .form(OAuthShapes.tokenRequest),
                answers: [.json("The token.", OAuthShapes.token)] + OAuthError.answers,
                keys: .refused, handler: giveToken)
        ]
    }

    func giveToken(_ request: Request) async throws -> Response {
        try await OAuthError.answering {
            let form = try OAuthForm(request.http.headers, form: try await request.form())
            let address = request.http.clientAddress
            switch try form.required("grant_type") {
            case "client_credentials": return try await giveServiceToken(form, from: address)
            case "authorization_code":
                guard let system = try form.system() else {
                    return try await exchangeCode(form, from: address)
                }
                return try await exchangeSystemCode(form, system, request)
            case "refresh_token":
                guard let system = try form.system() else {
                    return try await refreshApp(form, from: address)
                }
                return try await refreshSystem(form, system, request)
            case OAuthShapes.deviceGrant: return try await exchangeDeviceCode(form, from: address)
            default: throw OAuthError.unsupportedGrantType
            }
        }
    }

    /// Answers the client credentials grant (RFC 6749 section 4.4). There are no refresh tokens: the client gets the
    /// next access token with its secret, too. Wrong secrets of others at the same address do not block a right one.
    private func giveServiceToken(_ form: OAuthForm, from address: String) async throws -> Response
    {
        let account = try form.account()
        try await checkTries(of: account, from: address)
        let pair = TokenPair(now: database.clock.now)
        let rows = try await database.transaction { session in
            try await session.query(
                .issueToken(account, scopes: form.scopes, pair, address: address))
        }
        switch try rows[0].text("outcome") {
        case "issued": return try answer(pair, rows[0])
        case "scope": throw OAuthError.invalidScope
        case "tooMany": throw OAuthError.tooMany(retryAfterSeconds: 60)
        default: throw wrongSecret(from: address)
        }
    }

    private func answer(_ pair: TokenPair, _ row: Row) throws -> Response {
        let now = database.clock.now
        let milliseconds = try row.timestamp("expires_at").milliseconds - now.milliseconds
        var response = Response.json([
            "access_token": .text(pair.access.text), "token_type": "Bearer",
            "expires_in": JSONValue(integerLiteral: max(0, (milliseconds + 500) / 1000)),
            "scope": .text(try row.text("scope")),
        ])
        response.headers.append(OAuthError.noCache)
        return response
    }

    /// Answers the authorization code grant for an app (RFC 6749 section 4.1.3, RFC 7636 section 4.5).
    private func exchangeCode(_ form: OAuthForm, from address: String) async throws -> Response {
        let app = try form.app()
        let code = Token(text: try form.required("code"))
        let redirectURI = try form.required("redirect_uri")
        let challenge = CodeChallenge(ofVerifier: try form.required("code_verifier"))
        let pair = TokenPair(now: database.clock.now)
        let rows = try await database.transaction { session in
            try await session.query(
                .exchange(
                    code, of: app, redirectURI: redirectURI, challenge: challenge, pair: pair,
                    address: address))
        }
        guard let row = rows.first else { throw OAuthError.invalidGrant }
        return AppTokens(pair: pair, subject: try row.text("subject")).response
    }

    /// Answers the refresh token grant for an app (RFC 6749 section 6).
    private func refreshApp(_ form: OAuthForm, from address: String) async throws -> Response {
        let app = try form.app()
        try form.checkAppScope()
        let token = Token(text: try form.required("refresh_token"))
        let pair = TokenPair(now: database.clock.now)
        let rows = try await database.transaction { session in
            try await session.query(.rotate(token, pair: pair, address: address, of: app))
        }
        guard let row = rows.first else { throw OAuthError.invalidGrant }
        return AppTokens(pair: pair, subject: try row.text("subject")).response
    }

    /// Answers the device code grant (RFC 8628 section 3.4).
    private func exchangeDeviceCode(_ form: OAuthForm, from address: String) async throws
        -> Response
    {
        let app = try form.app()
        let code = Token(text: try form.required("device_code"))
        let pair = TokenPair(now: database.clock.now)
        let rows = try await database.transaction { session in
            try await session.query(
                .exchangeDevice(code, of: app, pair: pair, address: address))
        }
        let outcome = try rows[0].text("outcome")
        guard outcome == "issued" else { throw OAuthError.ofDevice(outcome) }
        return AppTokens(pair: pair, subject: try rows[0].text("subject")).response
    }

    // MARK: Secrets of service accounts and connected systems

    /// Refuses an address that sent many wrong secrets, unless this one is right.
    func checkTries(of account: ClientCredentials, from address: String) async throws {
        let now = Loop.current?.now ?? 0
        if let seconds = clients.secondsToWait(address, now: now),
            try await database.query(.isSecret(account)).first?.bool("is_secret") != true
        {
            throw OAuthError.tooMany(retryAfterSeconds: seconds)
        }
    }

    func wrongSecret(from address: String) -> OAuthError {
        clients.count(address, now: Loop.current?.now ?? 0)
        return .invalidClient
    }
}
