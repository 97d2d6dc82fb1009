import API
import HTTPServer
import HTTPWire
import JSONBytes
import School

/// A refusal of `POST /oauth/token` in the format of its standard (RFC 6749 section 5.2): `{error,
/// error_description}`.
struct OAuthError: Error {
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
        description: "grant_type must be client_credentials.")

    static let invalidScope = OAuthError(
        status: 400, error: "invalid_scope",
        description: "The scope of a client is its role. Leave it out.")

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

    /// Runs the call and answers its refusals in the standard's format.
    static func answering(_ body: () async throws -> Response) async throws -> Response {
        do {
            return try await body()
        } catch let error as OAuthError {
            return error.response
        }
    }

    /// For the API document.
    static let answers: [Endpoint.Answer] = [
        .json("The request is wrong, or the scope is not the client's.", shape, status: 400),
        .json("The client is unknown, or its secret is wrong.", shape, status: 401)
            .challengingClients,
        .json(
            "Too many tokens were requested, or too many wrong secrets came from this address.",
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
                    "invalid_request", "invalid_client", "unsupported_grant_type", "invalid_scope",
                    "temporarily_unavailable",
                ])),
            .required("error_description", .text(1...200)),
        ])
}
