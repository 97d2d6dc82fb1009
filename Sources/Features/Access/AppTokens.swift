import API
import JSONBytes
import School

/// The tokens that an app gets by OAuth (RFC 6749 section 5.1).
struct AppTokens {
    let pair: TokenPair
    /// The pseudonym of the person.
    let subject: String

    var response: Response {
        var response = Response.json([
            "access_token": .text(pair.access.text), "token_type": "Bearer",
            "expires_in": JSONValue(integerLiteral: Int64(TokenPair.accessSeconds)),
            "refresh_token": .text(pair.refresh.text), "scope": .text(AppScope.classKit),
            "subject": .text(subject),
        ])
        response.headers.append(OAuthError.noCache)
        return response
    }
}
