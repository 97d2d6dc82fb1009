import Crypto
import Postgres
import Values

/// A secret of a school as it is stored: encrypted with a key that is not in the database, and bound to what it is for.
package struct SealedSecret: Sendable {
    package let bytes: [UInt8]
    /// Names the key without giving it away.
    package let keyID: String

    /// - Parameter context: what the secret belongs to; in another row, it does not open.
    package init(_ secret: [UInt8], for context: [UInt8], with key: SealingKey) {
        bytes = key.seal(secret, for: context)
        keyID = key.id
    }
}

/// What sealed secrets belong to.
package enum SecretContext {
    /// Bound to the issuer, so that nobody has it sent elsewhere by changing the row.
    package static func signInProvider(
        _ id: UUID, at issuer: String, of organization: OrganizationID
    ) -> [UInt8] {
        context("signInProvider", organization, id, issuer)
    }

    package static func webhook(_ id: UUID, of organization: OrganizationID) -> [UInt8] {
        context("webhook", organization, id, "")
    }

    private static func context(
        _ kind: String, _ organization: OrganizationID, _ id: UUID, _ place: String
    ) -> [UInt8] {
        Array(
            [kind, organization.uuid.description, id.description, place].joined(separator: "\n")
                .utf8)
    }
}

/// Seals what an earlier version stored as it was, or what an archive of that version brought. The key is beside the
/// database, so that a migration cannot do it.
package struct SecretSealing: Sendable {
    private let database: Database
    private let key: CredentialKey

    package init(in database: Database, with key: CredentialKey) {
        self.database = database
        self.key = key
    }

    /// Seals all there are, and returns how many. Several servers may do it at the same time: each secret is sealed
    /// once.
    @discardableResult
    package func run() async throws -> Int {
        var sealed = 0
        while true {
            let rows = try await database.query(.unsealedSecrets)
            guard rows.count > 0 else { return sealed }
            let key = try await keyToSeal()
            let before = sealed
            for row in rows where try await seal(row, with: key) { sealed += 1 }
            // Others are at it.
            if sealed == before { return sealed }
        }
    }

    /// Where secrets are sealed already, a server without the key makes none: others could not open what it seals, and
    /// would no longer have the plain one.
    private func keyToSeal() async throws -> SealingKey {
        if let key = try await key.toOpen() { return key }
        guard try await database.query(.keysInUse).count == 0 else { throw MissingKey() }
        return try await key.toSeal()
    }

    /// The file of the key is on another machine.
    private struct MissingKey: Error, CustomStringConvertible {
        let description =
            "This server has no key, and other secrets are sealed with one: copy credentials.key from where they were."
    }

    private func seal(_ row: Row, with key: SealingKey) async throws -> Bool {
        let organization = OrganizationID(try row.uuid("organization_id"))
        let (kind, id) = (try row.text("kind"), try row.uuid("id"))
        let plain = try row.bytes("secret")
        let context =
            if kind == "signInProvider" {
                SecretContext.signInProvider(id, at: try row.text("issuer"), of: organization)
            } else {
                SecretContext.webhook(id, of: organization)
            }
        let sealed = SealedSecret(plain, for: context, with: key)
        let rows = try await database.transaction { session in
            try await session.query(.seal(plain, as: sealed, kind, id, of: organization))
        }
        return try rows[0].bool("is_sealed")
    }
}

extension Statement {
    fileprivate static var unsealedSecrets: Statement {
        "select organization_id, kind, id, issuer, secret from school.unsealed_secrets()"
    }

    fileprivate static var keysInUse: Statement {
        "select key_id from school.keys_of_secrets() where key_id is not null"
    }

    fileprivate static func seal(
        _ plain: [UInt8], as sealed: SealedSecret, _ kind: String, _ id: UUID,
        of organization: OrganizationID
    ) -> Statement {
        """
        select school.seal_secret(
                   \(organization), \(kind), \(id), \(plain), \(sealed.bytes), \(sealed.keyID)) as is_sealed
        """
    }
}
