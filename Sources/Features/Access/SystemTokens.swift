import API
import Crypto
import JSONBytes
import Postgres
import School
import Values

/// The tokens that a connected system gets for a person who allowed it (OpenID Connect Core section 3.1.3.3).
struct SystemTokens {
    /// How long an ID token may be used: only while the system signs the person in.
    private static let idTokenSeconds: Int64 = 600

    let pair: TokenPair
    /// What the person allowed.
    private let scope: String
    private let claims: JSONObject

    /// - Parameters:
    ///   - row: what the database gave for the code or the refresh token.
    ///   - nonce: what the system wants to find in the ID token.
    ///   - audience: the client id, to which the ID token is addressed.
    init(
        _ pair: TokenPair, _ row: Row, nonce: String?, audience: UUID, issuer: String,
        now: Timestamp
    ) throws {
        self.pair = pair
        let granted = Set(try row.textArray("scopes"))
        scope =
            ([SystemScope.openID] + SystemScope.allCases.map(\.rawValue).filter(granted.contains))
            .joined(separator: " ")
        let seconds = now.milliseconds / 1000
        var claims = try JSONValue(parsing: row.bytes("claims")).object ?? JSONObject([])
        claims["iss"] = .text(issuer)
        claims["sub"] = .text(try row.text("subject"))
        claims["aud"] = .text(audience.description)
        claims["iat"] = JSONValue(integerLiteral: seconds)
        claims["exp"] = JSONValue(integerLiteral: seconds + Self.idTokenSeconds)
        claims["auth_time"] = JSONValue(
            integerLiteral: try row.timestamp("authenticated_at").milliseconds / 1000)
        // Section 3.1.3.6: the left half of the digest.
        claims["at_hash"] = .text(Base64.encodeURL(Array(pair.access.digest.prefix(16))))
        if let nonce { claims["nonce"] = .text(nonce) }
        self.claims = claims
    }

    func response(signedBy sign: IDTokenKeys.Signer) async throws -> Response {
        let idToken = try await sign(claims)
        var response = Response.json([
            "access_token": .text(pair.access.text), "token_type": "Bearer",
            "expires_in": JSONValue(integerLiteral: Int64(TokenPair.accessSeconds)),
            "refresh_token": .text(pair.refresh.text), "scope": .text(scope),
            "id_token": .text(idToken),
        ])
        response.headers.append(OAuthError.noCache)
        return response
    }
}
