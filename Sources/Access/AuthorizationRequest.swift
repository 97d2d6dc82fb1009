import API
import School

/// What an app asks for when it sends a person to the authorization page (RFC 6749 section 4.1.1, RFC 7636 section 4.3).
struct AuthorizationRequest: Sendable {
    let client: String
    let redirectURI: String
    let environment: Environment
    let challenge: CodeChallenge
    private let state: String?
    private let issuer: String

    /// Throws a problem. It carries the address at which the app learns of its mistake, unless the mistake is in that
    /// address: nobody is sent to an address that is not the app's.
    ///
    /// - Parameter isRegistered: whether the person's organization knows the app.
    init(_ body: Fields, isRegistered: Bool, issuer: String) throws {
        client = body.text("clientId") ?? ""
        redirectURI = body.text("redirectUri") ?? ""
        guard isRegistered else { throw Problem.unknownClient }
        guard RedirectURI.isAllowed(redirectURI, for: client) else {
            throw Problem.foreignRedirect
        }
        let (address, state) = (redirectURI, body.text("state"))
        self.state = state
        self.issuer = issuer
        func mistake(_ pointer: String, _ error: String, _ detail: String) -> Problem {
            var problem = Problem.invalid(pointer, error, detail)
            problem.redirectTo = RedirectURI.completed(
                address,
                with: ["error": error, "error_description": detail, "state": state, "iss": issuer])
            return problem
        }
        guard body.text("responseType") == "code" else {
            throw body.has("responseType")
                ? mistake(
                    "/responseType", "unsupported_response_type", "response_type must be code.")
                : mistake("/responseType", "invalid_request", "The response_type is missing.")
        }
        guard body.text("codeChallengeMethod") == CodeChallenge.method,
            let challenge = body.text("codeChallenge").flatMap({ CodeChallenge($0) })
        else {
            throw mistake(
                "/codeChallenge", "invalid_request",
                "A code_challenge with the code_challenge_method S256 is required.")
        }
        self.challenge = challenge
        let scopes = (body.text("scope") ?? "").split(separator: " ")
        guard scopes.allSatisfy({ $0 == AppScope.classKit }) else {
            throw mistake("/scope", "invalid_scope", "The scope of an app is classkit.")
        }
        guard let environment = Environment(rawValue: body.text("environment") ?? "production")
        else {
            throw mistake(
                "/environment", "invalid_request",
                "The environment must be production or development.")
        }
        self.environment = environment
    }

    /// Where the browser brings the code.
    func granted(_ code: Token) -> String {
        RedirectURI.completed(
            redirectURI, with: ["code": code.text, "state": state, "iss": issuer])
    }
}
