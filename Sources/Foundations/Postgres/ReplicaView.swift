/// What is known of a replica: whether reads may use it, and which of them wait for it to catch up.
///
/// A value: callers report each event with its time, and it says what follows. Times are nanoseconds of the loop's clock.
struct ReplicaView<Element> {
    private struct Waiter {
        let element: Element
        let position: LogPosition
        let deadline: Int64
    }

    /// What a look at the replica came to, and by how many bytes of the log it was behind the primary.
    enum Judgement: Equatable {
        case isAway
        case isNoReplica
        case followsAnother
        /// It has not reached what a read waited for in vain, so nothing changes.
        case isStillBehind(lag: Int)
        /// Where the primary's log ends is not known, so nothing changes.
        case isUnknown
        case follows(lag: Int)
    }

    /// Whether reads are sent to it.
    private(set) var isUsed = false
    /// What it was last known to have replayed.
    private var state: ReplicaState?
    /// The last position that it did not reach in time. No read waits again until it has been reached.
    private var missed: LogPosition?
    private var waiters: [Waiter] = []
    private let patience: Int64

    /// - Parameter patience: how many milliseconds a read waits.
    init(patience: Int) {
        self.patience = Int64(patience) * 1_000_000
    }

    // MARK: Reads

    var hasWaiters: Bool { !waiters.isEmpty }

    /// Whether a read of everything before that position need not wait.
    func hasReached(_ position: LogPosition) -> Bool { state?.hasReached(position) ?? false }

    /// The same by the state that came with the read's own rows.
    mutating func hasReached(_ position: LogPosition, by found: ReplicaState) -> Bool {
        state = found
        return found.hasReached(position)
    }

    /// Lets a read wait; returns whether it is the only one.
    mutating func wait(_ element: Element, for position: LogPosition, now: Int64) -> Bool {
        waiters.append(Waiter(element: element, position: position, deadline: now + patience))
        return waiters.count == 1
    }

    /// The replica has said how far it is; `nil` if it did not.
    ///
    /// - Returns: the reads that need not or must not wait any longer, and which of the two. After the first that must
    ///   not, the replica is not used.
    mutating func answered(
        _ found: ReplicaState?, now: Int64
    ) -> [(element: Element, hasReached: Bool)] {
        state = found
        let all = waiters
        waiters = []
        var released: [(element: Element, hasReached: Bool)] = []
        for waiter in all {
            if hasReached(waiter.position) {
                released.append((waiter.element, true))
            } else if state == nil || waiter.deadline <= now || !isUsed {
                missed = waiter.position
                isUsed = false
                released.append((waiter.element, false))
            } else {
                waiters.append(waiter)
            }
        }
        return released
    }

    // MARK: Looks

    /// Decides whether reads may use it.
    ///
    /// - Parameters:
    ///   - found: `nil` if it is away.
    ///   - position: where the primary's log ended before the replica was asked, if it said so.
    mutating func judge(_ found: ReplicaState?, primary position: LogPosition?) -> Judgement {
        state = found
        let judgement = judgement(of: found, position)
        switch judgement {
        case .isStillBehind, .isUnknown: break
        case .isAway, .isNoReplica, .followsAnother: isUsed = false
        case .follows:
            missed = nil
            isUsed = true
        }
        return judgement
    }

    private func judgement(of found: ReplicaState?, _ position: LogPosition?) -> Judgement {
        guard let found else { return .isAway }
        guard found.isReplica else { return .isNoReplica }
        guard let position else { return .isUnknown }
        guard found.replayed.timeline == position.timeline else { return .followsAnother }
        let lag = max(0, position.offset - found.replayed.offset)
        if let missed, missed.timeline == position.timeline, !found.hasReached(missed) {
            return .isStillBehind(lag: lag)
        }
        return .follows(lag: lag)
    }
}
