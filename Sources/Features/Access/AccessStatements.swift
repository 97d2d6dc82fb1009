import Crypto
import Postgres
import School
import Values

extension Statement {
    /// What is known about a managed ID. Always one row, whose values are null where nobody has the managed ID, the person
    /// has no password, or no organization has the domain.
    static func credential(of tried: SignInTry) -> Statement {
        """
        select o.id as line_organization_id, c.organization_id, c.person_id, c.password_record, c.is_known_device
          from school.sign_in_organization(\(tried.managedID)) as o (id)
          left join school.find_credential(\(tried.managedID), \(tried.device.sent.digest)) as c on true
        """
    }

    /// Begins a sign-in; no row if the person is locked or deactivated, if no password counts for the person, or if the
    /// password is void or has changed since its record was compared.
    static func startSession(
        _ tried: SignInTry, organizationID: OrganizationID, personID: PersonID, record: String,
        pair: TokenPair
    ) -> Statement {
        """
        select must_change_password, person, is_known_device, idle_seconds, subject
          from school.start_session(
                   \(organizationID), \(personID), \(record), \(UUID.v7()), \(tried.app),
                   \(tried.environment), \(pair.access.digest), \(pair.accessExpiresAt),
                   \(pair.refresh.digest), \(pair.refreshExpiresAt), \(tried.address),
                   \(tried.device.sent.digest), \(tried.device.new.digest),
                   \(tried.browser != nil), \(tried.browser?.isShared ?? false),
                   \(tried.browser?.userAgent))
        """
    }

    /// Replaces a password's record with one of a higher cost, if it is still the one that was compared.
    static func renewRecord(
        of personID: PersonID, in organizationID: OrganizationID, from record: String,
        to renewed: String
    ) -> Statement {
        """
        select school.renew_password_record(\(organizationID), \(personID), \(record), \(renewed))
        """
    }

    /// Counts a wrong password, and writes an audit event if the managed ID or its domain is known.
    static func recordFailed(_ tried: SignInTry) -> Statement {
        """
        select school.record_failed_sign_in(
                   \(tried.managedID), \(tried.address), \(tried.device.sent.digest), \(tried.app),
                   \(tried.environment))
        """
    }

    /// New tokens for a refresh token; no row if it is not valid.
    ///
    /// - Parameter app: the app that asks, if it says which: no app can refresh another's token.
    static func rotate(
        _ token: Token, pair: TokenPair, address: String, of app: String? = nil
    ) -> Statement {
        """
        select must_change_password, person, subject
          from school.rotate_refresh(
                   \(token.digest), \(pair.access.digest), \(pair.accessExpiresAt),
                   \(pair.refresh.digest), \(pair.refreshExpiresAt), \(address), \(app))
        """
    }

    static func signOut(_ token: Token) -> Statement {
        "select school.sign_out(\(token.digest))"
    }

    /// Who the caller is: a person, or a service with or without an account.
    static func me(standings: [String], token: Token?) -> Statement {
        """
        select case when m.person is null then 'service' else 'person' end as "kind",
               m.organization, \(standings) as "standings",
               school.my_environment() as "environment", m.person,
               m.service_account, school.is_by_badge(\(token?.digest ?? [])) as by_badge
          from school.me() as m
        """
    }

    /// One row, with nulls if the caller has no password, or none that counts.
    static func ownCredential(_ token: Token) -> Statement {
        """
        select school.uses_my_password() as counts, c.password_record, c.password_policy, c.is_locked,
               school.my_own_words() as own_words
          from (values (true)) as one (row)
          left join school.my_credential(\(token.digest)) as c on true
        """
    }

    static var confirmSignInChanges: Statement {
        "select school.confirm_sign_in_changes()"
    }

    static func recordFailedChange(_ token: Token) -> Statement {
        "select school.record_failed_change(\(token.digest))"
    }

    /// False if the password has changed in the meantime.
    static func changePassword(
        from record: String, to newRecord: String, keeping token: Token
    ) -> Statement {
        """
        select school.change_password(\(record), \(newRecord), \(token.digest)) as is_changed
        """
    }

    /// What a person's password must be like: for students as set for the student, otherwise the standard.
    static func passwordPolicy(
        of person: Reference<PersonEntity>, organizationID: OrganizationID
    ) -> Statement {
        """
        select p.person_id, school.password_policy(p.person_id) as password_policy
          from school.person as p
         where p.organization_id = \(organizationID)
           and (p.person_id = \(person.id) or p.source_id = \(person.source))
        """
    }

    /// One word: `set`, `unknown`, `forbidden`, `withoutPassword` or `deactivated`.
    static func setTemporaryPassword(
        of personID: PersonID, record: String, expiresAt: Timestamp
    ) -> Statement {
        """
        select school.set_temporary_password(\(personID), \(record), \(expiresAt)) as outcome
        """
    }
}
