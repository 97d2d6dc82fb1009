import Values

/// Something that is lent to one at a time, and may break meanwhile.
protocol Lendable: AnyObject {
    var isAlive: Bool { get }
}

/// On whose behalf a connection is wanted, and whether the subject may have no other such connection meanwhile.
struct Wish {
    var party: Party?
    var isAlone = false
}

/// The connections of the exclusive lane and what waits for them: whose turn it is, and who has waited too long.
///
/// A value: callers report each event with its time, and it says what follows. Times are nanoseconds of the loop's clock.
struct ExclusiveLaneState<Lent: Lendable, Element> {
    private struct Waiter {
        let element: Element
        let deadline: Int64
        let ticket: Int
        let wish: Wish
    }

    private struct Loan {
        let lent: Lent
        let wish: Wish
    }

    /// An element that waits no longer, and for how many nanoseconds it did.
    typealias Taken = (element: Element, waited: Int64)

    private var idle: [Lent] = []
    private var loans: [Loan] = []
    private var queue = FairQueue<Waiter>()
    private var lastTicket = 0

    private let connections: Int
    private let limit: Int
    private let subjectLimit: Int
    private let patience: Int64
    /// How long opening a connection may take.
    private let opening: Int64

    init(_ settings: Pool.Settings) {
        connections = settings.exclusiveConnections
        limit = settings.queueLimit
        subjectLimit = settings.subjectQueueLimit
        patience = Int64(settings.queueMilliseconds) * 1_000_000
        opening = Int64(settings.connectionSeconds) * 1_000_000_000
    }

    var isEmpty: Bool { queue.isEmpty }
    var count: Int { queue.count }
    /// How many connections are lent out.
    var lentCount: Int { loans.count(where: \.lent.isAlive) }
    /// Whether one more wish would have to wait for another session.
    var isFull: Bool { !queue.isEmpty || loans.count >= connections }

    // MARK: Waiting

    /// Lends an idle connection at once, if there is one and the wish may begin.
    mutating func take(_ wish: Wish) -> Lent? {
        guard mayBegin(wish), let lent = takeIdle() else { return nil }
        loans.append(Loan(lent: lent, wish: wish))
        return lent
    }

    /// Whether the queue is full (in total, unless the wish may displace another one) or full for its subject.
    ///
    /// - Parameter unopened: how many connections are still to be opened. Who waits for those does not wait for another
    ///   session.
    func refuses(_ party: Party?, unopened: Int) -> Bool {
        if let subject = party?.subject {
            let waiting = queue.count { $0.wish.party?.subject == subject }
            if waiting >= subjectLimit + unopened { return true }
        }
        return queue.count >= limit && !queue.hasLongerLine(than: party?.tenant)
    }

    /// The last one of the longest line if the queue is full.
    mutating func displace(for party: Party?) -> Element? {
        queue.count >= limit ? queue.removeLast(for: party?.tenant)?.element : nil
    }

    /// A number for leaving the queue.
    mutating func newTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    /// Lets an element wait; returns until when.
    mutating func wait(_ element: Element, _ wish: Wish, ticket: Int, now: Int64) -> Int64 {
        let deadline = now + patience
        queue.append(
            Waiter(element: element, deadline: deadline, ticket: ticket, wish: wish),
            of: wish.party?.tenant)
        return deadline
    }

    /// The element with that ticket, if it still waits.
    mutating func leave(_ ticket: Int) -> Element? {
        queue.remove(where: { $0.ticket == ticket }).first?.element
    }

    mutating func removeAll() -> [Element] {
        queue.remove(where: { _ in true }).map(\.element)
    }

    // MARK: Connections

    /// Ends a loan, if it is one; the connection is not offered again by that.
    mutating func end(_ lent: Lent) {
        loans.removeAll { $0.lent === lent }
    }

    /// Takes a connection that may be lent from now on.
    mutating func offer(_ lent: Lent) {
        idle.append(lent)
    }

    mutating func forgetIdle() {
        idle = []
    }

    /// Lends an idle connection to the next one in turn that may begin.
    mutating func lendNext(now: Int64) -> (taken: Taken, lent: Lent)? {
        guard !queue.isEmpty, let lent = takeIdle() else { return nil }
        guard let waiter = takeNext() else {
            idle.append(lent)
            return nil
        }
        loans.append(Loan(lent: lent, wish: waiter.wish))
        return (taken(waiter, now), lent)
    }

    /// If all waiting tenants have half of the connections, no other tenant wants this one.
    private mutating func takeNext() -> Waiter? {
        let half = (connections + 1) / 2
        let loans = loans
        func lent(to tenant: UUID?) -> Int { loans.count { $0.wish.party?.tenant == tenant } }
        return queue.removeNext(
            where: { lent(to: $0) < half }, { Self.mayBegin($0.wish, beside: loans) })
            ?? queue.removeNext(where: { _ in true }, { Self.mayBegin($0.wish, beside: loans) })
    }

    private func mayBegin(_ wish: Wish) -> Bool { Self.mayBegin(wish, beside: loans) }

    private static func mayBegin(_ wish: Wish, beside loans: [Loan]) -> Bool {
        guard wish.isAlone, let subject = wish.party?.subject else { return true }
        return !loans.contains { $0.wish.isAlone && $0.wish.party?.subject == subject }
    }

    private mutating func takeIdle() -> Lent? {
        while let lent = idle.popLast() {
            if lent.isAlive { return lent }
        }
        return nil
    }

    // MARK: Deadlines

    /// Those that have waited too long, and when the next one will have, if any still waits.
    ///
    /// Connections being opened are for the requests that came first, so those also wait for the opening, as long as it
    /// may take. Otherwise a busy machine would refuse the first client of a lane.
    ///
    /// - Parameter beingOpened: how many connections are being opened.
    mutating func takeLate(now: Int64, beingOpened: Int) -> (late: [Taken], next: Int64?) {
        // No request that comes after this can be late before then.
        var next = now + patience
        let opening = opening
        let first = Set(queue.elements.map(\.ticket).sorted().prefix(beingOpened))
        let late = queue.remove { waiter in
            let deadline = waiter.deadline + (first.contains(waiter.ticket) ? opening : 0)
            if deadline > now { next = min(next, deadline) }
            return deadline <= now
        }
        return (late.map { taken($0, now) }, queue.isEmpty ? nil : next)
    }

    private func taken(_ waiter: Waiter, _ now: Int64) -> Taken {
        (waiter.element, now - (waiter.deadline - patience))
    }
}
