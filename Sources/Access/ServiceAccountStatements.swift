import Crypto
import JSONBytes
import Postgres
import School
import Values

extension Statement {
    private static let columns: Statement = """
        select a.service_account_id as "id", a.service_account_id as "clientId", a.name, a.role,
               a.expires_at, a.revoked_at,
               a.secret_changed_at, a.created_at,
               a.updated_at, a.version
          from school.service_account as a
        """

    static func serviceAccounts(
        of organization: OrganizationID, isRevoked: Bool, after: UUID, limit: Int
    ) -> Statement {
        """
        \(fragment: columns)
         where a.organization_id = \(organization) and a.service_account_id > \(after)
           and (a.revoked_at is not null) = \(isRevoked)
         order by a.service_account_id limit \(limit)
        """
    }

    /// No row if it is revoked.
    static func serviceAccount(
        _ id: ServiceAccountID, of organization: OrganizationID
    ) -> Statement {
        """
        \(fragment: columns)
         where a.organization_id = \(organization) and a.service_account_id = \(id)
           and a.revoked_at is null
        """
    }

    static func lockServiceAccount(
        _ id: ServiceAccountID, of organization: OrganizationID
    ) -> Statement {
        """
        select version from school.service_account
         where organization_id = \(organization) and service_account_id = \(id)
           and revoked_at is null for update
        """
    }

    static func add(_ account: ServiceAccount, to organization: OrganizationID) -> Statement {
        """
        insert into school.service_account
               (organization_id, service_account_id, name, role, secret_digest, expires_at)
        values (\(organization), \(account.id), \(account.name), \(account.role),
                \(account.secret.digest), \(account.expiresAt))
        """
    }

    static func changeSecret(
        of id: ServiceAccountID, to secret: Token, in organization: OrganizationID
    ) -> Statement {
        """
        update school.service_account
           set secret_digest = \(secret.digest), secret_changed_at = school.moment()
         where organization_id = \(organization) and service_account_id = \(id)
        """
    }

    static func renameServiceAccount(
        _ id: ServiceAccountID, to name: String, in organization: OrganizationID
    ) -> Statement {
        """
        update school.service_account set name = \(name)
         where organization_id = \(organization) and service_account_id = \(id)
        """
    }

    static func revokeServiceAccount(
        _ id: ServiceAccountID, of organization: OrganizationID
    ) -> Statement {
        """
        update school.service_account set revoked_at = school.moment()
         where organization_id = \(organization) and service_account_id = \(id)
        """
    }

    static func auditServiceAccount(_ id: ServiceAccountID, _ change: String) -> Statement {
        .audit(
            "serviceAccountChange", subjectKind: "serviceAccount", subject: id.uuid,
            details: ["change": .text(change)])
    }

    /// Whether the secret belongs to the client.
    static func isSecret(_ asked: TokenRequest) -> Statement {
        "select school.is_service_secret(\(asked.clientID), \(asked.secret.digest)) as is_secret"
    }

    /// A token for a client's secret; the outcome is one word.
    static func issueToken(
        _ asked: TokenRequest, _ pair: TokenPair, address: String
    ) -> Statement {
        """
        select outcome, role, expires_at
          from school.issue_service_token(
                   \(asked.clientID), \(asked.secret.digest), \(asked.scopes),
                   \(pair.access.digest), \(pair.accessExpiresAt), \(address))
        """
    }
}
