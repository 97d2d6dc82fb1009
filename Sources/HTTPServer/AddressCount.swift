import Synchronization

/// Counts something for each address, up to a limit, so that one address cannot take what is there for all.
final class AddressCount: Sendable {
    private let limit: Int
    private let isUnlimited: @Sendable (String) -> Bool
    private let counts = Mutex<[UInt64: Int]>([:])

    /// - Parameter isUnlimited: whose are not counted; has to say the same each time.
    init(limit: Int, isUnlimited: @escaping @Sendable (String) -> Bool) {
        self.limit = limit
        self.isUnlimited = isUnlimited
    }

    /// Counts one more; `false`, and it does not count, where the limit is reached.
    func add(_ peer: PeerAddress) -> Bool {
        if isUnlimited(peer.text) { return true }
        return counts.withLock { counts in
            guard counts[peer.group, default: 0] < limit else { return false }
            counts[peer.group, default: 0] += 1
            return true
        }
    }

    /// Counts one less.
    func remove(_ peer: PeerAddress) {
        if isUnlimited(peer.text) { return }
        counts.withLock { counts in
            let left = counts[peer.group, default: 0] - 1
            counts[peer.group] = left > 0 ? left : nil
        }
    }
}
