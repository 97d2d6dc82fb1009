import COpenSSL
import JSONBytes

/// The signatures of other systems' tokens that are verified (RFC 7518 section 3.1). There is none with a shared secret,
/// and no "none": a token cannot choose a weaker one.
package enum SignatureAlgorithm: String, Sendable {
    case rs256 = "RS256"
    case es256 = "ES256"
}

/// A public key that another system publishes as a JSON Web Key (RFC 7517): RSA for RS256, or P-256 for ES256.
package final class VerificationKey: @unchecked Sendable {
    /// How the key is named in the header of tokens.
    package let id: String?
    package let algorithm: SignatureAlgorithm
    private let key: OpaquePointer

    private static let modulusBits = 2048...8192

    /// `nil` for a key of another kind, for another use, or too weak.
    package convenience init?(jwk: JSONObject) {
        guard jwk["use"].map({ $0 == "sig" }) ?? true,
            jwk["key_ops"].map({ $0.array?.contains("verify") == true }) ?? true
        else { return nil }
        let made: (algorithm: SignatureAlgorithm, encoded: [UInt8])? =
            switch jwk["kty"]?.text {
            case "RSA": Self.rsa(jwk).map { (.rs256, $0) }
            case "EC": Self.p256(jwk).map { (.es256, $0) }
            default: nil
            }
        guard let made, jwk["alg"].map({ $0.text == made.algorithm.rawValue }) ?? true else {
            return nil
        }
        self.init(id: jwk["kid"]?.text, made.algorithm, encoded: made.encoded)
    }

    /// - Parameter encoded: a SubjectPublicKeyInfo.
    private init?(id: String?, _ algorithm: SignatureAlgorithm, encoded: [UInt8]) {
        defer { ERR_clear_error() }
        let key = encoded.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return d2i_PUBKEY(nil, &next, buffer.count)
        }
        guard let key else { return nil }
        guard algorithm == .es256 || Self.modulusBits.contains(Int(EVP_PKEY_get_bits(key))) else {
            EVP_PKEY_free(key)
            return nil
        }
        self.id = id
        self.algorithm = algorithm
        self.key = key
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// Whether the signature, as in a JSON Web Signature, is valid for the message.
    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        let encoded = algorithm == .es256 ? DERSignature.encode(signature) : signature
        guard let encoded else { return false }
        return isSigned(message, encoded, by: key)
    }

    // MARK: As SubjectPublicKeyInfo (RFC 5280 section 4.1)

    private static func rsa(_ jwk: JSONObject) -> [UInt8]? {
        guard let modulus = jwk["n"]?.text.flatMap(Base64.decodeURL),
            let exponent = jwk["e"]?.text.flatMap(Base64.decodeURL),
            modulus.count <= modulusBits.upperBound / 8 + 1, (1...4).contains(exponent.count),
            exponent.drop(while: { $0 == 0 }) != [1], exponent.last.map({ $0 & 1 == 1 }) == true
        else { return nil }
        let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        let numbers = der(0x30, integer(modulus) + integer(exponent))
        let algorithm = der(0x30, der(0x06, rsaEncryption) + der(0x05, []))
        return der(0x30, algorithm + der(0x03, [0] + numbers))
    }

    private static func p256(_ jwk: JSONObject) -> [UInt8]? {
        guard jwk["crv"] == "P-256", let x = jwk["x"]?.text.flatMap(Base64.decodeURL),
            let y = jwk["y"]?.text.flatMap(Base64.decodeURL), x.count == 32, y.count == 32
        else { return nil }
        let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        let prime256v1: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        let algorithm = der(0x30, der(0x06, ecPublicKey) + der(0x06, prime256v1))
        return der(0x30, algorithm + der(0x03, [0, 4] + x + y))
    }

    private static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        // A leading 1 bit would mean a negative number.
        return der(0x02, digits.first.map { $0 < 0x80 } == true ? digits : [0] + digits)
    }

    private static func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            }
        return [tag] + length + content
    }
}

/// The keys that another system publishes (RFC 7517 section 5).
package struct KeySet: Sendable {
    private static let countLimit = 100
    private let keys: [VerificationKey]

    /// Leaves out keys that cannot verify; `nil` if the document is not a set of keys.
    package init?(_ document: JSONValue) {
        guard let members = document["keys"]?.array else { return nil }
        keys = members.prefix(Self.countLimit).compactMap { member in
            member.object.flatMap { VerificationKey(jwk: $0) }
        }
    }

    /// How many keys can verify.
    package var count: Int { keys.count }

    /// The key of that name for the algorithm. A token may leave out the name if only one key fits.
    package func key(_ id: String?, for algorithm: SignatureAlgorithm) -> VerificationKey? {
        let fitting = keys.filter { $0.algorithm == algorithm && (id == nil || $0.id == id) }
        return fitting.count == 1 ? fitting[0] : nil
    }
}
