import JSONBytes
import Testing
import Values

@testable import Crypto

@Suite struct RS256Keys {
    private static let key = RS256PrivateKey()

    @Test func `a signature verifies with the published key, and no other`() throws {
        let message = Array("hello".utf8)
        let signature = Self.key.sign(message)
        #expect(signature.count == 256)
        let published = try #require(Self.key.publicJWK.object)
        let key = try #require(VerificationKey(jwk: published))
        #expect(key.algorithm == .rs256 && key.isValid(signature, for: message))
        #expect(!key.isValid(signature, for: message + [0]))
        let other = try #require(VerificationKey(jwk: RS256PrivateKey().publicJWK.object!))
        #expect(!other.isValid(signature, for: message))
    }

    @Test func `keys survive PEM encoding`() throws {
        let again = try RS256PrivateKey(pem: Self.key.pem)
        #expect(again.publicJWK == Self.key.publicJWK)
        #expect(again.sign([1, 2, 3]) == Self.key.sign([1, 2, 3]), "PKCS #1 has no random part")
    }

    @Test func `a key is named by its thumbprint`() throws {
        let jwk = Self.key.publicJWK
        let members = #"{"e":"AQAB","kty":"RSA","n":"\#(jwk["n"]?.text ?? "")"}"#
        #expect(jwk["e"] == "AQAB")
        #expect(jwk["kid"]?.text == Base64.encodeURL(SHA256.digest(members).bytes))
    }

    @Test func `keys of other kinds, and no keys, are refused`() {
        #expect(throws: KeyError.notRSA) { try RS256PrivateKey(pem: ES256PrivateKey().pem) }
        #expect(throws: KeyError.notPEM) { try RS256PrivateKey(pem: "nothing") }
        #expect(throws: KeyError.notP256) { try ES256PrivateKey(pem: Self.key.pem) }
    }
}

@Suite struct ClientTokens {
    private static let key = RS256PrivateKey()
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func read(
        _ change: (inout JSONObject) -> Void = { _ in }
    ) throws -> ClientToken {
        var claims = JSONObject([
            ("iss", "tool"), ("sub", "tool"), ("aud", "here"), ("jti", "once"),
            ("iat", 1_800_000_000), ("exp", 1_800_000_060),
        ])
        change(&claims)
        let keys = try #require(KeySet(["keys": [Self.key.publicJWK]]))
        let text = JWT.sign(
            claims, keyID: Self.key.publicJWK["kid"]?.text ?? "", with: Self.key)
        return try ClientToken(
            verifying: text, with: keys, of: "tool", for: ["here", "there"], onceClaim: "jti",
            now: Self.now)
    }

    @Test func `a right token is read, and says until when it has to be remembered`() throws {
        let token = try read()
        #expect(token.onceID == "once")
        #expect(token.expiresAt.milliseconds == 1_800_000_180_000)
        #expect(try read { $0["aud"] = ["other", "there"] }.onceID == "once")
        #expect(try read { $0["aud"] = "here/" }.onceID == "once")
        #expect(try read { $0["sub"] = Optional.none }.onceID == "once")
    }

    @Test(
        arguments: [
            ("iss", "other", .wrongIssuer), ("sub", "other", .wrongIssuer),
            ("aud", "elsewhere", .wrongAudience), ("aud", [], .wrongAudience),
            ("exp", 1_799_999_000, .expired), ("iat", 1_799_990_000, .tooOld),
            ("iat", 1_800_001_000, .issuedInTheFuture), ("exp", 1_800_009_000, .livesTooLong),
            ("jti", "", .missingClaim("jti")), ("jti", 7, .missingClaim("jti")),
        ] as [(String, JSONValue, IDTokenError)])
    func `a token that breaks a rule is refused with the reason`(
        claim: String, value: JSONValue, error: IDTokenError
    ) {
        #expect(throws: error) { try read { $0[claim] = value } }
    }

    @Test func `the claimed client of a token is only a claim`() {
        #expect(ClientToken.claimedIssuer(of: "a.b") == nil)
        let claims: JSONValue = ["iss": "tool"]
        #expect(
            ClientToken.claimedIssuer(of: "x.\(Base64.encodeURL(claims.bytes)).y") == "tool")
    }
}
