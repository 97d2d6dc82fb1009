import Synchronization

/// Counts something per address, up to a limit, so that one address cannot use up what all share.
final class AddressCount: Sendable {
    private let limit: Int
    private let isUnlimited: @Sendable (NetworkAddress) -> Bool
    private let counts = Mutex<[NetworkAddress: Int]>([:])

    /// - Parameter isUnlimited: which addresses are not counted; must always give the same answer for an
    ///   address.
    init(limit: Int, isUnlimited: @escaping @Sendable (NetworkAddress) -> Bool) {
        self.limit = limit
        self.isUnlimited = isUnlimited
    }

    /// Counts one more; returns `false` and does not count it if the limit is reached.
    func add(_ peer: NetworkAddress) -> Bool {
        if isUnlimited(peer) { return true }
        return counts.withLock { counts in
            guard counts[peer.network, default: 0] < limit else { return false }
            counts[peer.network, default: 0] += 1
            return true
        }
    }

    /// Counts one less.
    func remove(_ peer: NetworkAddress) {
        if isUnlimited(peer) { return }
        counts.withLock { counts in
            let left = counts[peer.network, default: 0] - 1
            counts[peer.network] = left > 0 ? left : nil
        }
    }
}
