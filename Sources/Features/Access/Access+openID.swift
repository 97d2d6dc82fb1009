import API
import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

/// What OpenID Connect adds to OAuth: the keys, who the person is, and where to find all that.
extension Access {
    var openIDEndpoints: [Endpoint] {
        let refused = [
            Endpoint.Answer.json(
                "The token is absent or not valid.", OpenIDShapes.refusal, status: 401
            ).challengingCallers,
            .json(
                "The token is not a connected system's.", OpenIDShapes.refusal, status: 403
            ).challengingCallers,
        ]
        let summary = "Ask, as a connected system, who signed in (OpenID Connect)"
        return [
            Endpoint(
                open: .get, "/.well-known/openid-configuration",
                "Find the calls and features of OpenID Connect",
                answers: [.json("The metadata.", OpenIDShapes.metadata)], handler: openIDMetadata),
            Endpoint(
                open: .get, "/oauth/jwks", "Get the keys that ID tokens are signed with (RFC 7517)",
                answers: [.json("The public keys.", OpenIDShapes.keySet)], handler: keySet),
            Endpoint(
                open: .get, "/oauth/userinfo", summary,
                answers: [.json("What the person allowed.", OpenIDShapes.userinfo)] + refused,
                handler: userinfo),
            Endpoint(
                open: .post, "/oauth/userinfo", summary,
                answers: [.json("What the person allowed.", OpenIDShapes.userinfo)] + refused,
                handler: userinfo),
        ]
    }

    func openIDMetadata(_ request: Request) async throws -> Response {
        let issuer = issuer.text(for: request)
        func words(_ words: [String]) -> JSONValue { .array(words.map(JSONValue.text)) }
        var members = metadataMembers(issuer)
        members["scopes_supported"] = words(
            [SystemScope.openID] + SystemScope.allCases.map(\.rawValue))
        members["token_endpoint_auth_methods_supported"] = words([
            "client_secret_basic", "client_secret_post",
        ])
        members["jwks_uri"] = .text(issuer + "/oauth/jwks")
        members["userinfo_endpoint"] = .text(issuer + "/oauth/userinfo")
        members["end_session_endpoint"] = .text(issuer + "/oauth/logout")
        members["subject_types_supported"] = words(["public"])
        members["id_token_signing_alg_values_supported"] = words(
            IDTokenAlgorithm.allCases.map(\.rawValue))
        members["claims_supported"] = words(OpenIDShapes.claims)
        members["prompt_values_supported"] = words(Prompt.allCases.map(\.rawValue))
        members["claims_parameter_supported"] = false
        members["request_parameter_supported"] = false
        members["request_uri_parameter_supported"] = false
        return .json(.object(members))
    }

    func keySet(_ request: Request) async throws -> Response {
        .json(try await idTokenKeys.published(by: database))
    }

    func userinfo(_ request: Request) async throws -> Response {
        guard let token = request.bearer else { return Self.refused(401) }
        let rows = try await database.query(.userinfo(token))
        switch try rows[0].text("outcome") {
        case "valid": return .json(try JSONValue(parsing: rows[0].bytes("claims")))
        case "scope": return Self.refused(403, error: "insufficient_scope")
        default: return Self.refused(401, error: "invalid_token")
        }
    }

    /// A refusal as RFC 6750 section 3.1 has it.
    ///
    /// - Parameter error: `nil` for a request without a token, which learns no more than that it needs one.
    private static func refused(_ status: Int, error: String? = nil) -> Response {
        let detail =
            status == 401
            ? "An access token of a connected system is required."
            : "Only the token of a connected system sees who the person is."
        var response = Response.json(
            ["error": .text(error ?? "invalid_request"), "error_description": .text(detail)],
            status: status)
        let more = error.map { ", error=\"\($0)\"" } ?? ""
        let scope = status == 403 ? ", scope=\"\(SystemScope.openID)\"" : ""
        response.headers.append(
            ResponseField("WWW-Authenticate", "Bearer realm=\"Homeroom\"\(more)\(scope)"))
        return response
    }
}

extension Statement {
    /// The outcome is `valid`, `invalid` or `scope`.
    fileprivate static func userinfo(_ token: Token) -> Statement {
        "select outcome, claims::json as claims from school.userinfo(\(token.digest))"
    }
}
