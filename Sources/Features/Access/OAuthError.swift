import API
import HTTPServer
import HTTPWire
import JSONBytes
import School

/// A refusal of a call of OAuth in the format of its standard (RFC 6749 section 5.2): `{error,
/// error_description}`.
struct OAuthError: AnsweredError {
    let status: Int
    /// One of the standard's codes.
    let error: String
    /// A sentence for the client's developer, in ASCII without quotation marks, as the standard requires.
    let description: String
    var headers: [ResponseField] = []

    static func invalidRequest(_ description: String) -> OAuthError {
        OAuthError(status: 400, error: "invalid_request", description: description)
    }

    static let unsupportedGrantType = OAuthError(
        status: 400, error: "unsupported_grant_type",
        description: "This grant_type is not one of those in the metadata.")

    /// Unknown, expired, used, another app's, or with another verifier: one answer for all.
    static let invalidGrant = OAuthError(
        status: 400, error: "invalid_grant",
        description: "This code or token is not valid, or not yours.")

    /// RFC 8628 section 3.5.
    static func ofDevice(_ word: String) -> OAuthError {
        switch word {
        case "authorization_pending":
            OAuthError(status: 400, error: word, description: "The person has not answered yet.")
        case "slow_down":
            OAuthError(status: 400, error: word, description: "Ask 5 seconds less often.")
        case "expired_token":
            OAuthError(status: 400, error: word, description: "The code has expired.")
        case "access_denied":
            OAuthError(status: 400, error: word, description: "The person has refused.")
        default: invalidGrant
        }
    }

    static let invalidAppScope = OAuthError(
        status: 400, error: "invalid_scope",
        description: "The scope of an app is classkit. Leave it out.")

    /// An app is known by its bundle id alone.
    static let appsHaveNoSecret = OAuthError(
        status: 401, error: "invalid_client",
        description: "An app has no secret. Send its bundle id as client_id.",
        headers: invalidClient.headers)

    static let unknownApp = OAuthError(
        status: 401, error: "invalid_client",
        description: "No organization has registered this app.", headers: invalidClient.headers)

    static let invalidScope = OAuthError(
        status: 400, error: "invalid_scope",
        description:
            "The scope of a client is its role, or for a roster reader those of OneRoster or the Roster API. Leave it out."
    )

    /// Unknown, revoked, expired, wrong secret, or no secret: one answer for all.
    static let invalidClient = OAuthError(
        status: 401, error: "invalid_client",
        description: "Unknown client or wrong secret.",
        headers: [ResponseField("WWW-Authenticate", "Basic realm=\"Homeroom\"")])

    /// The standard has no code for this; it defines this one for the same case at its other endpoint (section
    /// 4.1.2.1).
    static func tooMany(retryAfterSeconds seconds: Int) -> OAuthError {
        OAuthError(
            status: 429, error: "temporarily_unavailable",
            description: "Too many tokens were requested. Use each one until it expires.",
            headers: [ResponseField("Retry-After", String(seconds))])
    }

    var response: Response {
        var response = Response.json(
            ["error": .text(error), "error_description": .text(description)], status: status)
        response.headers += headers + [OAuthError.noCache]
        return response
    }

    /// Section 5.1 requires it beside `Cache-Control: no-store`.
    static let noCache = ResponseField("Pragma", "no-cache")

    /// For the API document.
    static let answers: [Endpoint.Answer] = [
        .json("The request, the code or the scope is wrong.", shape, status: 400),
        .json("The client is unknown, or its secret is wrong.", shape, status: 401)
            .challengingClients,
        .json(
            "Too many tokens or codes were requested, or too many wrong secrets came from this address.",
            shape, status: 429
        )
        .retryable,
    ]

    private static let shape = Shape.fields(
        "OAuthError",
        [
            .required(
                "error",
                .word([
                    "invalid_request", "invalid_client", "invalid_grant", "unsupported_grant_type",
                    "invalid_scope", "authorization_pending", "slow_down", "expired_token",
                    "access_denied", "temporarily_unavailable",
                ])),
            .required("error_description", .text(1...200)),
        ])
}
