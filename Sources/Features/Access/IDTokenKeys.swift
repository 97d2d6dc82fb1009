import Crypto
import JSONBytes
import Postgres
import School
import Values

/// How ID tokens are signed (RFC 7518 section 3.1). Every relying party can verify RS256 (OpenID Connect Core section
/// 15.1), so that is what a new system gets.
enum IDTokenAlgorithm: String, CaseIterable, Sendable {
    case rs256 = "RS256"
    case es256 = "ES256"
}

/// The keys that sign ID tokens, of both kinds.
struct IDTokenKeys: Sendable {
    /// Signs the claims of an ID token.
    typealias Signer = @Sendable (JSONObject) async throws -> String

    private let rsa = SigningKeys<RS256PrivateKey>(for: .idTokensRS256)
    private let curve = SigningKeys<ES256PrivateKey>(for: .idTokens)

    /// What signs for a connected system, with the key of now.
    func signer(for system: UUID?, in database: Database) async throws -> Signer {
        let row = try await database.query(.idTokenAlgorithm(of: system)).first
        switch try row?.optionalText("algorithm").flatMap(IDTokenAlgorithm.init) ?? .rs256 {
        case .rs256: return try await Self.signer(rsa, database)
        case .es256: return try await Self.signer(curve, database)
        }
    }

    private static func signer(
        _ keys: SigningKeys<some SigningKey>, _ database: Database
    ) async throws -> Signer {
        let key = try await keys.current(in: database)
        return { claims in try await keys.sign(claims, with: key) }
    }

    /// Those of both kinds in one key set. RS256 stands first, for systems that look at no key id.
    func published(by database: Database) async throws -> JSONValue {
        let sets = [
            try await rsa.published(by: database), try await curve.published(by: database),
        ]
        return ["keys": .array(sets.flatMap { $0["keys"]?.array ?? [] })]
    }
}

extension Statement {
    fileprivate static func idTokenAlgorithm(of system: UUID?) -> Statement {
        "select school.id_token_algorithm(\(system)) as algorithm"
    }
}
