import EventLoop

/// Asks the primary where its log ends, once for all reads that wait for the answer.
///
/// A read takes only an answer to a question that was sent after the read began: an earlier one may lack what was
/// committed in between. Confined to its loop.
final class PrimaryPosition: @unchecked Sendable {
    private let pool: Pool
    private var waiting: [CheckedContinuation<LogPosition?, Never>] = []
    private var isAsking = false

    init(of pool: Pool) {
        self.pool = pool
    }

    /// Where the log ends now; `nil` if the primary does not say.
    func current() async -> LogPosition? {
        await withCheckedContinuation { continuation in
            waiting.append(continuation)
            if !isAsking { ask() }
        }
    }

    private func ask() {
        isAsking = true
        let asked = waiting
        waiting = []
        pool.loop.spawn {
            let rows = try? await self.pool.query(.primaryPosition, as: nil)
            let position = rows.flatMap { try? LogPosition($0[0]) }
            for continuation in asked { continuation.resume(returning: position) }
            if self.waiting.isEmpty { self.isAsking = false } else { self.ask() }
        }
    }
}
