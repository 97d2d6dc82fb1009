import Synchronization

/// Counts the connections over all loops, in total and by address, and reports when capacity is free again.
final class ConnectionCount: Sendable {
    private let count = Atomic<Int>(0)
    private let limit: Int
    private let byAddress: AddressCount
    private let isWaiting = Atomic<Bool>(false)
    private let whenFree = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Parameter isUnlimited: which addresses may hold any number of connections.
    init(
        limit: Int, limitPerAddress: Int, isUnlimited: @escaping @Sendable (NetworkAddress) -> Bool
    ) {
        self.limit = limit
        byAddress = AddressCount(limit: limitPerAddress, isUnlimited: isUnlimited)
    }

    var value: Int { count.load(ordering: .relaxed) }
    var hasCapacity: Bool { count.load(ordering: .sequentiallyConsistent) < limit }

    /// Counts a connection; returns `false` and does not count it if its address has too many.
    func add(_ peer: NetworkAddress) -> Bool {
        guard byAddress.add(peer) else { return false }
        count.add(1, ordering: .sequentiallyConsistent)
        return true
    }

    func remove(_ peer: NetworkAddress) {
        byAddress.remove(peer)
        count.subtract(1, ordering: .sequentiallyConsistent)
        if isWaiting.load(ordering: .sequentiallyConsistent) { callBack() }
    }

    /// Calls the body once, when a connection has gone; at once if one has gone already.
    func callWhenFree(_ body: @escaping @Sendable () -> Void) {
        whenFree.withLock {
            $0 = body
            isWaiting.store(true, ordering: .sequentiallyConsistent)
        }
        if hasCapacity { callBack() }
    }

    private func callBack() {
        let body = whenFree.withLock { stored in
            defer { stored = nil }
            isWaiting.store(false, ordering: .sequentiallyConsistent)
            return stored
        }
        body?()
    }
}
