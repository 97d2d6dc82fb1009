public import Foundation

/// A person's sign-in at one app on one server. It keeps the tokens and renews them.
///
/// Several processes of the app may use the same sign-in: one of them renews the tokens, and the others read them.
public actor SignIn: TokenSource {
    let configuration: UplinkConfiguration
    let transport: any Transport
    let browser: any Browser
    let clock: any DeviceClock
    private let secrets: any SecretStore
    private let lock: FileLock
    private let folder: URL
    private var server: AuthorizationServer?

    /// - Parameters:
    ///   - folder: where this app keeps its files; for the lock between its processes.
    ///   - secrets: where the tokens are kept.
    public init(
        configuration: UplinkConfiguration, folder: URL, secrets: any SecretStore,
        transport: any Transport = URLSessionTransport(), browser: any Browser = DesktopBrowser(),
        clock: any DeviceClock = SystemClock()
    ) {
        self.configuration = configuration
        self.secrets = secrets
        self.transport = transport
        self.browser = browser
        self.clock = clock
        self.folder = folder
        lock = FileLock(file: folder.appending(path: "sign-in.lock"))
    }

    /// Where an app keeps its files: `$XDG_DATA_HOME/classkit/BUNDLEID`.
    public static func folder(
        bundleID: String, variables: [String: String] = ProcessInfo.processInfo.environment
    ) -> URL {
        let data =
            variables["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? (variables["HOME"] ?? "/") + "/.local/share"
        return URL(fileURLWithPath: data).appending(path: "classkit").appending(
            path: bundleID.replacing("/", with: "_"))
    }

    /// Whose store the app opens; `nil` for nobody's. Asks neither the network nor the secret store.
    ///
    /// It is the person of the token in the environment, else the one who signed in last and has not signed out: work goes
    /// on in a person's own store even after the sign-in has expired.
    public static func keptSubject(
        configuration: UplinkConfiguration, folder: URL,
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> String? {
        if let token = FixedToken(variables: variables) { return token.subject }
        return KeptSubject(folder, name(configuration)).read()
    }

    /// Who is signed in; `nil` for nobody.
    public func currentSubject() async throws -> String? {
        guard let kept = try await kept(), !kept.isEnding else { return nil }
        return kept.subject
    }

    public func token() async throws -> AccessToken {
        guard let kept = try await kept(), !kept.isEnding else { throw UplinkError.signedOut }
        if kept.isDue(at: clock.now) { return try await renewed(after: kept.access) }
        return kept.access
    }

    public func renewed(after rejected: AccessToken) async throws -> AccessToken {
        try await lock.locked { () async throws -> AccessToken in
            guard let kept = try await self.kept(), !kept.isEnding else {
                throw UplinkError.signedOut
            }
            // Another process was faster.
            guard kept.accessToken == rejected.text else { return kept.access }
            return try await self.renew(kept).access
        }
    }

    /// Ends the sign-in, here and on the server. What is queued waits for the person.
    ///
    /// - Throws: `UplinkError.network` if the server does not know it yet; it is repeated before the next sign-in, or
    ///   by calling this again.
    public func signOut() async throws {
        try await lock.locked {
            guard var kept = try await self.kept() else { return }
            kept.isEnding = true
            kept.generation += 1
            try await KeptSubject(folder, self.name).remove()
            try await self.keep(kept)
            try await self.revoke(kept)
            try await self.secrets.remove(self.name)
        }
    }

    // MARK: Keeping

    /// Takes over what a person got by signing in.
    func begin(_ answer: TokenAnswer) async throws -> String {
        try await lock.locked {
            let former = try await self.kept()
            try await self.keep(answer.signedIn(after: former, at: self.clock.now))
            try await KeptSubject(folder, self.name).write(answer.subject)
            if let former { try? await self.revoke(former) }
        }
        return answer.subject
    }

    private func renew(_ former: SignedIn) async throws -> SignedIn {
        let answer = try await tokens([
            ("grant_type", "refresh_token"), ("refresh_token", former.refreshToken),
        ])
        switch answer {
        case .refused(let refusal) where refusal.error == "invalid_grant":
            try await secrets.remove(name)
            throw UplinkError.signedOut
        case .refused(let refusal):
            throw UplinkError.network("The server does not renew the sign-in: \(refusal.error)")
        case .given(let tokens):
            guard tokens.subject == former.subject else {
                throw UplinkError.protocolViolation("The server renewed another person's sign-in.")
            }
            let renewed = tokens.signedIn(after: former, at: clock.now)
            // Durable before it is used: the server takes the former refresh token again only as long as the new pair
            // was never used.
            try await keep(renewed)
            return renewed
        }
    }

    private var name: String { Self.name(configuration) }

    private static func name(_ configuration: UplinkConfiguration) -> String {
        let server = configuration.address("").absoluteString
        return "\(server) \(configuration.bundleID) \(configuration.environment)"
    }

    private func kept() async throws -> SignedIn? {
        try await secrets.newest(name)
    }

    private func keep(_ signedIn: SignedIn) async throws {
        try await secrets.write(JSON.encode(signedIn), as: name)
    }

    // MARK: Asking

    enum Outcome {
        case given(TokenAnswer)
        case refused(OAuthRefusal)
    }

    func authorizationServer() async throws -> AuthorizationServer {
        if let server { return server }
        let found = try await AuthorizationServer.discover(configuration, transport)
        server = found
        return found
    }

    /// Asks for tokens as this app, which has no secret.
    func tokens(_ fields: [(String, String)]) async throws -> Outcome {
        let address = try await authorizationServer().token
        let answer = try await post(address, fields)
        if answer.status == 200 {
            do {
                return .given(try JSON.decode(TokenAnswer.self, from: answer.body))
            } catch {
                throw UplinkError.protocolViolation("\(address.path()) answered: \(error)")
            }
        }
        return .refused(try refusal(answer))
    }

    func post(_ url: URL, _ fields: [(String, String)]) async throws -> HTTPAnswer {
        try await transport.answer(
            to: HTTPCall(
                "POST", url,
                headers: [
                    "Content-Type": "application/x-www-form-urlencoded",
                    "Accept": "application/json",
                ], body: Form.body(fields + [("client_id", configuration.bundleID)]),
                timeoutSeconds: 30))
    }

    func refusal(_ answer: HTTPAnswer) throws -> OAuthRefusal {
        guard (400..<429).contains(answer.status),
            let refusal = try? JSON.decode(OAuthRefusal.self, from: answer.body)
        else { throw UplinkError.network("The server answered \(answer.status).") }
        return refusal
    }

    /// Revokes both tokens; one names the whole sign-in.
    private func revoke(_ signedIn: SignedIn) async throws {
        guard let address = try await authorizationServer().revocation else { return }
        let answer = try await post(address, [("token", signedIn.refreshToken)])
        guard (200..<300).contains(answer.status) else {
            throw UplinkError.network(
                "Signed out on this device. The server answered \(answer.status) and may not know it yet."
            )
        }
    }
}
