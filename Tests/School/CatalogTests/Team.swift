import API
import Crypto
import HTTPWire
import JSONBytes
import School
import TestKit
import Testing
import Values

/// A developer team with a key of its own.
struct Team {
    var id = "T3A5M8ID01"
    let keyID = "K7Q2M9X4ZT"
    let key = ES256PrivateKey()
    var bundleIDs = ["org.example.rivermaths"]

    var document: JSONValue {
        [
            "teamId": .text(id), "name": "River Maths Ltd",
            "bundleIds": .array(bundleIDs.map(JSONValue.text)),
            "keys": [["keyId": .text(keyID), "publicKey": .text(key.publicKey.pem)]],
        ]
    }

    /// A token that is valid for a call, unless a claim is replaced.
    func token(
        issuer: String? = nil, minutes: Int64 = 20, issuedBefore seconds: Int64 = 0,
        keyID: String? = nil, key: ES256PrivateKey? = nil, now moment: Timestamp = Clock.system.now
    ) -> String {
        let now = moment.milliseconds / 1000
        let claims = JSONObject([
            ("iss", .text(issuer ?? id)), ("iat", JSONValue(integerLiteral: now - seconds)),
            ("exp", JSONValue(integerLiteral: now - seconds + minutes * 60)),
            ("jti", "5b0e3f1c-6a52-4f1e-9d5d-2f4f0f8a9c11"),
        ])
        return JWT.sign(claims, keyID: keyID ?? self.keyID, with: key ?? self.key)
    }

    /// A context of the team's first app.
    func context(
        _ path: [String], _ title: String, locale: String = "en-gb",
        data: [(String, JSONValue)] = [], metadata: [(String, JSONValue)] = []
    ) -> JSONValue {
        let full = [bundleIDs[0]] + path
        let needed: [(String, JSONValue)] = [
            ("identifierPath", .array(full.map(JSONValue.text))), ("title", .text(title)),
            ("type", path.isEmpty ? "app" : "quiz"),
        ]
        let rest = needed.filter { field in !data.contains { $0.0 == field.0 } }
        return [
            "data": .object(JSONObject(rest + data)),
            "metadata": .object(JSONObject([("locale", .text(locale))] + metadata)),
        ]
    }
}

extension TestSchool {
    /// Registers the team at Hillside.
    func register(_ team: Team) async throws {
        let answer = try await post("/v1/developer-teams", as: .ada, json: team.document)
        #expect(answer.status == 201)
    }

    func publish(
        _ contexts: [JSONValue], token: String, environment: String = "production"
    ) async throws -> Answer {
        try await send(
            "POST", "/v1/contexts?environment=\(environment)", token: token,
            body: (["contexts": .array(contexts)] as JSONValue).bytes)
    }

    func context(
        _ path: [String], locale: String = "en-gb", token: String, method: String = "GET",
        environment: String = "production"
    ) async throws -> Answer {
        let document = JSONValue.array(path.map(JSONValue.text)).description
        return try await send(
            method == "GET" ? .get : .delete,
            "/v1/contexts?environment=\(environment)&locale=\(locale)"
                + "&identifierPath=\(percentEncode(document))", token: token)
    }
}
