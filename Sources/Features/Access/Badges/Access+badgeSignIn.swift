import API
import Crypto
import EventLoop
import HTTPServer
import HTTPWire
import Postgres
import School
import Values

/// Signing in with a badge: a secret on a card, which a small child holds in front of a camera or a scanner.
extension Access {
    var badgeSignInEndpoints: [Endpoint] {
        [
            Endpoint(
                open: .post, "/v1/sign-in/with-badge", "Sign in a student with a badge",
                description: """
                    Makes a sign-in for a browser, as short as on a shared device, that ends with the hours of \
                    badges at the latest. It opens the student's work, and nothing about how the student signs \
                    in: no password, no other sign-ins, no apps and no connected systems.
                    """,
                body: .json(BadgeShapes.signIn),
                answers: [.json("The token of the browser.", AccessShapes.tokens)],
                problems: [
                    (
                        401,
                        "No badge signs in with this secret now and from this network. The answer does not say whether there "
                            + "is one."
                    ),
                    (
                        429,
                        "Too many badges from this network did not work. One that works still does."
                    ),
                ], keys: .refused, handler: signInWithBadge)
        ]
    }

    /// Asks for the badge first: whatever wrong ones a network has sent, the right one of the next child works. Secrets of
    /// 256 bits cannot be guessed; the limit is there so that nobody fills the audit trail with a void badge.
    func signInWithBadge(_ request: Request) async throws -> Response {
        let body = try await request.body()
        let badge = Token(text: body.text("badge") ?? "")
        let address = request.http.clientAddress
        let pair = TokenPair(now: database.clock.now)
        let browser = Browser(body.fields("browser")!)
        let started = try await database.transaction { session in
            try await session.query(
                .signIn(withBadge: badge, pair: pair, from: address, browser: browser))
        }
        if let row = started.first {
            return try tokens(pair, row, idleSeconds: try row.optionalInt("idle_seconds"))
        }
        let now = Loop.current?.now ?? 0
        if let seconds = badgeTries.secondsToWait(address, now: now) {
            throw Problem.tooManyTries(retryAfterSeconds: seconds)
        }
        badgeTries.count(address, now: now)
        _ = try await database.transaction { session in
            try await session.query(.recordFailed(badge: badge, from: address))
        }
        throw Problem.badgeRefused
    }
}

extension Statement {
    /// Begins a sign-in; no row if no badge has the secret, or the badge does not sign in now.
    fileprivate static func signIn(
        withBadge badge: Token, pair: TokenPair, from address: String, browser: Browser
    ) -> Statement {
        """
        select must_change_password, person, idle_seconds, subject
          from school.start_badge_session(
                   \(badge.digest), \(UUID.v7()), \(pair.access.digest), \(address), \(browser.userAgent))
        """
    }

    /// Writes an audit event if a badge has the secret.
    fileprivate static func recordFailed(badge: Token, from address: String) -> Statement {
        "select school.record_failed_badge(\(badge.digest), \(address))"
    }
}
