/// A call that a loop will make later. Confined to its loop.
package final class LoopTimer {
    fileprivate var body: (() -> Void)?
    fileprivate let deadline: Int64
    fileprivate var previous: LoopTimer?
    fileprivate var next: LoopTimer?
    fileprivate weak var list: TimerList?

    fileprivate init(deadline: Int64, body: (() -> Void)?) {
        self.deadline = deadline
        self.body = body
    }

    /// Prevents the call; a second call does nothing.
    package func cancel() {
        body = nil
        list?.remove(self)
    }
}

/// The timers of one delay, in the order of their deadlines, which is the order in which they were added.
private final class TimerList {
    let delay: Int
    var first: LoopTimer?
    var last: LoopTimer?

    init(delay: Int) {
        self.delay = delay
    }

    func append(_ timer: LoopTimer) {
        timer.list = self
        timer.previous = last
        last?.next = timer
        last = timer
        if first == nil { first = timer }
    }

    func remove(_ timer: LoopTimer) {
        if first === timer { first = timer.next }
        if last === timer { last = timer.previous }
        timer.previous?.next = timer.next
        timer.next?.previous = timer.previous
        timer.previous = nil
        timer.next = nil
        timer.list = nil
    }

    deinit {
        while let timer = first { remove(timer) }
    }
}

/// The timers of a loop: one list per distinct delay, since equal delays expire in the order in which they
/// started. A service has only a handful of delays, so the cost of adding, cancelling and finding the next one
/// does not grow with the number of connections.
struct Timers {
    private var lists: [TimerList] = []

    mutating func add(delay: Int, now: Int64, _ body: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(deadline: now + Int64(delay) * 1_000_000, body: body)
        if let list = lists.first(where: { $0.delay == delay }) {
            list.append(timer)
        } else {
            if lists.count > 32 { lists.removeAll { $0.first == nil } }
            let list = TimerList(delay: delay)
            list.append(timer)
            lists.append(list)
        }
        return timer
    }

    /// How long to wait for the next timer, rounded up; -1 if there is none.
    func milliseconds(untilNextFrom now: Int64) -> Int32 {
        guard let next = nextDeadline else { return -1 }
        return Int32(clamping: max(0, (next - now + 999_999) / 1_000_000))
    }

    /// When the next timer is due, if there is any.
    var nextDeadline: Int64? { lists.compactMap { $0.first?.deadline }.min() }

    /// Fires what is due; returns whether anything was.
    func fire(now: Int64) -> Bool {
        var hasFired = false
        for list in lists {
            while let timer = list.first, timer.deadline <= now {
                list.remove(timer)
                let body = timer.body
                timer.body = nil
                body?()
                hasFired = true
            }
        }
        return hasFired
    }
}
