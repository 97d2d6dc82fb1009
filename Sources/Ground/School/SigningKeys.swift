import Crypto
import EventLoop
import JSONBytes
import Postgres
import Synchronization

/// What the deployment signs with keys of its own, in the words of the table `signing_key`. Each has its own keys, so
/// that nothing that was signed for one can pass as the other.
package enum SigningPurpose: String, Sendable {
    /// ID tokens for connected systems that verify ES256.
    case idTokens
    /// The same for those that verify RS256.
    case idTokensRS256
    /// Messages to tools.
    case toolMessages
}

/// The keys that sign for one purpose. The database names the one that all processes use; the process keeps it readily
/// parsed.
package final class SigningKeys<PrivateKey: SigningKey>: Sendable {
    package struct Key: Sendable {
        /// The thumbprint of the public half, as tokens name it.
        package let id: String
        package let key: PrivateKey
    }

    private let purpose: SigningPurpose
    private let latest = Mutex<Key?>(nil)
    /// Making an RSA key takes up to a second.
    private let threads = BlockingThreads(count: 1, queueLimit: 100)
    /// Not the same thread, so that nobody who signs in waits for a key to be made.
    private let signers = BlockingThreads(count: 1, queueLimit: 1000)

    package init(for purpose: SigningPurpose) {
        self.purpose = purpose
    }

    /// The key that signs now. Makes the first, and the next when it is due.
    package func current(in database: Database) async throws -> Key {
        for _ in 0..<2 {
            if let row = try await database.query(.currentSigningKey(for: purpose)).first {
                if try row.bool("is_due") { try await offerKey(to: database) }
                return try key(row.text("key_id"), row.text("private_key"))
            }
            try await offerKey(to: database)
        }
        throw NoSigningKey()
    }

    /// Signs claims; where a signature takes long, beside the event loop.
    package func sign(_ claims: JSONObject, with key: Key) async throws -> String {
        guard PrivateKey.isSlow else { return JWT.sign(claims, keyID: key.id, with: key.key) }
        return try await signers.run { JWT.sign(claims, keyID: key.id, with: key.key) }
    }

    private func offerKey(to database: Database) async throws {
        let key = try await threads.run { PrivateKey() }
        _ = try await database.transaction { session in
            try await session.query(.offer(key.pem, key.publicJWK, for: self.purpose))
        }
    }

    private func key(_ id: String, _ pem: String) throws -> Key {
        if let known = latest.withLock({ $0 }), known.id == id { return known }
        let key = Key(id: id, key: try PrivateKey(pem: pem))
        latest.withLock { $0 = key }
        return key
    }

    /// The public keys as a key set (RFC 7517 section 5), with which others verify what was signed: those that sign,
    /// will sign from tomorrow on, or signed until yesterday.
    package func published(by database: Database) async throws -> JSONValue {
        var rows = try await database.query(.publishedSigningKeys(for: purpose))
        if rows.count == 0 {
            _ = try await current(in: database)
            rows = try await database.query(.publishedSigningKeys(for: purpose))
        }
        let keys = try rows.map { try JSONValue(parsing: Array($0.text("public_key").utf8)) }
        return ["keys": .array(keys)]
    }
}

/// The database has no key even though one was offered.
private struct NoSigningKey: Error {}

extension Statement {
    fileprivate static func currentSigningKey(for purpose: SigningPurpose) -> Statement {
        """
        select key_id, private_key, is_due from school.current_signing_key(\(purpose.rawValue))
        """
    }

    fileprivate static func offer(
        _ pem: String, _ publicJWK: JSONValue, for purpose: SigningPurpose
    ) -> Statement {
        """
        select school.offer_signing_key(
                   \(purpose.rawValue), \(publicJWK["kid"]?.text), \(pem),
                   \(JSONDocument(publicJWK.bytes)))
        """
    }

    fileprivate static func publishedSigningKeys(for purpose: SigningPurpose) -> Statement {
        """
        select public_key::text as public_key from school.published_signing_keys(\(purpose.rawValue))
        """
    }
}
