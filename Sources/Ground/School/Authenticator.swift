import API
import Crypto
import EventLoop
import Postgres
import Values

/// Turns access tokens into callers.
package final class Authenticator: Sendable {
    private let database: Database
    private let caches: [TokenCache]
    private let limit: RequestLimit<AllowanceOwner>
    /// Limits tokens that never existed: a hundred at once, then a hundred a minute.
    private let strangers = AddressLimit(most: 100, secondsPerFailure: 0.6)
    /// One per loop: finds the real tokens among those sent from addresses that have used up that limit.
    private let sieves: [TokenSieve]

    /// - Parameters:
    ///   - caches: one for each loop, in the order of the loops' indices.
    ///   - limit: how much a caller may ask for; unlimited by default.
    package init(
        database: Database, caches: [TokenCache],
        limit: RequestLimit<AllowanceOwner> = RequestLimit(requestsPerSecond: 0)
    ) {
        self.database = database
        self.caches = caches
        self.limit = limit
        sieves = caches.map { _ in TokenSieve(database) }
    }

    /// The caller of an `Authorization` header, with the allowance that the cost was taken from. Throws 401 for
    /// anything but a valid token, and 429 for a caller that asks too much or an address that sent too many invalid
    /// tokens.
    ///
    /// The database is asked each time whether the password must be changed first, because another process may have
    /// just changed it.
    package func caller(
        authorization header: String?, from address: String, cost: Int = 1
    ) async throws -> Caller {
        guard let digest = header.flatMap(Self.bearerDigest), let loop = Loop.current else {
            throw Problem.unauthenticated
        }
        let moment = database.clock.now
        let cache = caches[loop.index]
        if let known = cache.known(digest, at: moment) {
            try known.allowance.take(cost, now: loop.now)
            return known.caller.limited(by: known.allowance)
        }
        let earlier = limit.allowance(ofKnown: digest)
        if let earlier {
            try earlier.take(cost, now: loop.now)
        } else if let seconds = strangers.secondsToWait(address, now: loop.now),
            try await !sieves[loop.index].isToken(digest)
        {
            throw Problem.tooManyUnknownTokens(retryAfterSeconds: seconds)
        }
        let generation = cache.generation
        let rows = try await database.query(.identify(digest.bytes))
        guard rows.count == 1 else { throw try await refusal(of: digest, from: address) }
        let row = rows[0]
        if try row.bool("awaits_use"),
            try await database.query(.noteFirstUse(digest.bytes)).first?.bool("is_valid") != true
        {
            throw Problem.invalidToken
        }
        let caller = try Self.caller(from: row, digest)
        let allowance = limit.allowance(of: .init(caller), holding: digest, now: loop.now)
        if !caller.mustChangePassword {
            cache.keep(
                caller, allowance, for: digest, until: try row.timestamp("expires_at"),
                readDuring: generation)
        }
        if allowance !== earlier { try allowance.take(cost, now: loop.now) }
        return caller.limited(by: allowance)
    }

    /// A 401. It counts against the address unless the token is a former one, as when a class set of devices wakes up
    /// in the morning.
    private func refusal(
        of digest: SHA256Digest, from address: String
    ) async throws -> Problem {
        let rows = try await database.query(.isFormerToken(digest.bytes))
        if try rows.first?.bool("is_former") != true {
            strangers.count(address, now: Loop.current?.now ?? 0)
        }
        return .invalidToken
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
            // One space or several (RFC 9110 section 11.4).
            guard let start = bytes[7...].firstIndex(where: { $0 != UInt8(ascii: " ") }) else {
                return nil
            }
            let raw = UnsafeRawBufferPointer(bytes)
            return SHA256.digest(UnsafeRawBufferPointer(rebasing: raw[start...]))
        }
    }

    private static func caller(from row: Row, _ digest: SHA256Digest) throws -> Caller {
        let words = try row.textArray("standings")
        return Caller(
            organizationID: ID(try row.uuid("organization_id")),
            personID: try row.optionalUUID("person_id").map { ID($0) },
            serviceAccountID: try row.optionalUUID("service_account_id").map { ID($0) },
            standings: words.compactMap(Standing.init(rawValue:)),
            app: try row.optionalText("app"),
            environment: Environment(rawValue: try row.text("environment")) ?? .production,
            mustChangePassword: try row.bool("must_change_password"),
            scopes: try row.isNull("scopes") ? nil : try row.textArray("scopes"),
            sessionID: try row.optionalUUID("session_id"), tokenID: Caller.tokenID(of: digest),
            expiresAt: try row.timestamp("expires_at"))
    }
}

extension Statement {
    /// Who a token speaks for, if it is valid now.
    fileprivate static func identify(_ digest: [UInt8]) -> Statement {
        """
        select organization_id, person_id, service_account_id, standings, app, environment,
               must_change_password, expires_at, session_id, awaits_use, scopes
          from school.identify(\(digest))
        """
    }

    /// Records the first use of a token; false if it was replaced in the meantime.
    fileprivate static func noteFirstUse(_ digest: [UInt8]) -> Statement {
        "select school.note_first_use(\(digest)) as is_valid"
    }

    /// Whether an invalid token was valid in the last thirty days.
    fileprivate static func isFormerToken(_ digest: [UInt8]) -> Statement {
        "select school.is_former_token(\(digest)) as is_former"
    }
}
