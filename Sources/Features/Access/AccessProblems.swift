import API
import HTTPWire
import School

extension Problem {
    /// Unknown, wrong, locked, deactivated, expired: one answer for all, which reveals nothing.
    static let signInRefused = Problem(
        401, "sign_in_refused", "You cannot sign in with this managed ID and password.",
        detail:
            "Check both. Ten wrong passwords lock the account for 15 minutes or longer; your school can "
            + "unlock it. With a bundleId, this works in the development environment, and elsewhere only where the "
            + "school allows it: apps use OAuth.",
        headers: [ResponseField("WWW-Authenticate", challenge)])

    /// The password was right; before that, nothing is revealed.
    static let organizationEnding = Problem(
        401, "organization_ending", "Your school is being closed here, so no one can sign in.",
        detail: "Its data is to be deleted. The operator of this server can cancel that.",
        headers: [ResponseField("WWW-Authenticate", challenge)])

    /// A write during the last seconds of a move to another cell.
    static let organizationMoving = Problem(
        503, "organization_moving", "Your school is moving to another server.",
        detail: "Nothing was changed. Try again in a few seconds.",
        headers: [ResponseField("Retry-After", "2")])

    /// Not 503: waiting does not help, another connection does (RFC 9110 section 15.5.20).
    static let organizationElsewhere = Problem(
        421, "organization_elsewhere", "Your school is not on this server any more.",
        detail: "Connect again at the address of your school.")

    static let refreshRefused = Problem(
        401, "refresh_refused", "This refresh token is not valid.",
        detail: "Sign in again.", headers: [ResponseField("WWW-Authenticate", challenge)])

    static let browserIsNoApp = Problem.invalid(
        "/browser", "not_for_apps", "An app has no browser. Leave out browser or bundleId.")

    /// Only the token of a browser is renewed.
    static let notOfBrowser = Problem(
        409, "not_of_browser", "This token does not belong to a browser's sign-in.",
        detail: "Use the refresh token instead.")

    /// The caller sees the person, but may not set the password, and therefore not see where the person signed in.
    static let forbiddenSessions = Problem.forbidden(
        "You cannot see or end the sign-ins of someone whose password you may not reset. Ask an administrator."
    )

    /// The caller sees the person, but may not forget with which accounts he or she signs in.
    static let forbiddenLinks = Problem.forbidden(
        "You cannot forget the accounts of someone whose role you may not give, or of someone who teaches or taught "
            + "and has signed in. Ask an administrator."
    )

    /// Nobody is sent to the address of a client that the organization does not know.
    static let unknownClient = Problem.invalid(
        "/clientId", "unknown_client",
        "Your organization has not registered this app or system.")

    static let foreignRedirect = Problem.invalid(
        "/redirectUri", "foreign_redirect", "This is not an address of this app or system.")

    static let unknownCode = Problem.invalid(
        "/userCode", "unknown_code",
        "No app is waiting with this code. Check it, or ask for a new one."
    )

    /// The caller seems to guess codes.
    static func tooManyCodes(retryAfterSeconds seconds: Int) -> Problem {
        Problem(
            429, "too_many_codes", "Too many wrong codes.",
            detail: "Try again after the time in Retry-After.",
            headers: [ResponseField("Retry-After", String(seconds))])
    }

    /// So many passwords wait that this one's turn would not come in time. Nobody did anything wrong.
    static func signInBusy(retryAfterSeconds seconds: Int) -> Problem {
        Problem(
            503, "sign_in_busy", "Many people are signing in right now.",
            detail: "Nothing is wrong with what you sent. Try again after the time in Retry-After.",
            headers: [ResponseField("Retry-After", String(seconds))])
    }

    /// Too many sign-ins with other systems failed.
    static func tooManyTries(retryAfterSeconds seconds: Int) -> Problem {
        Problem(
            429, "too_many_tries", "Too many sign-ins from this network failed.",
            detail: "Try again after the time in Retry-After.",
            headers: [ResponseField("Retry-After", String(seconds))])
    }

    /// One person has signed in too often.
    static func tooManySignIns(retryAfterSeconds seconds: Int) -> Problem {
        Problem(
            429, "too_many_sign_ins", "This person signs in too often.",
            detail: "Keep the access token, and refresh it.",
            headers: [ResponseField("Retry-After", String(seconds))])
    }

    /// The current password was wrong ten times.
    static let passwordLocked = Problem(
        429, "password_locked", "Too many wrong passwords. You cannot change it for a while.",
        detail: "Try again later, or ask your school to unlock your account.",
        headers: [ResponseField("Retry-After", "900")])

    static let wrongPassword = Problem.invalid(
        "/password", "wrong_password", "This is not the current password.")

    /// Of a signed-in person, who may know it: strangers get `signInRefused`.
    static let withoutPasswords = Problem(
        409, "without_passwords", "At your school only administrators have a password here.",
        detail: "Everybody else signs in with a sign-in provider.")

    static let samePassword = Problem.invalid(
        "/newPassword", "same_password", "The new password must differ from the old one.")

    static func weakPassword(_ objection: String) -> Problem {
        .invalid("/newPassword", "weak_password", objection)
    }

    /// An app's token may change a temporary password, but nothing else of the person.
    static let appsOwnNoPassword = Problem.forbidden(
        "An app's token can only replace a temporary password. Sign in without the app to change it."
    )

    /// The caller sees the person, but may not set the password.
    static func forbiddenTemporaryPassword(as standing: Standing) -> Problem {
        switch standing {
        case .teacher:
            .forbidden(
                "A teacher can set the password of students who are now in a class he or she teaches now, "
                    + "and who have no other role."
            )
        case .provisioner:
            .forbidden(
                "A provisioner can set the first password of teachers, staff and students. "
                    + "This person has one, has signed in, or has another role. Ask an administrator."
            )
        default:
            .forbidden(
                "You cannot set the password of someone whose role you may not give, or of someone who teaches or "
                    + "taught and has signed in or has a password. Ask an administrator."
            )
        }
    }

    static let locationIsDefault = Problem(
        409, "location_in_use", "A service account puts people at this location.",
        detail: "Choose another default location for it before you delete this one.")

    static let personIsDeactivated = Problem(
        409, "person_deactivated", "This person is deactivated.",
        detail: "Reactivate the person first. Until then the password does not work.")
}
