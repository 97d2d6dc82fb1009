import Crypto
import EventLoop
import Postgres

/// Separates tokens from guesses for addresses that have guessed a lot. It checks many at a time, so that a flood of
/// guesses costs the database one query at a time, and still finds a real token among them. Confined to its loop.
final class TokenSieve: @unchecked Sendable {
    /// How many are checked at once, and at most how many wait for that.
    private static let batchMax = 256
    private static let waitingMax = 4096

    private struct Asking {
        let digest: SHA256Digest
        let answer: CheckedContinuation<Bool, any Error>
    }

    /// Which of the digests belong to tokens, valid or former.
    private let question: @Sendable ([SHA256Digest]) async throws -> Set<SHA256Digest>
    private var waiting: [Asking] = []
    private var isAsking = false

    init(_ question: @escaping @Sendable ([SHA256Digest]) async throws -> Set<SHA256Digest>) {
        self.question = question
    }

    /// Whether there is or was such a token; false if too many wait.
    func isToken(_ digest: SHA256Digest) async throws -> Bool {
        guard let loop = Loop.current, waiting.count < Self.waitingMax else { return false }
        return try await withCheckedThrowingContinuation { continuation in
            waiting.append(Asking(digest: digest, answer: continuation))
            guard !isAsking else { return }
            isAsking = true
            loop.spawn { await self.ask() }
        }
    }

    private func ask() async {
        while !waiting.isEmpty {
            let batch = Array(waiting.prefix(Self.batchMax))
            waiting.removeFirst(batch.count)
            do {
                let known = try await question(batch.map(\.digest))
                for asking in batch {
                    asking.answer.resume(returning: known.contains(asking.digest))
                }
            } catch {
                for asking in batch { asking.answer.resume(throwing: error) }
            }
        }
        isAsking = false
    }
}

extension TokenSieve {
    convenience init(_ database: Database) {
        self.init { digests in
            let rows = try await database.query(.formerTokens(digests.map(\.description)))
            let known = Set(try rows.first?.textArray("known") ?? [])
            return Set(digests.filter { known.contains($0.description) })
        }
    }
}

extension Statement {
    /// - Parameter digests: in hexadecimal.
    fileprivate static func formerTokens(_ digests: [String]) -> Statement {
        "select school.former_tokens(\(digests)) as known"
    }
}
