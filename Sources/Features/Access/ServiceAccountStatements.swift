import Crypto
import JSONBytes
import Postgres
import School
import Values

extension Statement {
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

    static func placeServiceAccount(
        _ id: ServiceAccountID, at location: UUID?, in organization: OrganizationID
    ) -> Statement {
        """
        update school.service_account set default_location_id = \(location)
         where organization_id = \(organization) and service_account_id = \(id)
        """
    }

    static func revokeServiceAccount(
        _ id: ServiceAccountID, of organization: OrganizationID
    ) -> Statement {
        """
        update school.service_account set revoked_at = school.moment(), default_location_id = null
         where organization_id = \(organization) and service_account_id = \(id)
        """
    }

    static func auditServiceAccount(_ id: ServiceAccountID, _ change: String) -> Statement {
        .audit(
            "serviceAccountChange", subjectKind: "serviceAccount", subject: id.uuid,
            details: ["change": .text(change)])
    }

    /// Whether the secret belongs to the client.
    static func isSecret(_ sent: ClientCredentials) -> Statement {
        "select school.is_client_secret(\(sent.clientID), \(sent.secret.digest)) as is_secret"
    }

    /// A token for a client's secret; the outcome is one word.
    static func issueToken(
        _ sent: ClientCredentials, scopes: [String], _ pair: TokenPair, address: String
    ) -> Statement {
        """
        select outcome, scope, expires_at
          from school.issue_service_token(
                   \(sent.clientID), \(sent.secret.digest), \(scopes),
                   \(pair.access.digest), \(pair.accessExpiresAt), \(address))
        """
    }
}
