import API
import Crypto
import EventLoop
import HTTPClient
import HTTPServer
import HTTPWire
import Metrics
import School

/// Signing in and out, passwords, and the caller's identity.
///
/// Everything about credentials and tokens happens in functions of `SQL/functions/access`: no standing can read a
/// password's record or a token's digest.
package struct Access: Feature {
    package let meaning =
        """
        Signing in and out, passwords, sign-in sheets, badges, sign-in providers, service accounts, and connected systems.
        """
    let database: Database
    /// By which URL clients know this server.
    let issuer: Issuer
    let passwords: PasswordThreads
    /// The issuers of sign-in providers.
    let issuers: Issuers
    /// With which the client secrets of sign-in providers are sealed.
    let key: CredentialKey
    let signInProviders: Resource<SignInProviderEntity>
    /// Wrong passwords. Sign-ins from a network with too many of them take the slow line.
    let addresses = AddressLimit(most: 60, secondsPerFailure: 3)
    let slowLine = SlowLine()
    let idTokenKeys = IDTokenKeys()
    /// Right passwords, by managed ID: a client that signs in a hundred times at once should keep a token instead. A
    /// person's wrong passwords are limited by the lock after ten.
    let people = AddressLimit(most: 100, secondsPerFailure: 10)
    /// Wrong secrets of service accounts and connected systems. Counted separately, so that a script with a wrong
    /// secret does not keep the people of its school from signing in.
    let clients = AddressLimit(most: 60, secondsPerFailure: 3)
    /// Requests of devices without a browser. Each is stored, and nobody needs to sign in for it.
    let devices = AddressLimit(most: 200, secondsPerFailure: 3)
    /// Wrong short codes of devices, by the person who types them and by address.
    let userCodes = AddressLimit(most: 10, secondsPerFailure: 60)
    let userCodesOfAddress = AddressLimit(most: 60, secondsPerFailure: 6)
    /// Failed sign-ins with providers. Each costs a call to the provider.
    let providerTries = AddressLimit(most: 60, secondsPerFailure: 3)
    /// Badges that did not sign in. A class at its first lesson after the hours were set is one address.
    let badgeTries = AddressLimit(most: 100, secondsPerFailure: 3)

    /// - Parameters:
    ///   - issuer: by which URL clients know this server.
    ///   - passwords: one for the process, whatever the number of loops.
    ///   - client: asks sign-in providers.
    ///   - key: with which their client secrets are sealed.
    package init(
        database: Database, issuer: Issuer = Issuer(),
        passwords: PasswordThreads = PasswordThreads(), client: any OutgoingCalls = HTTPClient(),
        key: CredentialKey
    ) {
        self.database = database
        self.issuer = issuer
        self.passwords = passwords
        issuers = Issuers(client: client, clock: database.clock)
        self.key = key
        signInProviders = Self.signInProviders(sealedWith: key)
    }

    package func export(to metrics: inout Exposition) {
        let load = passwords.load
        metrics.gauge(
            "homeroom_password_queue_depth", "Passwords that wait to be hashed or compared.",
            load.waiting)
        metrics.gauge(
            "homeroom_passwords_running", "Passwords that are hashed or compared now.",
            load.running)
        metrics.counter(
            "homeroom_passwords_refused_total",
            "Calls asked to come back because no turn to check their password came in time.",
            load.refused)
    }

    package var constraints: [String: Problem] {
        [
            "organization_is_not_ending": .organizationEnding,
            "organization_is_not_moving": .organizationMoving,
            "organization_lives_here": .organizationElsewhere,
            "organization_without_passwords_keeps_a_provider": .lastProvider,
            "service_account_default_location": .locationIsDefault,
            "session_of_badge_changes_no_sign_in": .badgeOpensNoMore,
        ]
    }

    package var endpoints: [Endpoint] {
        personEndpoints + sessionEndpoints + lockEndpoints + sheetEndpoints + tokenEndpoints
            + tokenCallEndpoints + authorizationEndpoints + deviceEndpoints
            + openIDEndpoints + logoutEndpoints + serviceAccountEndpoints + connectedSystemEndpoints
            + providerEndpoints + badgeEndpoints
    }

    private var personEndpoints: [Endpoint] {
        [
            Endpoint(
                open: .post, "/v1/sign-in", "Sign in a person, or an app in the person's name",
                description: """
                    For the sign-in page and scripts of your own; apps use OAuth. Ten wrong passwords lock the \
                    account: for 15 minutes at first, then for twice as long each time, up to a day.
                    """,
                body: .json(AccessShapes.signIn),
                answers: [.json("The tokens.", AccessShapes.tokens)],
                problems: [
                    (
                        401,
                        "The managed ID or the password is wrong, the account is locked or deactivated, its school has given "
                            + "up passwords, or the app may not send them; the answer does not say which. Or the organization is to be deleted (`organization_ending`)."
                    ),
                    (429, "This person signs in too often."),
                    (
                        503,
                        "So many people sign in that the turn would not come within 30 seconds (`sign_in_busy`)."
                    ),
                ], keys: .refused, handler: signIn),
            Endpoint(
                open: .post, "/v1/sign-in/refresh", "Exchange a refresh token for new tokens",
                description: """
                    A refresh token works once. If the answer was lost, the same one gives new tokens again \
                    within 60 seconds, as long as the lost ones were not used.
                    """,
                body: .json(AccessShapes.refresh),
                answers: [
                    .json("The new tokens. The old ones no longer work.", AccessShapes.tokens)
                ],
                problems: [
                    (
                        401,
                        "The refresh token is not valid. One that was used before ends the whole sign-in."
                    )
                ], keys: .refused, handler: refresh),
            Endpoint(
                .post, "/v1/sign-out", "Sign out",
                description: """
                    Ends the whole sign-in of the token, with its refresh token. A token without a sign-in is \
                    revoked.
                    """,
                for: Standing.allCases, answers: [.empty(204, "The sign-in is ended.")],
                keys: .ignored,
                handler: signOut),
            Endpoint(
                .get, "/v1/me", "Ask who you are",
                for: Standing.rolesOfPeople + [.provisioner, .exporter],
                answers: [.json("The caller.", AccessShapes.me)], handler: me),
            Endpoint(
                .put, "/v1/me/password", "Change your password and end your other sessions",
                description: """
                    Apps can only replace a temporary password. Ten wrong current passwords end the sign-in that \
                    sent them.
                    """,
                for: Standing.rolesOfPeople + [.app], body: .json(AccessShapes.changePassword),
                answers: [.empty(204, "The password is changed; the token stays valid.")],
                problems: [
                    (409, "No password counts for you (`without_passwords`)."),
                    (422, "The current password is wrong, or the new one cannot be used."),
                    (429, "Too many wrong passwords."),
                ], cost: 10, handler: changePassword),
            Endpoint(
                .delete, "/v1/me/sign-in-changes",
                "Confirm that you have seen what others changed about your sign-in",
                for: Standing.rolesOfPeople,
                answers: [.empty(204, "`GET /v1/me` no longer names them.")],
                handler: confirmSignInChanges),
            Endpoint(
                .post, "/v1/people/{id}/temporary-password",
                "Set a temporary password, to be changed at the next sign-in",
                description: """
                    Ends all sign-ins of the person and any lock, and is valid for 14 days. Teachers set one \
                    only for students of classes they teach, where the school lets them; only administrators \
                    replace the password of someone who teaches or taught.
                    """,
                for: Standing.directoryManagers + [.manager, .teacher],
                answers: [
                    .json("The password, answered once.", AccessShapes.temporaryPassword)
                ],
                problems: [
                    (
                        403,
                        "You may not manage the person's roles, or you lack a relation such as teaching the person."
                    ),
                    (
                        409,
                        "The person is deactivated, or of a school without passwords (`without_passwords`)."
                    ),
                ], keys: .refused, cost: 10,
                handler: giveTemporaryPassword),
        ]
    }
}

extension Request {
    /// Gives the handler the time in which a password's turn comes: in the slow line, and among all.
    func waitForHashing() { http.setDeadline(secondsFromNow: 2 * Patience.call.rawValue + 10) }

    /// The token that authenticated the caller.
    var bearer: Token? {
        guard let header = http.headers["authorization"], header.utf8.count > 7 else { return nil }
        return Token(text: String(header.dropFirst(7)))
    }
}
