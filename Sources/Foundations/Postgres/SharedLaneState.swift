import Values

/// What waits for the shared lane: whose turn it is, and who has waited too long.
///
/// A value: callers report each event with its time, and it says what follows. Times are nanoseconds of the loop's clock.
struct SharedLaneState<Element> {
    private struct Waiter {
        let element: Element
        let deadline: Int64
        let ticket: Int
    }

    /// What becomes of an element that cannot be sent at once.
    enum Admission {
        case waits
        case refused
        /// It waits, and this one no longer does.
        case displaces(Element)
    }

    /// An element that waits no longer, and for how many nanoseconds it did.
    typealias Taken = (element: Element, waited: Int64)

    private var queue = FairQueue<Waiter>()
    private var lastTicket = 0
    private let limit: Int
    private let patience: Int64
    /// Half of all pipeline slots, rounded up.
    private let half: Int

    init(_ settings: Pool.Settings) {
        limit = settings.sharedQueueLimit
        patience = Int64(settings.queueMilliseconds) * 1_000_000
        half = (settings.sharedConnections * settings.sharedDepth + 1) / 2
    }

    var isEmpty: Bool { queue.isEmpty }
    var count: Int { queue.count }

    /// A number for leaving the queue.
    mutating func newTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    /// Lets an element wait, unless the queue is full and its tenant has as much in it as the others.
    mutating func admit(
        _ element: Element, of party: Party?, ticket: Int, now: Int64
    ) -> Admission {
        var admission = Admission.waits
        if queue.count >= limit {
            guard let last = queue.removeLast(for: party?.tenant) else { return .refused }
            admission = .displaces(last.element)
        }
        queue.append(
            Waiter(element: element, deadline: now + patience, ticket: ticket), of: party)
        return admission
    }

    /// The next one in turn. If all waiting tenants have half of the pipeline slots, no other tenant wants this one.
    ///
    /// - Parameter inProgress: how many slots a tenant has. Asked only if several wait, so that others do not pay for it.
    mutating func takeNext(now: Int64, inProgress: (UUID?) -> Int) -> Taken? {
        let half = half
        let next =
            if queue.tenantCount > 1 {
                queue.removeNext(where: { inProgress($0) < half })
                    ?? queue.removeNext(where: { _ in true })
            } else {
                queue.removeNext(where: { _ in true })
            }
        return next.map { taken($0, now) }
    }

    /// One that has waited too long.
    mutating func takeLate(now: Int64) -> Taken? {
        queue.removeHead(where: { $0.deadline <= now }).map { taken($0, now) }
    }

    /// When the first one will have waited too long.
    var nextDeadline: Int64? { queue.heads.map(\.deadline).min() }

    /// The element with that ticket, if it still waits.
    mutating func leave(_ ticket: Int) -> Element? {
        queue.remove(where: { $0.ticket == ticket }).first?.element
    }

    mutating func removeAll() -> [Element] {
        queue.remove(where: { _ in true }).map(\.element)
    }

    private func taken(_ waiter: Waiter, _ now: Int64) -> Taken {
        (waiter.element, now - (waiter.deadline - patience))
    }
}
