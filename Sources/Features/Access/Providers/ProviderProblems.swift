import API
import HTTPWire
import School

extension Problem {
    /// Nobody's account, or of a person who may not sign in: one answer for all, which reveals nothing.
    static let providerSignInRefused = Problem(
        401, "provider_sign_in_refused", "You cannot sign in here with this account.",
        detail: "Sign in with another account or with your managed ID, or ask your school.",
        headers: [ResponseField("WWW-Authenticate", challenge)])

    /// It was begun in another browser or with another provider, too long ago, or it is over already.
    static let signInNotBegun = Problem(
        409, "sign_in_not_begun", "This sign-in cannot go on.", detail: "Begin it again.")

    static func providerFailed(_ detail: String) -> Problem {
        Problem(
            502, "provider_failed", "The sign-in provider does not answer as it should.",
            detail: detail)
    }

    static func providersBusy(_ detail: String) -> Problem {
        Problem(
            503, "providers_busy", "Too many calls to sign-in providers are on their way.",
            detail: detail, headers: [ResponseField("Retry-After", "5")])
    }

    /// The organization came from another machine, or the file of the key is gone.
    static let providerSecretLost = Problem(
        502, "provider_secret_lost", "Nobody can sign in with this provider now.",
        detail:
            "The client secret can no longer be decrypted. An administrator has to enter it again.")

    /// The people of the school could not sign in any more.
    static let lastProvider = Problem(
        409, "last_sign_in_provider",
        "This is the only sign-in provider of a school without passwords.",
        detail: "Connect another one first, or let people use passwords again (`withoutPasswords`)."
    )

    static let unknownProvider = Problem.invalid(
        "/providerId", "unknown_provider", "This sign-in provider does not exist.")

    static let missingIssuer = Problem.invalid(
        "/issuer", "missing", "An issuer is required for a provider of this kind.")

    static let missingClientSecret = Problem.invalid(
        "/clientSecret", "missing", "Another issuer needs a client secret of its own.")

    static let unfitIssuer = Problem.invalid(
        "/issuer", "unfit_issuer",
        "This should be an address such as https://id.example.org, in lower case up to its path, without a query."
    )

    static func foreignIssuer(_ known: String) -> Problem {
        .invalid("/issuer", "foreign_issuer", "The issuer of this kind is \(known).")
    }

    static func unfitTenant(isNeeded: Bool) -> Problem {
        .invalid(
            "/tenant", isNeeded ? "missing" : "unfit_tenant",
            isNeeded
                ? "Microsoft needs the id of the school's directory; otherwise anyone's account would do."
                : "Only Microsoft has tenants.")
    }

    static func unfitDomain(at index: Int) -> Problem {
        .invalid(
            "/emailDomains/\(index)", "unfit_domain",
            "This should be a domain such as school.example."
        )
    }
}
