import API
import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// A connected system as it was shown when it was registered.
struct MadeSystem {
    let id: String
    let secret: String

    var basic: (String, String) {
        ("Authorization", "Basic " + Base64.encode(Array("\(id):\(secret)".utf8)))
    }
}

extension TestSchool {
    static let callback = "https://library.example/callback?shelf=1"

    /// - Parameter more: what else it is registered with, such as `requiresPkce`.
    func registerSystem(
        scopes: [String] = ["profile", "roles", "classes"], as persona: Persona = .ada,
        _ more: [String: JSONValue] = [:]
    ) async throws -> MadeSystem {
        let answer = try await post(
            "/v1/connected-systems", as: persona,
            json: .object(
                JSONObject(
                    [
                        ("name", "Library"), ("redirectUris", [.text(Self.callback)]),
                        ("scopes", .array(scopes.map(JSONValue.text))),
                    ] + more.map { ($0.key, $0.value) })))
        try #require(answer.status == 201, "\(answer.text)")
        return MadeSystem(
            id: answer.json["clientId"]?.text ?? "", secret: answer.json["clientSecret"]?.text ?? ""
        )
    }

    /// Asks for a code for a system, or with `/check` what would happen.
    func authorization(
        _ path: String = "", for system: MadeSystem, by signedIn: SignedIn,
        _ more: [String: JSONValue] = [:]
    ) async throws -> Answer {
        let own: [String: JSONValue] = [
            "clientId": .text(system.id), "redirectUri": .text(Self.callback),
            "scope": "openid profile roles classes email", "state": "s t", "nonce": "once",
        ]
        return try await authorization(path, by: signedIn, own.merging(more) { $1 })
    }

    /// Exchanges a code for tokens.
    func exchange(
        _ code: String, as system: MadeSystem, _ fields: [String: String] = [:],
        headers: [(String, String)]? = nil
    ) async throws -> Answer {
        let form = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": Self.callback,
            "code_verifier": Self.verifier,
        ].merging(fields) { $1 }.filter { !$0.value.isEmpty }
        return try await askForToken(
            form.map { "\($0.key)=\(percentEncode($0.value))" }.joined(separator: "&"),
            headers: headers ?? [system.basic])
    }

    func refresh(_ token: String, as system: MadeSystem) async throws -> Answer {
        try await askForToken(
            "grant_type=refresh_token&refresh_token=\(token)", headers: [system.basic])
    }

    /// The tokens of a person for a system, from the question to the exchange.
    func signIn(
        _ signedIn: SignedIn, to system: MadeSystem, _ more: [String: JSONValue] = [:]
    ) async throws -> Answer {
        let allowed = try await authorization(for: system, by: signedIn, more)
        let answer = try await exchange(try code(in: allowed), as: system)
        try #require(answer.status == 200, "\(answer.text)")
        return answer
    }

    /// The claims of an ID token, verified with the key that the deployment keeps under the name that it says.
    func claims(of answer: Answer) throws -> JSONObject {
        let token = try #require(answer.json["id_token"]?.text)
        return try claims(ofToken: token)
    }

    func claims(ofToken token: String) throws -> JSONObject {
        let parts = token.split(separator: ".").map(String.init)
        let header = try part(parts[0])
        let row = try #require(
            try sql(
                """
                select public_key::text as key from school.signing_key
                 where key_id = \(header["kid"]?.text) and purpose like 'idTokens%'
                """
            ).first)
        let jwk = try JSONValue(parsing: Array(row.text("key").utf8)).object ?? JSONObject()
        let key = try #require(VerificationKey(jwk: jwk))
        #expect(header["alg"] == jwk["alg"])
        #expect(
            key.isValid(
                Base64.decodeURL(parts[2]) ?? [], for: Array("\(parts[0]).\(parts[1])".utf8)))
        return try part(parts[1])
    }

    /// A part of a token.
    private func part(_ text: String) throws -> JSONObject {
        try JSONValue(parsing: Base64.decodeURL(text) ?? []).object ?? JSONObject()
    }

    /// How the ID token of an answer is signed.
    func algorithm(of answer: Answer) throws -> JSONValue? {
        try header(of: answer)["alg"]
    }

    func header(of answer: Answer) throws -> JSONObject {
        let token = try #require(answer.json["id_token"]?.text)
        return try part(String(token.prefix { $0 != "." }))
    }

    func userinfo(_ token: String, _ method: HTTPMethod = .get) async throws -> Answer {
        try await send(method, "/oauth/userinfo", token: token)
    }
}
