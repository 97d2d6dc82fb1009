import Crypto
import JSONBytes
import Postgres
import School
import Synchronization

/// The keys that sign ID tokens. The database names the one that all processes use; the process keeps it readily
/// parsed.
final class SigningKeys: Sendable {
    struct Key: Sendable {
        let id: String
        let key: ES256PrivateKey
    }

    private let latest = Mutex<Key?>(nil)

    /// The key that signs now. Makes the first, and the next when it is due.
    func current(in database: Database) async throws -> Key {
        for _ in 0..<2 {
            if let row = try await database.query(.currentSigningKey).first {
                if try row.bool("is_due") { try await offerKey(to: database) }
                return try key(row.text("key_id"), row.text("private_key"))
            }
            try await offerKey(to: database)
        }
        throw UnexpectedRow()
    }

    /// The database has no key even though one was offered.
    private struct UnexpectedRow: Error {}

    private func offerKey(to database: Database) async throws {
        let key = ES256PrivateKey()
        _ = try await database.transaction { session in
            try await session.query(.offer(key))
        }
    }

    private func key(_ id: String, _ pem: String) throws -> Key {
        if let known = latest.withLock({ $0 }), known.id == id { return known }
        let key = Key(id: id, key: try ES256PrivateKey(pem: pem))
        latest.withLock { $0 = key }
        return key
    }

    /// The public keys, with which systems verify ID tokens.
    func published(by database: Database) async throws -> [JWK] {
        var rows = try await database.query(.publishedSigningKeys)
        if rows.count == 0 {
            _ = try await current(in: database)
            rows = try await database.query(.publishedSigningKeys)
        }
        return try rows.map { JWK(try ES256PublicKey(pem: $0.text("public_key"))) }
    }
}

extension Statement {
    fileprivate static var currentSigningKey: Statement {
        "select key_id, private_key, is_due from school.current_signing_key()"
    }

    fileprivate static func offer(_ key: ES256PrivateKey) -> Statement {
        """
        select school.offer_signing_key(
                   \(JWK(key.publicKey).keyID), \(key.pem), \(key.publicKey.pem))
        """
    }

    fileprivate static var publishedSigningKeys: Statement {
        "select public_key from school.published_signing_keys()"
    }
}
