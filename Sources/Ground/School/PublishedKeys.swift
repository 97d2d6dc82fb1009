import Crypto
import Synchronization
import Values

/// The keys that other systems publish, with what else they say there. A system is asked once an hour, and once more when
/// a token names a key that is not known. Those who need the answer at the same time wait for one question, so that a
/// slow system takes no more than one call from the others.
package final class PublishedKeys<Content: Sendable>: Sendable {
    private struct Known: Sendable {
        let content: Content
        let learnedAt: Int64
    }

    /// A system that failed is not asked again at once, so that it is not flooded, and nobody waits for it in vain.
    private enum Entry: Sendable {
        case known(Known)
        case failed(any Error, at: Int64)
    }

    // In milliseconds.
    private let hour: Int64 = 3_600_000
    private let pauseAfterFailure: Int64 = 10_000
    /// New keys are looked for at most this often, whatever tokens name.
    private let pauseForKeys: Int64 = 60_000
    private let countLimit = 10_000

    private let clock: Clock
    private let ask: @Sendable (_ address: String) async throws -> Content
    private let isFailing: @Sendable (_ error: any Error) -> Bool
    private let entries = Mutex<[String: Entry]>([:])
    /// When new keys of each system were last looked for.
    private let searches = Mutex<[String: Int64]>([:])
    /// Which systems are being asked, and who waits for what they answer.
    private let waiting = Mutex<[String: [Waiting]]>([:])
    private typealias Waiting = CheckedContinuation<Known?, any Error>

    /// - Parameters:
    ///   - isFailing: whether an error of `ask` says that the system does not answer as it should; not, for instance, that
    ///     too much else is being asked.
    ///   - ask: asks the system at an address, whatever is known.
    package init(
        clock: Clock,
        isFailing: @escaping @Sendable (_ error: any Error) -> Bool,
        ask: @escaping @Sendable (_ address: String) async throws -> Content
    ) {
        self.clock = clock
        self.isFailing = isFailing
        self.ask = ask
    }

    /// What is known of an address; asks there if that is nothing, or old. Throws what `ask` throws, and threw a moment
    /// ago.
    package func find(_ address: String) async throws -> Content {
        try await known(address).content
    }

    /// Asks at an address, whatever is known.
    package func learn(_ address: String) async throws -> Content {
        try await learned(address).content
    }

    /// Checks what the system at an address signed. Keys change: where the check throws `IDTokenError.unknownKey`, it is
    /// made once more with those that are there by now, unless they were looked for a moment ago.
    package func verified<Verified>(
        at address: String, _ check: (Content) throws -> Verified
    ) async throws -> Verified {
        let known = try await known(address)
        do {
            return try check(known.content)
        } catch IDTokenError.unknownKey {
            guard let newer = try await newer(than: known, at: address) else {
                throw IDTokenError.unknownKey
            }
            return try check(newer.content)
        }
    }

    private func known(_ address: String) async throws -> Known {
        let now = clock.now.milliseconds
        switch entries.withLock({ $0[address] }) {
        case .known(let known) where now - known.learnedAt < hour: return known
        case .failed(let error, let at) where now - at < pauseAfterFailure: throw error
        default: return try await shared(address)
        }
    }

    private func newer(than known: Known, at address: String) async throws -> Known? {
        if let newest = fresh(address), newest.learnedAt > known.learnedAt { return newest }
        let now = clock.now.milliseconds
        let isDue = searches.withLock { searches in
            if let last = searches[address], now - last < pauseForKeys { return false }
            if searches.count >= countLimit { searches.removeAll() }
            searches[address] = now
            return true
        }
        return isDue ? try await shared(address) : nil
    }

    /// The answer to a question that is asked once for all who need it now.
    private func shared(_ address: String) async throws -> Known {
        while true {
            let isFirst = waiting.withLock { waiting in
                guard waiting[address] == nil else { return false }
                waiting[address] = []
                return true
            }
            if isFirst { return try await learnedForAll(address) }
            if let known = try await answered(address) { return known }
        }
    }

    private func learnedForAll(_ address: String) async throws -> Known {
        let outcome: Result<Known?, any Error>
        do {
            outcome = .success(try await learned(address))
        } catch is CancellationError {
            // Who asked has gone; one of the others asks.
            outcome = .success(nil)
        } catch {
            outcome = .failure(error)
        }
        for other in waiting.withLock({ $0.removeValue(forKey: address) }) ?? [] {
            other.resume(with: outcome)
        }
        guard let known = try outcome.get() else { throw CancellationError() }
        return known
    }

    /// The answer to somebody else's question; `nil` if there is no such question any more.
    private func answered(_ address: String) async throws -> Known? {
        try await withCheckedThrowingContinuation { (continuation: Waiting) in
            let waits = waiting.withLock { waiting in
                waiting[address]?.append(continuation) != nil
            }
            if !waits { continuation.resume(returning: nil) }
        }
    }

    private func learned(_ address: String) async throws -> Known {
        do {
            let known = Known(content: try await ask(address), learnedAt: clock.now.milliseconds)
            keep(.known(known), of: address)
            return known
        } catch {
            // What is known stays good: somebody else's token with an unknown key must not take it away.
            if isFailing(error), fresh(address) == nil {
                keep(.failed(error, at: clock.now.milliseconds), of: address)
            }
            throw error
        }
    }

    /// What was learned within the hour.
    private func fresh(_ address: String) -> Known? {
        guard case .known(let known) = entries.withLock({ $0[address] }),
            clock.now.milliseconds - known.learnedAt < hour
        else { return nil }
        return known
    }

    private func keep(_ entry: Entry, of address: String) {
        entries.withLock { entries in
            if entries.count >= countLimit { entries.removeAll() }
            entries[address] = entry
        }
    }
}
