import API
import HTTPWire

extension Problem {
    package static let unauthenticated = Problem(
        401, "unauthenticated", "This call needs a valid access token.",
        detail: "Send it as Authorization: Bearer TOKEN.",
        headers: [ResponseField("WWW-Authenticate", challenge)])

    /// A token that is unknown or no longer valid (RFC 6750 section 3.1).
    package static let invalidToken = Problem(
        401, "unauthenticated", "This call needs a valid access token.",
        detail: "The access token is unknown, has expired or was revoked.",
        headers: [ResponseField("WWW-Authenticate", challenge + ", error=\"invalid_token\"")])

    /// How to authenticate: the scheme must be followed by at least one parameter (RFC 6750 section 3).
    package static let challenge = "Bearer realm=\"Homeroom\""

    package static let passwordMustChange = Problem(
        403, "password_must_change", "The temporary password must be changed first.",
        detail: "This token can only call PUT /v1/me/password.")

    static func tooManyUnknownTokens(retryAfterSeconds seconds: Int) -> Problem {
        Problem(
            429, "too_many_unknown_tokens", "Too many unknown tokens came from this address.",
            detail: "Try again after the time in Retry-After.",
            headers: [ResponseField("Retry-After", String(seconds))])
    }
}
