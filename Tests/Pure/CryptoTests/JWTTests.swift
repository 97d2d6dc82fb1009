import Crypto
import JSONBytes
import Testing
import Values

@Suite struct Tokens {
    private static let key = ES256PrivateKey()
    private static let claims: JSONValue = ["iss": "T3A5M8ID01", "iat": 1000, "exp": 2000]

    private static func token(header: String, claims: String = "{}") -> String {
        let parts = [header, claims].map { Base64.encodeURL(Array($0.utf8)) }
        let signed = parts.joined(separator: ".")
        return "\(signed).\(Base64.encodeURL(key.sign(Array(signed.utf8))))"
    }

    private static func read(_ token: String) throws(JWTError) -> JWT {
        try JWT(verifying: token) { unverified in unverified.keyID == "K1" ? key.publicKey : nil }
    }

    /// RFC 7515 appendix A.3 has no kid; its key and signature must still verify.
    @Test func `the signature of the standard verifies`() throws {
        let point = try #require(
            Base64.decodeURL(
                "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
        let other = try #require(
            Base64.decodeURL(
                "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
        let prefix = hexadecimal("3059301306072a8648ce3d020106082a8648ce3d03010703420004")
        let pem =
            "-----BEGIN PUBLIC KEY-----\n\(Base64.encode(prefix + point + other))\n"
            + "-----END PUBLIC KEY-----\n"
        let key = try ES256PublicKey(pem: pem)
        let signed =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGF"
            + "tcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        let signature = try #require(
            Base64.decodeURL(
                "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSA"
                    + "pmWQxfKTUJqPP3-Kg6NU1Q"))
        #expect(key.isValid(signature, for: Array(signed.utf8)))
        #expect(throws: JWTError.missingKeyID) {
            try UnverifiedJWT(parsing: "\(signed).\(Base64.encodeURL(signature))")
        }
    }

    @Test func `a signed token comes back with its claims`() throws {
        let token = JWT.sign(Self.claims.object!, keyID: "K1", with: Self.key)
        let unverified = try UnverifiedJWT(parsing: token)
        #expect(unverified.keyID == "K1")
        #expect(unverified.issuer == "T3A5M8ID01")
        let read = try Self.read(token)
        #expect(read.claims["iss"]?.text == "T3A5M8ID01")
        #expect(try read.expiresAt == Timestamp(milliseconds: 2_000_000))
        #expect(try unverified.verified(by: Self.key.publicKey).keyID == "K1")
    }

    @Test func `another key or a changed byte is noticed`() throws {
        let token = JWT.sign(Self.claims.object!, keyID: "K1", with: Self.key)
        let stranger = JWT.sign(Self.claims.object!, keyID: "K1", with: ES256PrivateKey())
        #expect(throws: JWTError.badSignature) { try Self.read(stranger) }
        let parts = token.split(separator: ".")
        let altered = Base64.encodeURL((["iss": "OTHER"] as JSONValue).bytes)
        #expect(throws: JWTError.badSignature) {
            try Self.read("\(parts[0]).\(altered).\(parts[2])")
        }
        let short = Base64.encodeURL([UInt8](repeating: 1, count: 63))
        #expect(throws: JWTError.badSignature) { try Self.read("\(parts[0]).\(parts[1]).\(short)") }
        #expect(throws: JWTError.badSignature) { try Self.read("\(parts[0]).\(parts[1]).") }
        let unknown = JWT.sign(Self.claims.object!, keyID: "K2", with: Self.key)
        #expect(throws: JWTError.unknownKey) { try Self.read(unknown) }
    }

    @Test(
        arguments: [
            (#"{"alg": "none", "kid": "K1"}"#, JWTError.unsupportedAlgorithm),
            (#"{"alg": "HS256", "kid": "K1"}"#, .unsupportedAlgorithm),
            (#"{"alg": "es256", "kid": "K1"}"#, .unsupportedAlgorithm),
            (#"{"kid": "K1"}"#, .unsupportedAlgorithm),
            (#"{"alg": "ES256"}"#, .missingKeyID),
            (#"{"alg": "ES256", "kid": ""}"#, .missingKeyID),
            (#"{"alg": "ES256", "kid": 1}"#, .missingKeyID),
            (#"{"alg": "ES256", "kid": "K1", "typ": "at+jwt"}"#, .unsupportedType),
            (#"{"alg": "ES256", "kid": "K1", "crit": ["exp"], "exp": 1}"#, .unknownCriticalHeader),
            (#"["ES256"]"#, .malformed),
        ] as [(String, JWTError)])
    func `a header must say ES256 and name a key`(header: String, reason: JWTError) {
        #expect(throws: reason) { try Self.read(Self.token(header: header)) }
    }

    @Test func `typ may be missing or in lower case, and other members do not matter`() throws {
        for header in [
            #"{"alg":"ES256","kid":"K1"}"#, #"{"alg":"ES256","kid":"K1","typ":"jwt"}"#,
            #"{"alg":"ES256","kid":"K1","x":[1]}"#,
        ] {
            #expect(try Self.read(Self.token(header: header)).keyID == "K1")
        }
    }

    @Test(arguments: [
        "", ".", "..", "a.b.c", "e30.e30", "e30.e30.e30.e30", "e30=.e30.AA", "{}.{}.AA",
    ])
    func `anything but a token is malformed`(token: String) {
        #expect(throws: (any Error).self) { try UnverifiedJWT(parsing: token) }
    }

    @Test func `duplicate members and long tokens are refused`() {
        let twice = Base64.encodeURL(Array(#"{"alg":"none","alg":"ES256","kid":"K1"}"#.utf8))
        #expect(throws: JWTError.malformed) { try UnverifiedJWT(parsing: "\(twice).e30.AA") }
        let long = String(repeating: "A", count: 8193)
        #expect(throws: JWTError.tooLong) { try UnverifiedJWT(parsing: long) }
    }

    @Test(
        arguments: [
            (#"{"iat": 1000, "exp": 2000}"#, nil), (#"{"iat": 1000.5, "exp": 2000.5}"#, nil),
            (#"{"iat": 1000, "exp": 1441}"#, nil),
            (#"{"iat": 1000, "exp": 1440}"#, JWTError.expired),
            (#"{"iat": 1560, "exp": 2000}"#, nil),
            (#"{"iat": 1561, "exp": 2000}"#, .issuedInTheFuture),
            (#"{"iat": 1000, "exp": 2000, "nbf": 1700}"#, .issuedInTheFuture),
            (#"{"iat": 1000}"#, .missingClaim("exp")), (#"{"exp": 2000}"#, .missingClaim("iat")),
            (#"{"iat": 1000, "exp": "2000"}"#, .missingClaim("exp")),
            (#"{"iat": 1000, "exp": 1e300}"#, .missingClaim("exp")),
        ] as [(String, JWTError?)])
    func `times are checked with a minute to spare`(claims: String, reason: JWTError?) throws {
        let header = #"{"alg":"ES256","kid":"K1"}"#
        let token = try Self.read(Self.token(header: header, claims: claims))
        var thrown: JWTError?
        do {
            try token.checkTimes(now: Timestamp(milliseconds: 1_500_000))
        } catch {
            thrown = error
        }
        #expect(thrown == reason)
    }
}
