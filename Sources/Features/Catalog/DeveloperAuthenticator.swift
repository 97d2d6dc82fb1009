import API
import Crypto
import EventLoop
import HTTPServer
import HTTPWire
import Postgres
import School
import Synchronization
import Values

/// Identifies the developer by a signed token of the Catalog API (`spec` of the API: ES256, `kid`, `iss`).
///
/// A token's signature is verified once and remembered until the token expires. Which keys are registered is looked
/// up each time, so that a removed key stops working at once.
final class DeveloperAuthenticator: Sendable {
    /// The longest lifetime of a token.
    private static let longestMilliseconds: Int64 = 60 * 60 * 1000
    private static let leewayMilliseconds: Int64 = 60 * 1000
    private static let maximumEntries = 1000

    /// A token with valid times, and the keys known to verify it.
    private struct Known {
        let token: UnverifiedJWT
        let team: String
        let expiresAt: Timestamp
        var keys: Set<String>
    }

    private let database: Database
    /// Limits tokens that no registered key verifies: a hundred at once, then a hundred a minute.
    private let strangers = AddressLimit(most: 100, secondsPerFailure: 0.6)
    private let known = Mutex<[SHA256Digest: Known]>([:])

    init(database: Database) {
        self.database = database
    }

    /// The developer that the token belongs to: the team and its registrations. Refuses a token that no registered
    /// key verifies, before a long body is read.
    func developer(_ request: Request) async throws -> Developer {
        let (team, rows) = try await registrations(request)
        return Developer(
            team: team,
            registrations: try rows.map {
                Developer.Registration(
                    organizationID: ID(try $0.uuid("organization_id")),
                    bundleIDs: Set(try $0.textArray("bundle_ids")),
                    keyDigest: try $0.bytes("key_digest"),
                    isDevelopment: try $0.bool("is_development"))
            })
    }

    /// The team of the token, and where a key that verifies it is registered.
    private func registrations(_ request: Request) async throws -> (team: String, rows: [Row]) {
        guard let header = request.http.headers["authorization"],
            header.prefix(7).lowercased() == "bearer "
        else { throw CatalogError.notAuthorized("A signed token is needed as Bearer.") }
        let text = String(header.dropFirst(7))
        let digest = SHA256.digest(text)
        let recalled = recall(digest)
        let (entry, rows) = try await verified(recalled ?? read(text), from: request)
        remember(digest, entry)
        return (entry.team, rows)
    }

    /// Where a key that verifies the token is registered; notes it in the token. If there is none, the attempt is
    /// counted, and refused with a time to wait if the address made too many.
    private func verified(_ token: Known, from request: Request) async throws -> (Known, [Row]) {
        var entry = token
        let rows = try await database.query(.developerKeys(entry.team, entry.token.keyID))
        var verified: [Row] = []
        for row in rows {
            let pem = try row.text("public_key")
            if !entry.keys.contains(pem) {
                guard let key = try? ES256PublicKey(pem: pem), entry.token.isSigned(by: key)
                else { continue }
                entry.keys.insert(pem)
            }
            verified.append(row)
        }
        guard !verified.isEmpty else {
            try checkAddress(of: request)
            strangers.count(request.http.clientAddress, now: Loop.current?.now ?? 0)
            let reason = rows.isEmpty ? JWTError.unknownKey : .badSignature
            throw CatalogError.notAuthorized("\(reason)")
        }
        return (entry, verified)
    }

    private func checkAddress(of request: Request) throws {
        let now = Loop.current?.now ?? 0
        if let seconds = strangers.secondsToWait(request.http.clientAddress, now: now) {
            throw CatalogError.tooManyRequests(
                "Too many tokens of this address were wrong; try again later.",
                retryAfterSeconds: seconds)
        }
    }

    private func recall(_ digest: SHA256Digest) -> Known? {
        let now = database.clock.now
        return known.withLock { entries in
            guard let entry = entries[digest], now < entry.expiresAt else { return nil }
            return entry
        }
    }

    private func remember(_ digest: SHA256Digest, _ entry: Known) {
        known.withLock { entries in
            if entries.count >= Self.maximumEntries, entries[digest] == nil {
                entries.removeAll(keepingCapacity: true)
            }
            entries[digest] = entry
        }
    }

    private func read(_ text: String) throws -> Known {
        do {
            let token = try UnverifiedJWT(parsing: text)
            guard let team = token.issuer else { throw JWTError.missingClaim("iss") }
            let now = database.clock.now
            let expiresAt = try token.checkedExpiry(
                now: now, leewayMilliseconds: Self.leewayMilliseconds)
            let latest = now.milliseconds + Self.longestMilliseconds + Self.leewayMilliseconds
            guard expiresAt.milliseconds <= latest else {
                throw CatalogError.notAuthorized("exp is more than 60 minutes ahead.")
            }
            return Known(token: token, team: team, expiresAt: expiresAt, keys: [])
        } catch let error as JWTError {
            throw CatalogError.notAuthorized("\(error)")
        }
    }
}

extension Statement {
    fileprivate static func developerKeys(_ team: String, _ keyID: String) -> Statement {
        """
        select organization_id, public_key, key_digest, bundle_ids, is_development
          from school.find_developer_keys(\(team), \(keyID))
        """
    }
}
