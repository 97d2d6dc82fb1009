import TestKit
import WireKit

@testable import ServerKit

/// RFC 9110 section 11 and RFC 6750: who asks.
enum CredentialRows {
    private static let challenge = #"WWW-Authenticate: Bearer realm="Homeroom""#
    private static let invalid = challenge + #", error="invalid_token""#

    private static func get(_ authorization: String) -> WireText {
        asking("GET /v1/me", as: nil, "Authorization: " + authorization)
    }

    static let rows: [Row] = [
        Row(
            "6750 §3", "a caller without credentials is challenged, without an error",
            asking("GET /v1/me", as: nil), [Expected(401, fields: [challenge])]),
        Row(
            "6750 §3", "so is one with another scheme", get("Basic YTpi"),
            [Expected(401, fields: [challenge])]),
        Row(
            "6750 §3.1", "a malformed token is invalid", get("Bearer nonsense"),
            [Expected(401, part: #""code":"unauthenticated""#, fields: [invalid])]),
        Row(
            "9110 §11.1", "the scheme may be in any case", get("bEARER \(Persona.ada.token)"),
            [Expected(200)]),
        Row(
            "6750 §2.1", "but one space follows it, and the token is whole",
            get("Bearer \(Persona.ada.token)x"), [Expected(401, fields: [invalid])]),
        Row(
            "6750 §2.3", "a token in the query does not count",
            asking("GET /v1/me?access_token=\(Persona.ada.token)", as: nil), [Expected(401)]),
        Row(
            "9110 §15.5.4", "a known caller without permission is not challenged",
            asking("GET /v1/developer-teams", as: .sam),
            [Expected(403, part: #""code":"forbidden""#, absent: ["WWW-Authenticate"])]),
        Row(
            "9110 §11.6.2", "OPTIONS needs no credentials, in a preflight or otherwise",
            asking("OPTIONS /v1/me", as: nil), [Expected(204)]),
        Row(
            "9110 §15.5.2", "a refused sign-in is challenged as well",
            asking(
                "POST /v1/sign-in", as: nil,
                body: #"{"managedId":"nobody@hillside.example","password":"nothing"}"#),
            [Expected(401, fields: [challenge])]),
    ]
}
