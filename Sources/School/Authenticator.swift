import Crypto
import EventLoop
import Postgres
import Values

/// Turns access tokens into callers.
package final class Authenticator: Sendable {
    private let database: Database
    private let caches: [TokenCache]

    /// - Parameter caches: one for each loop, in the order of the loops' indices.
    package init(database: Database, caches: [TokenCache]) {
        self.database = database
        self.caches = caches
    }

    /// The caller of an `Authorization` header; 401 for anything but a token that is valid now.
    package func caller(authorization header: String?) async throws -> Caller {
        guard let digest = header.flatMap(Self.bearerDigest), let loop = Loop.current else {
            throw Problem.unauthenticated
        }
        let moment = Clock.now
        let cache = caches[loop.index]
        if let caller = cache.caller(for: digest, at: moment) { return caller }
        let generation = cache.generation
        let rows = try await database.query(.identify(digest.bytes))
        guard rows.count == 1 else { throw Problem.unauthenticated }
        let row = rows[0]
        let caller = try Self.caller(from: row)
        cache.keep(
            caller, for: digest, until: try row.timestamp("expires_at"), readDuring: generation)
        return caller
    }

    /// The digest of the token in `Bearer TOKEN`, the scheme in any case (RFC 9110 section 11.1).
    private static func bearerDigest(_ header: String) -> SHA256Digest? {
        let scheme: StaticString = "bearer"
        var header = header
        return header.withUTF8 { bytes in
            guard bytes.count > 7, bytes.count < 512, bytes[6] == UInt8(ascii: " ") else {
                return nil
            }
            for position in 0..<6 {
                guard bytes[position] | 0x20 == scheme.utf8Start[position] else { return nil }
            }
            let raw = UnsafeRawBufferPointer(bytes)
            return SHA256.digest(UnsafeRawBufferPointer(rebasing: raw[7...]))
        }
    }

    private static func caller(from row: Row) throws -> Caller {
        let words = try row.textArray("standings")
        return Caller(
            organizationID: ID(try row.uuid("organization_id")),
            personID: try row.optionalUUID("person_id").map { ID($0) },
            standings: words.compactMap(Standing.init(rawValue:)),
            app: try row.optionalText("app"),
            environment: Environment(rawValue: try row.text("environment")) ?? .production,
            mustChangePassword: try row.bool("must_change_password"))
    }
}

extension Statement {
    /// Who a token speaks for, if it is valid now.
    fileprivate static func identify(_ digest: [UInt8]) -> Statement {
        """
        select organization_id, person_id, standings, app, environment, must_change_password, expires_at
          from school.identify(\(digest))
        """
    }
}
