import API
import Crypto
import HTTPServer
import Postgres
import School
import Values

/// The tokens of connected systems.
extension Access {
    /// Answers the authorization code grant for a system, which sends its secret, and the verifier if it sent a
    /// challenge.
    func exchangeSystemCode(
        _ form: OAuthForm, _ sent: ClientCredentials, _ request: Request
    ) async throws -> Response {
        let address = request.http.clientAddress
        let code = Token(text: try form.required("code"))
        let redirectURI = try form.required("redirect_uri")
        let challenge = form["code_verifier"].map(CodeChallenge.init(ofVerifier:))
        let pair = TokenPair(now: database.clock.now)
        let signer = try await idTokenKeys.signer(for: sent.clientID, in: database)
        try await checkTries(of: sent, from: address)
        let rows = try await database.transaction { session in
            try await session.query(
                .exchange(
                    code, by: sent, redirectURI: redirectURI, challenge: challenge, pair: pair,
                    address: address))
        }
        let row = try issued(rows, from: address)
        return try await answer(
            pair, row, nonce: row.optionalText("nonce"), sent, request, signer)
    }

    /// Answers the refresh token grant for a system. Its ID token has no nonce (OpenID Connect Core section 12.2).
    func refreshSystem(
        _ form: OAuthForm, _ sent: ClientCredentials, _ request: Request
    ) async throws -> Response {
        let address = request.http.clientAddress
        let token = Token(text: try form.required("refresh_token"))
        let pair = TokenPair(now: database.clock.now)
        let signer = try await idTokenKeys.signer(for: sent.clientID, in: database)
        try await checkTries(of: sent, from: address)
        let rows = try await database.transaction { session in
            try await session.query(.refresh(token, by: sent, pair: pair, address: address))
        }
        return try await answer(
            pair, issued(rows, from: address), nonce: nil, sent, request, signer)
    }

    private func issued(_ rows: Rows, from address: String) throws -> Row {
        switch try rows[0].text("outcome") {
        case "issued": return rows[0]
        case "client": throw wrongSecret(from: address)
        default: throw OAuthError.invalidGrant
        }
    }

    private func answer(
        _ pair: TokenPair, _ row: Row, nonce: String?, _ sent: ClientCredentials,
        _ request: Request, _ signer: IDTokenKeys.Signer
    ) async throws -> Response {
        guard let clientID = sent.clientID else { throw OAuthError.invalidClient }
        return try await SystemTokens(
            pair, row, nonce: nonce, audience: clientID, issuer: issuer.text(for: request),
            now: database.clock.now
        ).response(signedBy: signer)
    }
}

extension Statement {
    /// The outcome is `issued`, `client` or `grant`.
    fileprivate static func exchange(
        _ code: Token, by sent: ClientCredentials, redirectURI: String,
        challenge: CodeChallenge?, pair: TokenPair, address: String
    ) -> Statement {
        """
        select outcome, subject, scopes, nonce, authenticated_at, claims::json as claims
          from school.exchange_system_code(
                   \(sent.clientID), \(sent.secret.digest), \(code.digest), \(redirectURI),
                   \(challenge?.text), \(UUID.v7()), \(pair.access.digest), \(pair.accessExpiresAt),
                   \(pair.refresh.digest), \(pair.refreshExpiresAt), \(address))
        """
    }

    /// The same.
    fileprivate static func refresh(
        _ token: Token, by sent: ClientCredentials, pair: TokenPair, address: String
    ) -> Statement {
        """
        select outcome, subject, scopes, authenticated_at, claims::json as claims
          from school.refresh_system_token(
                   \(sent.clientID), \(sent.secret.digest), \(token.digest), \(pair.access.digest),
                   \(pair.accessExpiresAt), \(pair.refresh.digest), \(pair.refreshExpiresAt),
                   \(address))
        """
    }
}
