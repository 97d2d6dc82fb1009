import JSONBytes
import Testing

@testable import Crypto

@Suite struct ES256Keys {
    @Test func `a signature verifies with the key that made it, and no other`() {
        let key = ES256PrivateKey()
        let message = Array("hello".utf8)
        for _ in 0..<200 {
            let signature = key.sign(message)
            #expect(signature.count == 64)
            #expect(key.publicKey.isValid(signature, for: message))
        }
        let signature = key.sign(message)
        #expect(!key.publicKey.isValid(signature, for: message + [0]))
        #expect(!ES256PrivateKey().publicKey.isValid(signature, for: message))
        #expect(!key.publicKey.isValid(Array(signature.dropLast()), for: message))
        #expect(!key.publicKey.isValid([UInt8](repeating: 0, count: 64), for: message))
        #expect(!key.publicKey.isValid([UInt8](repeating: 0xFF, count: 64), for: message))
    }

    @Test func `keys survive PEM encoding`() throws {
        let key = ES256PrivateKey()
        #expect(key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(key.publicKey.pem.hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
        let again = try ES256PrivateKey(pem: key.pem)
        let publicAgain = try ES256PublicKey(pem: key.publicKey.pem)
        #expect(publicAgain.isValid(again.sign([1, 2, 3]), for: [1, 2, 3]))
        #expect(again.publicKey.pem == publicAgain.pem)
    }

    /// The key of RFC 7515 appendix A.3, whose thumbprint was computed with Python's hashlib.
    @Test func `a public key is published as JSON`() throws {
        let pem = """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
            6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
            -----END PUBLIC KEY-----
            """
        let key = JWK(try ES256PublicKey(pem: pem))
        #expect(key.json["x"] == "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
        #expect(key.json["y"] == "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
        #expect(key.keyID == "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U")
        #expect(key.json["kid"]?.text == key.keyID)
    }

    @Test func `a private key is not a public key, and the other way round`() {
        let key = ES256PrivateKey()
        #expect(throws: KeyError.privateKeyGiven) { try ES256PublicKey(pem: key.pem) }
        #expect(throws: KeyError.notPEM) { try ES256PrivateKey(pem: key.publicKey.pem) }
    }

    @Test(arguments: [Foreign.p384, Foreign.ed25519])
    func `keys of other curves are refused`(pem: String) {
        #expect(throws: KeyError.notP256) { try ES256PublicKey(pem: pem) }
    }

    @Test func `text that is not a key is refused, and an encrypted key without a prompt`() {
        let empty = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"
        for text in ["", "hello", empty, String(repeating: " ", count: 8000)] {
            #expect(throws: KeyError.notPEM) { try ES256PublicKey(pem: text) }
            #expect(throws: KeyError.notPEM) { try ES256PrivateKey(pem: text) }
        }
        #expect(throws: KeyError.notPEM) { try ES256PrivateKey(pem: Foreign.encrypted) }
        let long = String(repeating: " ", count: 9000)
        #expect(throws: KeyError.tooLong) { try ES256PublicKey(pem: long) }
    }

    @Test func `a DER signature has exactly one form`() throws {
        let small = [UInt8](repeating: 0, count: 31) + [1] + [UInt8](repeating: 0xFF, count: 32)
        let encoded = try #require(DERSignature.encode(small))
        #expect(encoded.prefix(7) == [0x30, 38, 2, 1, 1, 2, 33])
        #expect(DERSignature.decode(encoded[...]) == small)
        for length in 0..<encoded.count {
            #expect(DERSignature.decode(encoded.prefix(length)) == nil)
        }
        #expect(DERSignature.decode(encoded + [0]) == nil)
        #expect(DERSignature.encode([1, 2, 3]) == nil)
    }
}

/// Keys that are not for ES256, made with `openssl`.
enum Foreign {
    static let p384 = """
        -----BEGIN PUBLIC KEY-----
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEq2YffHGLDRtDMFRguEa1QXVG3u2cTgX9
        qGJh5MnMWa29o/YruwEFnQp/AQdvwGvDWbYMkn+uOkgijQppPG6ZXDEnYBPBa3NP
        3CnogUrqu14nXT4YS5PbQ6FEWDV8XNy6
        -----END PUBLIC KEY-----
        """
    static let ed25519 = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAqn+8isBBbvA2jNpvf1TwKlRLGyIfpwSNHwE99K9u6dM=
        -----END PUBLIC KEY-----
        """
    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhxJhOMo1cjmAICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEP8VAHcV9FqJc0DEsBE29c4EgZAx
        RgPkPvppXEbmvoAitfcNXKrPeSd2CfURJAeSsuf3yClJzBgKo2vmrCr1Lu1r2pJN
        kKoBlSI0c9lR+Qk5/qwlSiwszhpJyQmHSOTYMELbHXBGxK8whQSgOvArQSmSERMZ
        tgBDHt4hZ4ORt0DgbfbmT+1Gzs6tYtb2fHYUaajRpFQwb5TeSHe/v8eDUmLrcug=
        -----END ENCRYPTED PRIVATE KEY-----
        """
}
