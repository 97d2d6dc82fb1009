import API
import EventLoop
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

/// What clients of OAuth ask about tokens, and about this server.
extension Access {
    var tokenCallEndpoints: [Endpoint] {
        [
            Endpoint(
                open: .post, "/oauth/revoke", "Revoke a token (RFC 7009)",
                description: """
                    Either token of an app or a connected system ends its whole sign-in. The token of another \
                    client is left as it is, with the same answer.
                    """,
                body: .form(OAuthShapes.revocation),
                answers: [.empty(200, "The token is not valid, whether or not it was before.")]
                    + OAuthError.answers, keys: .refused, handler: revokeToken),
            Endpoint(
                open: .post, "/oauth/introspect",
                "Ask, as a service account or a connected system, what a token stands for (RFC 7662)",
                description: """
                    A service account learns about every access token of its organization, a connected system \
                    about its own. An app's token names the person only by the pseudonym.
                    """,
                body: .form(OAuthShapes.introspectionRequest),
                answers: [.json("What the token stands for.", OAuthShapes.introspection)]
                    + OAuthError.answers, keys: .refused, handler: introspect),
            Endpoint(
                open: .get, "/.well-known/oauth-authorization-server",
                "Find the calls and features of OAuth (RFC 8414)",
                answers: [.json("The metadata.", OAuthShapes.metadata)], handler: metadata),
        ]
    }

    /// Revokes the whole sign-in of an app or a connected system with either of its tokens, or a token of a service
    /// account.
    func revokeToken(_ request: Request) async throws -> Response {
        try await OAuthError.answering {
            let form = try OAuthForm(request.http.headers, form: try await request.form())
            let token = Token(text: try form.required("token"))
            let address = request.http.clientAddress
            guard form.isSecret else {
                let app = try form.app()
                _ = try await database.transaction { session in
                    try await session.query(.revoke(token, ofApp: app, address: address))
                }
                return Response(200)
            }
            let account = try form.account()
            try await checkTries(of: account, from: address)
            let rows = try await database.transaction { session in
                try await session.query(.revoke(token, of: account, address: address))
            }
            guard try rows.first?.bool("is_client") == true else {
                throw wrongSecret(from: address)
            }
            return Response(200)
        }
    }

    func introspect(_ request: Request) async throws -> Response {
        try await OAuthError.answering {
            let form = try OAuthForm(request.http.headers, form: try await request.form())
            let account = try form.account()
            let token = Token(text: try form.required("token"))
            let address = request.http.clientAddress
            try await checkTries(of: account, from: address)
            guard let row = try await database.query(.introspect(token, by: account)).first
            else { throw wrongSecret(from: address) }
            guard let document = try row.optionalBytes("token") else {
                return .json(["active": false])
            }
            return .json(try JSONValue(parsing: document))
        }
    }

    func metadata(_ request: Request) async throws -> Response {
        .json(.object(metadataMembers(issuer.text(for: request))))
    }

    func metadataMembers(_ issuer: String) -> JSONObject {
        func words(_ words: [String]) -> JSONValue { .array(words.map(JSONValue.text)) }
        let withSecret = words(["client_secret_basic", "client_secret_post"])
        let withAndWithout = words(["none", "client_secret_basic", "client_secret_post"])
        let members: KeyValuePairs<String, JSONValue> = [
            "issuer": .text(issuer),
            "authorization_endpoint": .text(issuer + "/oauth/authorize"),
            "token_endpoint": .text(issuer + "/oauth/token"),
            "device_authorization_endpoint": .text(issuer + "/oauth/device_authorization"),
            "revocation_endpoint": .text(issuer + "/oauth/revoke"),
            "introspection_endpoint": .text(issuer + "/oauth/introspect"),
            "service_documentation": .text(issuer + "/docs"),
            "scopes_supported": words(
                [AppScope.classKit] + Standing.rolesOfServices.map(\.rawValue)
                    + [SystemScope.openID] + SystemScope.allCases.map(\.rawValue)),
            "response_types_supported": words(["code"]),
            "response_modes_supported": words(ResponseMode.allCases.map(\.rawValue)),
            "grant_types_supported": words(OAuthShapes.grants),
            "code_challenge_methods_supported": words([CodeChallenge.method]),
            "token_endpoint_auth_methods_supported": withAndWithout,
            "revocation_endpoint_auth_methods_supported": withAndWithout,
            "introspection_endpoint_auth_methods_supported": withSecret,
            "authorization_response_iss_parameter_supported": true,
        ]
        return JSONObject(members.map { ($0, $1) })
    }
}
