public import Foundation

/// Shows a person a page.
public protocol Browser: Sendable {
    /// - Throws: `UplinkError.signInFailed` if there is no browser.
    func open(_ url: URL) async throws
}

/// The person's own browser, by `xdg-open`.
public struct DesktopBrowser: Browser {
    /// Uses the desktop's setting.
    public init() {}

    public func open(_ url: URL) async throws {
        guard try await Program.launch("xdg-open", [url.absoluteString]) else {
            throw UplinkError.signInFailed(
                "No browser could be opened. Sign in with a code instead.")
        }
    }
}

extension SignIn {
    /// Signs a person in with the browser of this machine (RFC 8252, with PKCE).
    ///
    /// - Parameter seconds: how long the person may take.
    /// - Returns: the subject.
    /// - Throws: `UplinkError.signInFailed` if the person refuses or takes too long.
    public func signInWithBrowser(seconds: Double = 300) async throws -> String {
        let server = try await authorizationServer()
        let listener = try LoopbackListener()
        let verifier = Self.random()
        let state = Self.random()
        let redirection = "http://127.0.0.1:\(listener.port)/callback"
        let challenge = Data(SHA256.digest(verifier.utf8)).base64URL
        let query = [
            ("response_type", "code"), ("client_id", configuration.bundleID),
            ("redirect_uri", redirection), ("scope", "classkit"), ("state", state),
            ("code_challenge", challenge), ("code_challenge_method", "S256"),
            ("environment", configuration.environment),
        ].map { "\($0)=\(Form.encode($1))" }.joined(separator: "&")
        let page = server.authorization.absoluteString
        guard let url = URL(string: page + (page.contains("?") ? "&" : "?") + query) else {
            throw UplinkError.protocolViolation("The address of the sign-in page is wrong.")
        }
        try await browser.open(url)
        let answer = try await listener.answer(withState: state, seconds: seconds)
        // RFC 9207: another server could otherwise pass its code off as this one's.
        guard answer["iss"] == server.issuer else {
            throw UplinkError.signInFailed("Another server answered than the one that was asked.")
        }
        guard let code = answer["code"] else {
            throw UplinkError.signInFailed(
                answer["error"] == "access_denied"
                    ? "The person refused."
                    : answer["error_description"] ?? answer["error"] ?? "The server gave no code.")
        }
        switch try await tokens([
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirection),
            ("code_verifier", verifier),
        ]) {
        case .given(let tokens): return try await begin(tokens)
        case .refused(let refusal):
            throw UplinkError.signInFailed(refusal.description ?? refusal.error)
        }
    }

    /// 256 bits that nobody can guess.
    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
            .base64URL
    }
}
