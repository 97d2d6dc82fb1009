import COpenSSL

/// Password hashing by scrypt (RFC 7914) with N = 2^15, r = 8, p = 1.
///
/// One derivation takes about 140 ms and 32 MiB, so never run it on a loop, and run one at a time. A password
/// is the UTF-8 of what was typed; callers limit its length.
package enum Scrypt {
    /// Makes the record to store: `$scrypt$ln=15,r=8,p=1$salt$hash`.
    package static func hash(_ password: String) -> String {
        let salt = SecureRandom.bytes(16)
        let hash = derive(Array(password.utf8), salt: salt)
        return "\(prefix)\(Base64.encodeUnpadded(salt))$\(Base64.encodeUnpadded(hash))"
    }

    /// Whether the record was made from the password.
    ///
    /// Each call derives once, so that the time does not reveal a malformed or missing record (`nil`: for an
    /// unknown managed ID).
    package static func verify(_ password: String, against record: String?) -> Bool {
        let parts = record.flatMap(parse)
        let hash = derive(Array(password.utf8), salt: parts?.salt ?? decoySalt)
        return equalInConstantTime(hash, parts?.hash ?? [])
    }

    /// The key of a password: 32 bytes.
    package static func derive(_ password: [UInt8], salt: [UInt8]) -> [UInt8] {
        derive(password, salt: salt, logN: 15, length: 32)
    }

    static func derive(_ password: [UInt8], salt: [UInt8], logN: UInt64, length: Int) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: length)
        // OpenSSL treats a null address as no password; an empty one is still a password.
        let terminated = password.map { CChar(bitPattern: $0) } + [0]
        let status = EVP_PBE_scrypt(
            terminated, password.count, salt, salt.count, 1 << logN, 8, 1, 64 << 20, &key, length)
        precondition(status == 1, "OpenSSL has no memory for scrypt")
        return key
    }

    private static let prefix = "$scrypt$ln=15,r=8,p=1$"
    private static let decoySalt = SecureRandom.bytes(16)

    private static func parse(_ record: String) -> (salt: [UInt8], hash: [UInt8])? {
        guard record.hasPrefix(prefix) else { return nil }
        let parts = record.utf8.dropFirst(prefix.utf8.count)
            .split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        guard parts.count == 2, let salt = Base64.decodeUnpadded(parts[0]), salt.count == 16,
            let hash = Base64.decodeUnpadded(parts[1]), hash.count == 32
        else { return nil }
        return (salt, hash)
    }
}
