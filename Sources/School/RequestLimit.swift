import Crypto
import HTTPWire
import Synchronization

/// How many requests an access token may make: so many a second, and what it saved up in ten seconds at once.
///
/// Counted exactly over all loops of the process; each process of several counts for itself. Allowances outlive
/// the caches of tokens, so that nobody gets a new one because somebody else signs out.
package final class RequestLimit: Sendable {
    private static let maximumTokens = 50_000

    private let nanosecondsPerRequest: Int64
    private let allowances = Mutex<[SHA256Digest: Allowance]>([:])

    /// - Parameter requestsPerSecond: 0 sets no limit.
    package init(requestsPerSecond: Int) {
        nanosecondsPerRequest =
            requestsPerSecond > 0 ? max(1, 1_000_000_000 / Int64(requestsPerSecond)) : 0
    }

    /// Takes one request from an allowance; 429 where it is used up.
    ///
    /// - Parameter now: on the monotonic clock, in nanoseconds.
    package func take(from allowance: Allowance, now: Int64) throws {
        guard nanosecondsPerRequest > 0 else { return }
        let wait = allowance.take(nanosecondsPerRequest, now: now)
        guard wait > 0 else { return }
        throw Problem.tooManyRequests(retryAfterSeconds: Int((wait - 1) / 1_000_000_000) + 1)
    }

    /// The allowance of a token that was valid not long ago; `nil` for one that is not known.
    package func allowance(ofKnown digest: SHA256Digest) -> Allowance? {
        allowances.withLock { $0[digest] }
    }

    /// The allowance of a token that is valid.
    package func allowance(of digest: SHA256Digest, now: Int64) -> Allowance {
        allowances.withLock { allowances in
            if let allowance = allowances[digest] { return allowance }
            if allowances.count >= Self.maximumTokens {
                // A full one says no more than none.
                allowances = allowances.filter { !$0.value.isFull(now) }
            }
            let allowance = Allowance()
            if allowances.count < Self.maximumTokens { allowances[digest] = allowance }
            return allowance
        }
    }
}

/// What one token may still ask for, as the moment at which nothing of it is used any more (the generic cell
/// rate algorithm, ITU-T I.371): one number, moved on by each request.
package final class Allowance: Sendable {
    /// How much can be saved up: ten seconds' worth.
    private static let savedNanoseconds: Int64 = 10_000_000_000

    private let fullAt = Atomic<Int64>(0)

    /// Takes one request; answers the nanoseconds to wait where there is none left, and 0 where there was.
    func take(_ nanoseconds: Int64, now: Int64) -> Int64 {
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
            429, "too_many_requests", "Too many requests came with this token.",
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
