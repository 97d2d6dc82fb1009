import Crypto
import HTTPWire
import Synchronization

/// How much each caller may ask for: so much a second, and what it saved up in ten seconds at once.
///
/// Counted exactly over all loops of the process; each process of several counts for itself. All tokens of a person
/// share one allowance, whatever app or sign-in they are of, and so do all of a service account. Allowances outlive
/// the caches of tokens, so that nobody gets a new one because somebody else signs out.
package final class RequestLimit: Sendable {
    /// Whose allowance it is.
    package enum Subject: Hashable, Sendable {
        case person(OrganizationID, PersonID)
        case serviceAccount(OrganizationID, ServiceAccountID)
        /// Tokens that the command made for a service belong to no account: all of an organization that act as
        /// the same share one, so that another token is no further allowance.
        case service(OrganizationID, Standing)

        init(_ caller: Caller) {
            self =
                if let person = caller.personID {
                    .person(caller.organizationID, person)
                } else if let account = caller.serviceAccountID {
                    .serviceAccount(caller.organizationID, account)
                } else {
                    .service(caller.organizationID, caller.standing)
                }
        }
    }

    private struct State {
        var allowances: [Subject: Allowance] = [:]
        var known: [SHA256Digest: Allowance] = [:]
    }

    private static let maximumEntries = 50_000

    private let rate: Allowance.Rate
    private let state = Mutex(State())

    /// - Parameter requestsPerSecond: 0 sets no limit.
    package init(requestsPerSecond: Int) {
        rate = Allowance.Rate(perSecond: requestsPerSecond)
    }

    /// The allowance behind a token that was valid not long ago; `nil` for one that is not known.
    package func allowance(ofKnown digest: SHA256Digest) -> Allowance? {
        state.withLock { $0.known[digest] }
    }

    /// The allowance of whoever a valid token speaks for.
    package func allowance(
        of subject: Subject, holding digest: SHA256Digest, now: Int64
    ) -> Allowance {
        state.withLock { state in
            let allowance =
                state.allowances[subject]
                ?? Self.keep(Allowance(rate), for: subject, in: &state.allowances, now)
            guard state.known[digest] !== allowance else { return allowance }
            return Self.keep(allowance, for: digest, in: &state.known, now)
        }
    }

    /// Keeps it where there is room; a full allowance says no more than none, and makes room.
    private static func keep<Key: Hashable>(
        _ allowance: Allowance, for key: Key, in entries: inout [Key: Allowance], _ now: Int64
    ) -> Allowance {
        if entries.count >= maximumEntries { entries = entries.filter { !$0.value.isFull(now) } }
        if entries.count < maximumEntries { entries[key] = allowance }
        return allowance
    }
}

/// What one caller may still ask for, as the moment at which nothing of it is used any more (the generic cell
/// rate algorithm, ITU-T I.371): one number, moved on by the cost of each request.
package final class Allowance: Sendable {
    /// How fast it fills.
    package struct Rate: Sendable {
        /// 0: there is no limit.
        let perSecond: Int
        let nanosecondsPerUnit: Int64
        /// How much can be saved up.
        let most: Int
        /// `RateLimit-Policy`.
        let policy: String

        init(perSecond: Int) {
            self.perSecond = perSecond
            nanosecondsPerUnit = perSecond > 0 ? max(1, 1_000_000_000 / Int64(perSecond)) : 0
            most = perSecond * Allowance.savedSeconds
            policy = "\"cost\";q=\(most);w=\(Allowance.savedSeconds)"
        }
    }

    private static let savedSeconds = 10
    private static let savedNanoseconds = Int64(savedSeconds) * 1_000_000_000

    private let rate: Rate
    private let fullAt = Atomic<Int64>(0)

    init(_ rate: Rate) {
        self.rate = rate
    }

    /// Takes the cost of a request; 429 where less than that is left, and then nothing is taken. What costs more
    /// than can be saved up takes all of that.
    ///
    /// - Parameter now: on the monotonic clock, in nanoseconds.
    package func take(_ cost: Int = 1, now: Int64) throws {
        guard rate.perSecond > 0, cost > 0 else { return }
        let wait = wait(for: Int64(min(cost, rate.most)) * rate.nanosecondsPerUnit, now: now)
        guard wait > 0 else { return }
        var problem = Problem.tooManyRequests(
            retryAfterSeconds: Int((wait - 1) / 1_000_000_000) + 1)
        problem.headers += fields(now: now)
        throw problem
    }

    /// `RateLimit-Policy` and `RateLimit` as draft-ietf-httpapi-ratelimit-headers-10 has them: how much there is in
    /// ten seconds, what of it is left, and after how many seconds all of it is there again. None without a limit.
    package func fields(now: Int64) -> [ResponseField] {
        guard rate.perSecond > 0 else { return [] }
        let used = max(0, fullAt.load(ordering: .relaxed) - now)
        let left = max(0, Self.savedNanoseconds - used) / rate.nanosecondsPerUnit
        let seconds = (used + 999_999_999) / 1_000_000_000
        return [
            ResponseField("RateLimit-Policy", rate.policy),
            ResponseField("RateLimit", "\"cost\";r=\(left);t=\(seconds)"),
        ]
    }

    /// Takes that; answers the nanoseconds to wait where there is not enough left, and 0 where there was.
    private func wait(for nanoseconds: Int64, now: Int64) -> Int64 {
        var before = fullAt.load(ordering: .relaxed)
        while true {
            let after = max(before, now) + nanoseconds
            let excess = after - now - Self.savedNanoseconds
            guard excess <= 0 else { return excess }
            let outcome = fullAt.weakCompareExchange(
                expected: before, desired: after, ordering: .relaxed)
            if outcome.exchanged { return 0 }
            before = outcome.original
        }
    }

    func isFull(_ now: Int64) -> Bool {
        fullAt.load(ordering: .relaxed) <= now
    }
}

extension Problem {
    static func tooManyRequests(retryAfterSeconds seconds: Int) -> Problem {
        Problem(
            429, "too_many_requests", "You asked for too much in a short time.",
            detail: "Try again after the time in Retry-After.",
            headers: [ResponseField("Retry-After", String(seconds))])
    }

    static func tooManyUnknownTokens(retryAfterSeconds seconds: Int) -> Problem {
        Problem(
            429, "too_many_unknown_tokens", "Too many unknown tokens came from this address.",
            detail: "Try again after the time in Retry-After.",
            headers: [ResponseField("Retry-After", String(seconds))])
    }
}
