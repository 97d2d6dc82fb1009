import API
import School
import Values

/// What a client asks for when it sends a person to the authorization page (RFC 6749 section 4.1.1, RFC 7636 section
/// 4.3, OpenID Connect Core section 3.1.2.1).
struct AuthorizationRequest: Sendable {
    let client: AskingClient
    let redirectURI: String
    let environment: Environment
    /// `nil` only if the client is a system that need not send one.
    let challenge: CodeChallenge?
    /// What it gets if the person allows it.
    let scopes: [String]
    /// What it wants to find in the ID token.
    let nonce: String?
    let prompts: Prompts
    private let way: WayBack

    /// Throws a problem. It carries the address at which the client learns of its mistake, unless the mistake is in
    /// that address: nobody is sent to an address that is not the client's.
    ///
    /// - Parameter client: `nil` if the person's organization does not know it.
    init(_ body: Fields, _ client: AskingClient?, issuer: String) throws {
        guard let client else { throw Problem.unknownClient }
        self.client = client
        redirectURI = body.text("redirectUri") ?? ""
        guard client.owns(redirectURI) else { throw Problem.foreignRedirect }
        let way = WayBack(address: redirectURI, state: body.text("state"), issuer: issuer)
        self.way = way
        nonce = body.text("nonce")
        try Self.checkForm(body, way, isSystem: client.system != nil)
        challenge = try Self.challenge(body, client, way)
        guard let scopes = client.granted(of: body.scopes) else {
            throw way.mistake(
                "/scope", "invalid_scope",
                client.system == nil
                    ? "The scope of an app is classkit." : "The scope must contain openid.")
        }
        self.scopes = scopes
        guard let environment = Environment(rawValue: body.text("environment") ?? "production"),
            environment == .production || client.system == nil
        else {
            throw way.mistake(
                "/environment", "invalid_request",
                "The environment must be production or, for an app, development.")
        }
        self.environment = environment
        guard let prompts = Prompts(prompt: body.text("prompt"), maximumAge: body.text("maxAge"))
        else {
            throw way.mistake(
                "/prompt", "invalid_request", "The prompt or the max_age cannot be used.")
        }
        self.prompts = prompts
    }

    /// Apps always send one, and so do systems unless their school has turned that off (RFC 9700 section 2.1.1). One that
    /// was sent is checked in any case.
    private static func challenge(
        _ body: Fields, _ client: AskingClient, _ way: WayBack
    ) throws -> CodeChallenge? {
        let (text, method) = (body.text("codeChallenge"), body.text("codeChallengeMethod"))
        if text == nil, method == nil, client.system?.requiresPKCE == false { return nil }
        guard method == CodeChallenge.method, let challenge = text.flatMap({ CodeChallenge($0) })
        else {
            throw way.mistake(
                "/codeChallenge", "invalid_request",
                "A code_challenge with the code_challenge_method S256 is required.")
        }
        return challenge
    }

    private static func checkForm(_ body: Fields, _ way: WayBack, isSystem: Bool) throws {
        guard body.text("responseType") == "code" else {
            throw body.has("responseType")
                ? way.mistake(
                    "/responseType", "unsupported_response_type", "response_type must be code.")
                : way.mistake("/responseType", "invalid_request", "The response_type is missing.")
        }
        // A form reaches a server; an app has none.
        guard let mode = ResponseMode(rawValue: body.text("responseMode") ?? "query"),
            mode == .query || isSystem
        else {
            throw way.mistake(
                "/responseMode", "invalid_request",
                "The response_mode must be query or, for a system, form_post.")
        }
        guard body.text("request") == nil else {
            throw way.mistake(
                "/request", "request_not_supported", "Send the parameters in the query.")
        }
        guard body.text("requestUri") == nil else {
            throw way.mistake(
                "/requestUri", "request_uri_not_supported", "Send the parameters in the query.")
        }
    }

    /// What the page does next. Throws what the client learns instead if no page may appear.
    func step(now: Timestamp) throws -> Prompts.Step {
        let step = prompts.step(for: client, now: now)
        guard prompts.isSilent, step != .allow else { return step }
        throw step == .signIn
            ? way.mistake("/maxAge", "login_required", "The person has to sign in again.")
            : way.mistake("/prompt", "consent_required", "The person has to be asked.")
    }

    /// Where the browser brings the code.
    func granted(_ code: Token) -> String { way.address(with: ["code": code.text]) }

    /// Where the browser goes if the person refuses.
    var refused: String {
        way.address(with: [
            "error": "access_denied", "error_description": "The person has refused.",
        ])
    }
}

/// How the browser takes the answer to a client: in the address, or in a form (OAuth 2.0 Form Post Response Mode section
/// 2). The answer is the same: the page sends as a form what follows the redirect URI.
enum ResponseMode: String, CaseIterable, Sendable {
    case query
    case formPost = "form_post"
}

/// The way back to a client. Whatever it learns comes with its state and with who says it (RFC 9207).
struct WayBack: Sendable {
    let address: String
    let state: String?
    let issuer: String

    func address(with parameters: KeyValuePairs<String, String?>) -> String {
        RedirectURI.completed(
            address,
            with: parameters.map { (name: $0, value: $1) } + [("state", state), ("iss", issuer)])
    }

    /// A mistake of the client, which learns of it at its own address.
    func mistake(_ pointer: String, _ error: String, _ detail: String) -> Problem {
        var problem = Problem.invalid(pointer, error, detail)
        problem.redirectTo = address(with: ["error": error, "error_description": detail])
        return problem
    }
}

extension Fields {
    /// The requested scopes.
    var scopes: [String] { (text("scope") ?? "").split(separator: " ").map(String.init) }
}
