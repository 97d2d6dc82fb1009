import HTTPWire
import Synchronization

/// What one caller may still ask for, stored as the time at which the allowance is full again (the generic cell rate
/// algorithm, ITU-T I.371). Each request moves that time on by its cost.
package final class Allowance: Sendable {
    /// How fast an allowance fills.
    package struct Rate: Sendable {
        /// 0: unlimited.
        let perSecond: Int
        let nanosecondsPerUnit: Int64
        /// How much can be saved up.
        let most: Int
        /// The value of `RateLimit-Policy`.
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

    /// Takes the cost of a request. If less than that is left, nothing is taken and the answer is 429. A cost above
    /// the maximum takes the whole allowance.
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

    /// `RateLimit-Policy` and `RateLimit` as in draft-ietf-httpapi-ratelimit-headers-10: the quota for ten seconds,
    /// what is left of it, and the seconds until all of it is available again. Empty without a limit.
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

    /// Takes that much. Returns 0, or the nanoseconds to wait if there is not enough left.
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
    /// The allowance does not cover the cost of the request.
    package static func tooManyRequests(retryAfterSeconds seconds: Int) -> Problem {
        Problem(
            429, "too_many_requests", "You asked for too much in a short time.",
            detail: "Try again after the time in Retry-After.",
            headers: [ResponseField("Retry-After", String(seconds))])
    }
}
