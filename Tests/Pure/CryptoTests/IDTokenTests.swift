import Crypto
import JSONBytes
import Testing
import Values

/// ID tokens of other systems, and what is wrong with those that an attacker sends.
@Suite struct IDTokens {
    private static let issued: Int64 = 1_795_000_000
    private static let now = Timestamp(milliseconds: (issued + 10) * 1000)
    private static let expected = IDToken.Expectation(
        issuer: "https://id.example", clientID: "homeroom", nonce: "n-0S6")

    private static let key = ES256PrivateKey()
    private static let keys = KeySet(["keys": [jwk(key, id: "K1")]])!

    /// The public half of a key as a JSON Web Key.
    private static func jwk(_ key: ES256PrivateKey, id: String) -> JSONValue {
        let lines = key.publicKey.pem.split(separator: "\n").filter { !$0.hasPrefix("-") }
        let point = Base64.decode(lines.joined())!.suffix(64)
        return [
            "kty": "EC", "crv": "P-256", "kid": .text(id),
            "x": .text(Base64.encodeURL(Array(point.prefix(32)))),
            "y": .text(Base64.encodeURL(Array(point.suffix(32)))),
        ]
    }

    private static func claims(_ changes: JSONValue = [:]) -> JSONObject {
        var claims = JSONObject([
            ("iss", "https://id.example"), ("aud", "homeroom"), ("sub", "248289"),
            ("nonce", "n-0S6"), ("iat", .number(JSONNumber(issued))),
            ("exp", .number(JSONNumber(issued + 300))),
        ])
        for change in changes.object!.members {
            claims[change.key] = change.value.isNull ? Optional.none : change.value
        }
        return claims
    }

    private static func unsigned(_ header: JSONValue, _ claims: JSONObject) -> String {
        Base64.encodeURL(header.bytes) + "." + Base64.encodeURL(JSONValue.object(claims).bytes)
    }

    private static func error(
        _ token: String, with keys: KeySet = keys, at now: Timestamp = now
    ) -> IDTokenError? {
        do {
            _ = try IDToken(verifying: token, with: keys, expecting: expected, now: now)
            return nil
        } catch {
            return error
        }
    }

    private static func error(claiming changes: JSONValue) -> IDTokenError? {
        error(JWT.sign(claims(changes), keyID: "K1", with: key))
    }

    @Test func `a token of the issuer for this client says who signed in`() throws {
        let token = try IDToken(
            verifying: JWT.sign(Self.claims(), keyID: "K1", with: Self.key), with: Self.keys,
            expecting: Self.expected, now: Self.now)
        #expect(token.subject == "248289" && token.claims["iss"] == "https://id.example")
    }

    // MARK: Signatures

    @Test(arguments: ["none", "None", "HS256", "HS512", "RS512", "PS256", "ES384", "EdDSA", ""])
    func `a token does not choose another algorithm`(algorithm: String) {
        let signed = Self.unsigned(
            ["alg": .text(algorithm), "kid": "K1"], Self.claims())
        #expect(Self.error("\(signed).") == .unsupportedAlgorithm)
        // The public key as a shared secret, in both of its forms.
        for secret in [Self.key.publicKey.pem, Self.jwk(Self.key, id: "K1")["x"]?.text ?? ""] {
            let code = HMACKey(Array(secret.utf8)).code(for: Array(signed.utf8))
            #expect(
                Self.error("\(signed).\(Base64.encodeURL(code))") == .unsupportedAlgorithm)
        }
    }

    @Test func `only the issuer's own key counts, whatever name the token gives it`() {
        let other = ES256PrivateKey()
        #expect(
            Self.error(JWT.sign(Self.claims(), keyID: "K1", with: other)) == .badSignature)
        #expect(Self.error(JWT.sign(Self.claims(), keyID: "K2", with: other)) == .unknownKey)
        // A key that the token brings along, or says where to find.
        let headers: [JSONValue] = [
            ["alg": "ES256", "kid": "K2", "jwk": Self.jwk(other, id: "K2")],
            ["alg": "ES256", "kid": "K2", "jku": "https://evil.example/keys"],
        ]
        for header in headers {
            let signed = Self.unsigned(header, Self.claims())
            let signature = Base64.encodeURL(other.sign(Array(signed.utf8)))
            #expect(Self.error("\(signed).\(signature)") == .unknownKey)
        }
    }

    @Test func `the signature covers every byte`() {
        let token = JWT.sign(Self.claims(), keyID: "K1", with: Self.key)
        let changed = JWT.sign(Self.claims(["sub": "admin"]), keyID: "K1", with: Self.key)
        let parts = token.split(separator: ".").map(String.init)
        let others = changed.split(separator: ".").map(String.init)
        #expect(Self.error("\(parts[0]).\(others[1]).\(parts[2])") == .badSignature)
        #expect(Self.error("\(parts[0]).\(parts[1]).") == .badSignature)
        #expect(Self.error("\(parts[0]).\(parts[1])") == .malformed)
        #expect(Self.error("\(token).") == .malformed)
        #expect(Self.error("\(token)=") == .malformed)
        #expect(Self.error(String(repeating: "a", count: 16_385)) == .tooLong)
    }

    @Test func `a header that must be understood is refused`() {
        let signed = Self.unsigned(
            ["alg": "ES256", "kid": "K1", "crit": ["b64"], "b64": false], Self.claims())
        let signature = Base64.encodeURL(Self.key.sign(Array(signed.utf8)))
        #expect(Self.error("\(signed).\(signature)") == .unknownCriticalHeader)
    }

    @Test func `without a name the only fitting key counts, and with several none does`() throws {
        let signed = Self.unsigned(["alg": "ES256"], Self.claims())
        let token = "\(signed).\(Base64.encodeURL(Self.key.sign(Array(signed.utf8))))"
        #expect(Self.error(token) == nil)
        let two = try #require(
            KeySet(["keys": [Self.jwk(Self.key, id: "K1"), Self.jwk(ES256PrivateKey(), id: "K2")]]))
        #expect(Self.error(token, with: two) == .unknownKey)
        let twice = try #require(
            KeySet(["keys": [Self.jwk(Self.key, id: "K1"), Self.jwk(ES256PrivateKey(), id: "K1")]]))
        let named = JWT.sign(Self.claims(), keyID: "K1", with: Self.key)
        #expect(Self.error(named, with: twice) == .unknownKey)
    }

    // MARK: Claims

    /// Claims in place of those that fit, and why they do not.
    struct Misfit: Sendable {
        let changes: JSONValue
        let error: IDTokenError

        init(_ changes: JSONValue, _ error: IDTokenError) {
            self.changes = changes
            self.error = error
        }
    }

    @Test(
        arguments: [
            Misfit(["iss": "https://id.example/"], .wrongIssuer),
            Misfit(["iss": "https://ID.example"], .wrongIssuer), Misfit(["iss": nil], .wrongIssuer),
            Misfit(["iss": ["https://id.example"]], .wrongIssuer),
            Misfit(["aud": "other"], .wrongAudience), Misfit(["aud": nil], .wrongAudience),
            Misfit(["aud": []], .wrongAudience), Misfit(["aud": ["other"]], .wrongAudience),
            Misfit(["aud": ["homeroom", "other"]], .wrongAudience),
            Misfit(["aud": ["homeroom", "other"], "azp": "other"], .wrongAudience),
            Misfit(["azp": "other"], .wrongAudience),
            Misfit(["nonce": "n-0S7"], .wrongNonce), Misfit(["nonce": nil], .wrongNonce),
            Misfit(["nonce": ""], .wrongNonce),
            Misfit(["sub": nil], .missingClaim("sub")), Misfit(["sub": ""], .missingClaim("sub")),
            Misfit(["sub": 248289], .missingClaim("sub")),
            Misfit(["sub": "a\u{7}b"], .missingClaim("sub")),
            Misfit(["exp": nil], .missingClaim("exp")), Misfit(["iat": nil], .missingClaim("iat")),
            Misfit(["exp": "1795000300"], .missingClaim("exp")),
            Misfit(["iat": 1e300], .missingClaim("iat")),
            Misfit(["exp": 1_794_999_000], .expired), Misfit(["iat": 1_794_999_000], .tooOld),
            Misfit(["iat": 1_795_000_200], .issuedInTheFuture),
            Misfit(["nbf": 1_795_000_200], .issuedInTheFuture),
        ])
    func `a claim that does not fit`(misfit: Misfit) {
        #expect(Self.error(claiming: misfit.changes) == misfit.error)
    }

    @Test(
        arguments: [
            ["aud": ["homeroom"]], ["aud": ["homeroom", "other"], "azp": "homeroom"],
            ["azp": "homeroom"], ["iat": 1_795_000_100], ["exp": 1_794_999_900],
            ["nbf": 1_795_000_100],
        ] as [JSONValue])
    func `claims that fit, and clocks that differ a little`(changes: JSONValue) {
        #expect(Self.error(claiming: changes) == nil)
    }

    // MARK: RSA, with a key and signatures made by OpenSSL's command

    private static let modulus =
        "zex-QXyOMUnsi6qEx9h-2X58wvhT3Od13aYSPvef7qXiFmEo2RR3j2QnJ2tQrWMbNdFJdRGGczI489Ln"
        + "M4XFtGEnEO6Pbu8UNZuZw88Bqv9WFnIDVaPsFyQSYj2tari94FKnZMqKW2FmtJIQNVPSsbnyeDLhTIXm"
        + "ZOoGzaAK16hSls7GrJvtEXCOQn8LErFucoYkMclviMF30Zkbvv0bAae_1epYClv3IVPvGWA605ZFpDZd"
        + "OypZNsmapq6h03jPcwg2q6b0EXMqL5kFLaGRi8arRwGVcfUcX-1yIa-PIaALGHBybLXzFqQYk978yhiD"
        + "JEXPe8ao3Ke8kCdG15gAuQ"
    private static let weakModulus =
        "wsO0Ujk-t79g-v7A5sUWpq28eQqCXfN0vOnIxsltxz7_c54LVHVbTq5Q8duf9bJhTgu21CAkyUHYkF1b"
        + "n1J7F9NE3aASNVU6-OySdbF_0DmcmWzBjfubkDmWkUGkY19MuqVMlEQp6sbiyN7NJwYqiGMzPAPvsYZf"
        + "r-8TAjpOuhc"
    private static let signed =
        "eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYSIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL2lkLmV"
        + "4YW1wbGUiLCJhdWQiOiJob21lcm9vbSIsInN1YiI6IjI0ODI4OSIsIm5vbmNlIjoibi0wUzYiLCJpYXQ"
        + "iOjE3OTUwMDAwMDAsImV4cCI6MTc5NTAwMDMwMH0"
    private static let signature =
        "T9UyMQKOlMW0rOIRPzSFnbTAbjVHGmIiQPwRzKO-bHoWH3yp9l7yzOrOEeu4Ug27WvxQdNhfezfF7HTk"
        + "QTXfwYKrWkZrQNAR7JRA1Q7uMdjnv9-ar1kDLrkFhtiJLwiuvHC1fihjun8SLnBnlAnh2xMRbEZ-k5we"
        + "iIGK5q1aNNMJg540GHT3zKPWPQzuSjjSU2Z-8mH6QnZHcufXq2X8_RCKYM4kdGK9m9IO6Cy9zUXvCKta"
        + "To5scQ9J6P5SxUS9p8KpACP2crbONJ0GEBLy_HvcokYqIH9zYctiIhg9rTJbmkLd_r__Jj4RITp2gu5z"
        + "wdBgr3x5EFv6M7uUi-x0vw"
    private static let weakSignature =
        "aJqMU8MeNSH3fPDD_PC61tV1CSGctoARcoF4hVDOVbX6PceLoP81jMaMjQi3ArpaLibTEZEyqoVnopzU"
        + "OyaHrWmDQUd-7pKIYhLQNdRKVs_JZAZqdWWqNqmLPW2qpoP5qF4W9ZbMs7PVpMhwWhE95ppeR5f3EQ7q"
        + "sXNNA9FvEe4"

    private static func rsa(_ modulus: String, _ more: JSONValue = [:]) -> JSONValue {
        var jwk = JSONObject([
            ("kty", "RSA"), ("kid", "rsa"), ("n", .text(modulus)), ("e", "AQAB"),
        ])
        for member in more.object!.members { jwk[member.key] = member.value }
        return ["keys": [.object(jwk)]]
    }

    @Test func `a signature with RSA verifies, with no other key and no other bytes`() throws {
        let keys = try #require(KeySet(Self.rsa(Self.modulus, ["use": "sig", "alg": "RS256"])))
        let token = "\(Self.signed).\(Self.signature)"
        #expect(Self.error(token, with: keys) == nil)
        #expect(Self.error(token, with: Self.keys) == .unknownKey)
        let last = Self.signature.hasPrefix("T") ? "U" : "T"
        #expect(
            Self.error("\(Self.signed).\(last)\(Self.signature.dropFirst())", with: keys)
                == .badSignature)
        // Signed by the key of another algorithm under the same name.
        let confused = JWT.sign(Self.claims(), keyID: "rsa", with: Self.key)
        #expect(Self.error(confused, with: keys) == .unknownKey)
    }

    @Test func `a key of RSA that can be broken is none`() throws {
        let weak = try #require(KeySet(Self.rsa(Self.weakModulus)))
        #expect(weak.count == 0)
        #expect(Self.error("\(Self.signed).\(Self.weakSignature)", with: weak) == .unknownKey)
        for exponent in ["AQ", "AAE", "AAAAAQ", "Ag", "", "AAAA", "AQAAAAAAAQ"] {
            let keys = try #require(KeySet(Self.rsa(Self.modulus, ["e": .text(exponent)])))
            #expect(keys.count == 0, "\(exponent)")
        }
    }

    @Test(
        arguments: [
            ["use": "enc"], ["alg": "RS512"], ["alg": "ES256"], ["kty": "oct"], ["n": ""],
            ["key_ops": ["encrypt"]], ["n": "not base64!"],
        ] as [JSONValue])
    func `a key for another use is left out`(more: JSONValue) throws {
        #expect(try #require(KeySet(Self.rsa(Self.modulus, more))).count == 0)
    }

    @Test func `a point that is not on the curve is no key`() throws {
        var jwk = try #require(Self.jwk(Self.key, id: "K1").object)
        jwk["y"] = jwk["x"]
        #expect(try #require(KeySet(["keys": [.object(jwk)]])).count == 0)
        jwk["crv"] = "P-384"
        #expect(try #require(KeySet(["keys": [.object(jwk)]])).count == 0)
        #expect(KeySet(["key": []]) == nil && KeySet("keys") == nil)
        #expect(KeySet(["keys": [1, "two", nil]])?.count == 0)
    }
}
