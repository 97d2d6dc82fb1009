import Crypto
import JSONBytes
import Postgres
import School
import Values

extension Statement {
    static func auditProvider(_ id: ID<SignInProviderEntity>, _ change: String) -> Statement {
        .audit(
            "signInProviderChange", subjectKind: "signInProvider", subject: id.uuid,
            details: ["change": .text(change)])
    }

    static func forgetLinks(of personID: PersonID) -> Statement {
        "select school.forget_sign_in_links(\(personID)) as outcome"
    }

    /// - Parameter domain: of the organization; `nil` is the only organization.
    static func offeredProviders(domain: String?) -> Statement {
        "select id, name, kind from school.offered_providers(\(domain))"
    }

    static var areProvidersByDomain: Statement {
        "select school.are_providers_by_domain() as by_domain"
    }

    /// - Parameter domain: as of `offeredProviders`.
    static func isWithoutPasswords(domain: String?) -> Statement {
        "select school.is_without_passwords(\(domain)) as is_without"
    }

    /// No row if the provider does not exist.
    static func provider(_ id: UUID) -> Statement {
        """
        select kind, issuer, tenant, client_id, client_secret, organization_id, sealed_secret
          from school.find_sign_in_provider(\(id))
        """
    }

    /// Begins a browser's sign-in; no row if the account is nobody's who may sign in.
    ///
    /// - Parameter address: that the provider has verified; `nil` if it has not.
    static func signIn(
        with id: UUID, subject: String, verified address: String?, pair: TokenPair,
        from client: String, browser: Browser
    ) -> Statement {
        """
        select must_change_password, person, idle_seconds, subject
          from school.sign_in_with_provider(
                   \(id), \(subject), \(address), \(UUID.v7()), \(pair.access.digest), \(client),
                   \(browser.isShared), \(browser.userAgent))
        """
    }

    static func recordFailedProvider(_ id: UUID, reason: String, from client: String) -> Statement {
        "select school.record_failed_provider(\(id), \(reason), \(client))"
    }
}
