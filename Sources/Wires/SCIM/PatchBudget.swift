import Synchronization

/// How many values the changes of one request may still compare, all of its operations together.
final class PatchBudget: Sendable {
    static let most = 200_000

    private let left = Mutex(PatchBudget.most)

    /// Returns false, and takes nothing, if less is left.
    func take(_ comparisons: Int) -> Bool {
        left.withLock { left in
            guard comparisons <= left else { return false }
            left -= comparisons
            return true
        }
    }
}
