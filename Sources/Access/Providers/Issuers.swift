import API
import Crypto
import HTTPClient
import JSONBytes
import School
import Synchronization
import Values

/// What is known of the issuers of sign-in providers: they are asked once an hour, and when a token has an unknown key.
final class Issuers: Sendable {
    struct Known: Sendable {
        let metadata: IssuerMetadata
        let keys: KeySet
        let learnedAt: Timestamp
    }

    /// An issuer that failed is not asked again at once, so that it is not flooded, and nobody waits for it in vain.
    private enum Entry: Sendable {
        case known(Known)
        case failed(Problem, at: Timestamp)
    }

    private static let hour: Int64 = 3_600_000
    private static let pauseAfterFailure: Int64 = 10_000
    /// New keys are looked for at most this often, whatever tokens name.
    private static let pauseForKeys: Int64 = 60_000
    private static let countLimit = 10_000

    private let client: any OutgoingCalls
    private let clock: @Sendable () -> Timestamp
    private let entries = Mutex<[String: Entry]>([:])
    /// When new keys of each issuer were last looked for.
    private let searches = Mutex<[String: Int64]>([:])

    init(client: any OutgoingCalls, clock: @escaping @Sendable () -> Timestamp = { Clock.now }) {
        self.client = client
        self.clock = clock
    }

    /// What is known of an issuer; asks it if that is nothing, or old.
    func find(_ issuer: String) async throws -> Known {
        let now = clock().milliseconds
        switch entries.withLock({ $0[issuer] }) {
        case .known(let known) where now - known.learnedAt.milliseconds < Self.hour: return known
        case .failed(let problem, let at) where now - at.milliseconds < Self.pauseAfterFailure:
            throw problem
        default: return try await learn(issuer)
        }
    }

    /// The issuer with the keys that it has by now; `nil` if they were looked for a moment ago.
    func refreshed(_ known: Known) async throws -> Known? {
        let (issuer, now) = (known.metadata.issuer, clock().milliseconds)
        if case .known(let newer) = entries.withLock({ $0[issuer] }),
            newer.learnedAt > known.learnedAt
        {
            return newer
        }
        let isDue = searches.withLock { searches in
            if let last = searches[issuer], now - last < Self.pauseForKeys { return false }
            if searches.count >= Self.countLimit { searches.removeAll() }
            searches[issuer] = now
            return true
        }
        return isDue ? try await learn(issuer) : nil
    }

    /// Asks an issuer, whatever is known.
    func learn(_ issuer: String) async throws -> Known {
        do {
            let known = try await asking { try await ask(issuer) }
            keep(.known(known), of: issuer)
            return known
        } catch let problem as Problem where problem.status == 502 {
            keep(.failed(problem, at: clock()), of: issuer)
            throw problem
        }
    }

    private func keep(_ entry: Entry, of issuer: String) {
        entries.withLock { entries in
            if entries.count >= Self.countLimit { entries.removeAll() }
            entries[issuer] = entry
        }
    }

    private func ask(_ issuer: String) async throws -> Known {
        // A slash at the end is part of the name, but not doubled (OpenID Connect Discovery 1.0 section 4.1).
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let document = try await document(base + "/.well-known/openid-configuration")
        let metadata = try IssuerMetadata(document, of: issuer)
        guard let keys = KeySet(try await self.document(metadata.keys.text)), keys.count > 0 else {
            throw Problem.providerFailed("It publishes no key for RS256 or ES256.")
        }
        return Known(metadata: metadata, keys: keys, learnedAt: clock())
    }

    private func document(_ text: String) async throws -> JSONValue {
        guard let address = WebAddress(text) else { throw Problem.unfitIssuer }
        let answer = try await client.send(
            OutgoingRequest(address, headers: [("Accept", "application/json")]))
        guard answer.status == 200 else {
            throw Problem.providerFailed("\(address) answers \(answer.status).")
        }
        guard let document = try? JSONValue(parsing: answer.body) else {
            throw Problem.providerFailed("\(address) does not answer JSON.")
        }
        return document
    }

    /// The ID token for a code.
    func exchange(
        _ code: String, at metadata: IssuerMetadata, for client: (id: String, secret: String),
        _ attempt: ProviderAttempt, redirectURI: String
    ) async throws -> String {
        var items = [
            (name: "grant_type", value: "authorization_code"), (name: "code", value: code),
            (name: "redirect_uri", value: redirectURI),
            (name: "code_verifier", value: attempt.verifier),
        ]
        var headers = [
            (name: "Accept", value: "application/json"),
            (name: "Content-Type", value: "application/x-www-form-urlencoded"),
        ]
        if metadata.takesSecretInForm {
            items += [("client_id", client.id), ("client_secret", client.secret)]
        } else {
            let pair = "\(percentEncode(client.id)):\(percentEncode(client.secret))"
            headers.append(("Authorization", "Basic \(Base64.encode(Array(pair.utf8)))"))
        }
        let request = OutgoingRequest(
            metadata.token, headers: headers, body: Array(FormText.encoded(items).utf8))
        let answer = try await asking { try await self.client.send(request) }
        let document = try? JSONValue(parsing: answer.body)
        guard answer.status == 200, let token = document?["id_token"]?.text else {
            // The code was used before, or is too old: nothing is wrong with the provider.
            if document?["error"] == "invalid_grant" { throw Problem.signInNotBegun }
            throw Problem.providerFailed(Self.refusal(answer.status, document))
        }
        return token
    }

    private static func refusal(_ status: Int, _ document: JSONValue?) -> String {
        switch document?["error"]?.text {
        case "invalid_client", "unauthorized_client":
            "It refuses the client id or the client secret."
        default: "It answers \(status) without an ID token to a code."
        }
    }

    /// Runs what asks a provider, and says what went wrong as a problem.
    func asking<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let failure as OutgoingFailure {
            throw failure == .busy
                ? Problem.providersBusy(failure.description)
                : Problem.providerFailed(failure.description)
        } catch let unfit as IssuerMetadata.Unfit {
            throw Problem.providerFailed(unfit.description)
        }
    }
}
