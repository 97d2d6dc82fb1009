import Crypto
import HTTPClient
import HTTPWire
import JSONBytes
import School
import Synchronization
import Testing
import Values

/// An OpenID Connect issuer that lives in the test, keeps the rules, and breaks those that the test says.
final class FakeIssuer: OutgoingCalls {
    struct State {
        var key = ES256PrivateKey()
        var keyID = "K1"
        /// What of an account at the issuer goes into ID tokens.
        var account = JSONObject()
        /// Changes the claims of an ID token before it is signed.
        var forge: @Sendable (inout JSONObject) -> Void = { _ in }
        /// Replaces the ID token.
        var replace: @Sendable (String) -> String = { $0 }
        /// Replaces answers, by what the path ends with.
        var answers: [String: Result<OutgoingAnswer, OutgoingFailure>] = [:]
        /// Changes what the issuer says about itself.
        var metadata = JSONObject()
        var asked: [String] = []
        /// On whose behalf it was asked, and for how many milliseconds they wait.
        var parties: Set<String?> = []
        var patience: Set<Int?> = []
        /// What was asked for each code.
        var codes: [String: [QueryItem]] = [:]
    }

    let url: String
    private let state: Mutex<State>

    static let clientID = "homeroom at the issuer"
    static let clientSecret = "p+ss:wörd"

    init(_ url: String = "https://id.example") {
        self.url = url
        state = Mutex(State())
    }

    func change(_ change: (inout sending State) -> Void) { state.withLock { change(&$0) } }

    /// The ends of the paths that were asked for.
    var asked: [String] { state.withLock { $0.asked } }

    /// On whose behalf it was asked, and for how many milliseconds they wait.
    var parties: (names: Set<String?>, patience: Set<Int?>) {
        state.withLock { ($0.parties, $0.patience) }
    }

    /// A person signs in at the page of the issuer: what the browser comes back with.
    func visit(_ redirect: String) throws -> (code: String, state: String) {
        let parts = redirect.split(separator: "?", maxSplits: 1)
        #expect(parts.first == "\(url)/authorize")
        let items = try #require(Form.items(Array((parts.last ?? "").utf8)))
        let code = SecureRandom.token()
        state.withLock { $0.codes[code] = items }
        return (code, items.first { $0.name == "state" }?.value ?? "")
    }

    /// What the browser brought with a code.
    func asked(for code: String) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: (state.withLock { $0.codes[code] } ?? [])
                .map { ($0.name, $0.value) })
    }

    func send(_ request: OutgoingRequest) async throws -> OutgoingAnswer {
        try state.withLock { state in
            let end = request.address.rest.split(separator: "/").last.map(String.init) ?? ""
            state.asked.append(end)
            state.parties.insert(request.party)
            state.patience.insert(request.milliseconds)
            if let answer = state.answers[end] { return try answer.get() }
            #expect(request.address.text.hasPrefix(url))
            switch end {
            case "openid-configuration": return Self.answer(.object(metadata(state)))
            case "keys": return Self.answer(["keys": [Self.jwk(state)]])
            case "token": return exchange(request, &state)
            default: return OutgoingAnswer(status: 404, body: [])
            }
        }
    }

    private static func answer(_ document: JSONValue, status: Int = 200) -> OutgoingAnswer {
        OutgoingAnswer(status: status, body: document.bytes)
    }

    private func metadata(_ state: State) -> JSONObject {
        var metadata = JSONObject([
            ("issuer", .text(url)), ("authorization_endpoint", .text("\(url)/authorize")),
            ("token_endpoint", .text("\(url)/token")), ("jwks_uri", .text("\(url)/keys")),
        ])
        for member in state.metadata.members {
            metadata[member.key] = member.value.isNull ? Optional.none : member.value
        }
        return metadata
    }

    private static func jwk(_ state: State) -> JSONValue {
        let lines = state.key.publicKey.pem.split(separator: "\n").filter { !$0.hasPrefix("-") }
        let point = Base64.decode(lines.joined())!.suffix(64)
        return [
            "kty": "EC", "crv": "P-256", "use": "sig", "kid": .text(state.keyID),
            "x": .text(Base64.encodeURL(Array(point.prefix(32)))),
            "y": .text(Base64.encodeURL(Array(point.suffix(32)))),
        ]
    }

    /// Refuses what does not fit to what the browser brought: the client, the redirect URI and the verifier.
    private func exchange(_ request: OutgoingRequest, _ state: inout State) -> OutgoingAnswer {
        let form = Form.items(request.body ?? []) ?? []
        func sent(_ name: String) -> String { form.first { $0.name == name }?.value ?? "" }
        let basic = request.headers.first { $0.name == "Authorization" }?.value
        let pair = Base64.encode(Array("homeroom%20at%20the%20issuer:p%2Bss%3Aw%C3%B6rd".utf8))
        let isClient =
            basic == "Basic \(pair)"
            || sent("client_id") == Self.clientID && sent("client_secret") == Self.clientSecret
        guard isClient else { return Self.answer(["error": "invalid_client"], status: 401) }
        guard let asked = state.codes.removeValue(forKey: sent("code")) else {
            return Self.answer(["error": "invalid_grant"], status: 400)
        }
        func brought(_ name: String) -> String? { asked.first { $0.name == name }?.value }
        let challenge = Base64.encodeURL(SHA256.digest(sent("code_verifier")).bytes)
        guard sent("grant_type") == "authorization_code",
            sent("redirect_uri") == brought("redirect_uri"), challenge == brought("code_challenge"),
            brought("code_challenge_method") == "S256"
        else { return Self.answer(["error": "invalid_grant"], status: 400) }
        let now = Clock.system.now.milliseconds / 1000
        var claims = JSONObject([
            ("iss", .text(url)), ("aud", .text(Self.clientID)),
            ("iat", .number(JSONNumber(now))), ("exp", .number(JSONNumber(now + 300))),
            ("nonce", .text(brought("nonce") ?? "")),
        ])
        for member in state.account.members { claims[member.key] = member.value }
        state.forge(&claims)
        let token = state.replace(JWT.sign(claims, keyID: state.keyID, with: state.key))
        return Self.answer(["access_token": "unused", "id_token": .text(token)])
    }
}
