import Synchronization

/// How many connections there are over all loops, and whom to tell when there is room again.
final class ConnectionCount: Sendable {
    private let count = Atomic<Int>(0)
    private let limit: Int
    private let isWaiting = Atomic<Bool>(false)
    private let whenRoom = Mutex<(@Sendable () -> Void)?>(nil)

    init(limit: Int) {
        self.limit = limit
    }

    var hasRoom: Bool { count.load(ordering: .sequentiallyConsistent) < limit }

    func add() {
        count.add(1, ordering: .sequentiallyConsistent)
    }

    func remove() {
        count.subtract(1, ordering: .sequentiallyConsistent)
        if isWaiting.load(ordering: .sequentiallyConsistent) { tell() }
    }

    /// Calls the body once, when a connection has gone; at once if one has gone already.
    func tellWhenRoom(_ body: @escaping @Sendable () -> Void) {
        whenRoom.withLock {
            $0 = body
            isWaiting.store(true, ordering: .sequentiallyConsistent)
        }
        if hasRoom { tell() }
    }

    private func tell() {
        let body = whenRoom.withLock { stored in
            defer { stored = nil }
            isWaiting.store(false, ordering: .sequentiallyConsistent)
            return stored
        }
        body?()
    }
}
