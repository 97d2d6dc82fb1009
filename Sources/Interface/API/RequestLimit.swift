import Crypto
import Synchronization

/// How much each subject may ask for: a rate per second, and ten seconds' worth of it at once.
///
/// Counted exactly over all loops of the process; several processes count separately. All tokens of a subject share
/// one allowance. Allowances outlive caches of tokens, so that emptying a cache does not give everyone a new
/// allowance.
package final class RequestLimit<Subject: Hashable & Sendable>: Sendable {
    private struct State {
        var allowances: [Subject: Allowance] = [:]
        var known: [SHA256Digest: Allowance] = [:]
    }

    private static var maximumEntries: Int { 50_000 }

    private let rate: Allowance.Rate
    private let state = Mutex(State())

    /// - Parameter requestsPerSecond: 0 sets no limit.
    package init(requestsPerSecond: Int) {
        rate = Allowance.Rate(perSecond: requestsPerSecond)
    }

    /// The allowance behind a token that was valid recently; `nil` if the token is unknown.
    package func allowance(ofKnown digest: SHA256Digest) -> Allowance? {
        state.withLock { $0.known[digest] }
    }

    /// The allowance of the subject that a valid token speaks for.
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

    /// Stores it if there is space. A full allowance means the same as none, so it is removed to make space.
    private static func keep<Key: Hashable>(
        _ allowance: Allowance, for key: Key, in entries: inout [Key: Allowance], _ now: Int64
    ) -> Allowance {
        if entries.count >= maximumEntries { entries = entries.filter { !$0.value.isFull(now) } }
        if entries.count < maximumEntries { entries[key] = allowance }
        return allowance
    }
}
