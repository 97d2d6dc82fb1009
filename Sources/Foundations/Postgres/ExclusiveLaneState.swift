import Values

/// Something that is lent to one at a time, and may break meanwhile.
protocol Lendable: AnyObject {
    var isAlive: Bool { get }
}

/// On whose behalf a connection is wanted, and for what.
struct Wish {
    var party: Party?
    /// Whether the subject may have no other such connection meanwhile.
    var isAlone = false
    /// Whether the shared lane has cut it off. If that is because the database is slow, there are many, and they must
    /// leave room for what belongs here.
    var wasCutOff = false
}

/// The connections of the exclusive lane and what waits for them: whose turn it is, and who has waited too long.
///
/// A value: callers report each event with its time, and it says what follows. Times are nanoseconds of the loop's clock.
struct ExclusiveLaneState<Lent: Lendable, Element> {
    private struct Waiter {
        let element: Element
        let since: Int64
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
    /// How long the one that left the queue last had waited.
    private var lastWait: Int64 = 0

    private let connections: Int
    /// How many of them one tenant may have at a time, one subject of it, all tenants, and all wishes that were cut off.
    private let tenantShare, subjectShare, tenantsShare, cutOffShare: Int
    private let limit: Int
    private let subjectLimit: Int
    /// The same for those that hold much.
    private let largeLimit, largeSubjectLimit: Int
    /// How long one waits for others, and for the database while it cannot be reached.
    private let patience, unconnectedPatience: Int64
    /// How long opening a connection may take.
    private let opening: Int64

    init(_ settings: Pool.Settings) {
        connections = settings.exclusiveConnections
        let quarter = settings.isShared ? max(1, connections / 4) : connections
        tenantShare = settings.isShared ? (connections + 1) / 2 : connections
        (subjectShare, cutOffShare) = (quarter, quarter)
        tenantsShare = settings.isShared ? max(1, connections - quarter) : connections
        limit = settings.queueLimit
        subjectLimit = settings.subjectQueueLimit
        largeLimit = settings.largeQueueLimit
        largeSubjectLimit = settings.largeSubjectQueueLimit
        unconnectedPatience = Int64(settings.queueMilliseconds) * 1_000_000
        patience = max(
            unconnectedPatience, Int64(settings.exclusiveQueueMilliseconds) * 1_000_000)
        opening = Int64(settings.connectionSeconds) * 1_000_000_000
    }

    /// When one that is refused now may be served: as soon as those that are served now have waited.
    var retryAfterSeconds: Int { Int(min(30, max(1, (lastWait + 999_999_999) / 1_000_000_000))) }

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
    func refuses(_ party: Party?) -> Bool {
        if let party, queue.count(of: party) >= subjectLimit || isTooMuch(party) { return true }
        return queue.count >= limit && !queue.hasLongerLine(than: party?.tenant)
    }

    /// Whether one more would keep too much in memory.
    private func isTooMuch(_ party: Party) -> Bool {
        guard party.holdsMuch else { return false }
        let large = queue.elements.compactMap(\.wish.party).filter(\.holdsMuch)
        func isSame(_ other: Party?) -> Bool {
            other?.tenant == party.tenant && other?.subject == party.subject
        }
        // Those for which a connection is only being opened count as if they had it.
        let own = large.count(where: isSame) + loans.count { isSame($0.wish.party) }
        let share = party.subject == nil ? tenantShare : subjectShare
        return large.count >= largeLimit || own >= share + largeSubjectLimit
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

    /// Lets an element wait; returns when to look at it again.
    mutating func wait(_ element: Element, _ wish: Wish, ticket: Int, now: Int64) -> Int64 {
        queue.append(
            Waiter(element: element, since: now, ticket: ticket, wish: wish), of: wish.party)
        return now + unconnectedPatience
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

    private mutating func takeNext() -> Waiter? {
        let state = self
        return queue.removeNext(where: state.hasShare, { state.mayBegin($0.wish) })
    }

    /// Whether a tenant has less than its part of the lane; whether others want it now makes no difference, since a
    /// connection may be gone for as long as a statement takes.
    private func hasShare(_ tenant: UUID?) -> Bool {
        loans.count { $0.wish.party?.tenant == tenant } < tenantShare
    }

    private func mayBegin(_ wish: Wish) -> Bool {
        guard hasShare(wish.party?.tenant) else { return false }
        if wish.wasCutOff, loans.count(where: \.wish.wasCutOff) >= cutOffShare { return false }
        // What nobody can be named for yet is signing in: all the others leave room for it.
        if wish.party != nil, loans.count(where: { $0.wish.party != nil }) >= tenantsShare {
            return false
        }
        guard let subject = wish.party?.subject else { return true }
        let own = loans.lazy.filter { $0.wish.party?.subject == subject }
        if wish.isAlone, own.contains(where: \.wish.isAlone) { return false }
        return own.count < subjectShare
    }

    private mutating func takeIdle() -> Lent? {
        while let lent = idle.popLast() {
            if lent.isAlive { return lent }
        }
        return nil
    }

    // MARK: Deadlines

    /// Those that have waited too long, and when to look again, if any still waits.
    ///
    /// Connections being opened are for the requests that came first, so those also wait for the opening, as long as it
    /// may take. Otherwise a busy machine would refuse the first client of a lane.
    ///
    /// - Parameters:
    ///   - isConnected: whether there is any connection to wait for.
    ///   - beingOpened: how many connections are being opened.
    mutating func takeLate(
        now: Int64, isConnected: Bool, beingOpened: Int
    ) -> (late: [Taken], next: Int64?) {
        // By then the database may be out of reach.
        var next = now + unconnectedPatience
        let patience = isConnected ? patience : unconnectedPatience
        let opening = opening
        let first = Set(queue.elements.map(\.ticket).sorted().prefix(beingOpened))
        let late = queue.remove { waiter in
            let deadline = waiter.since + patience + (first.contains(waiter.ticket) ? opening : 0)
            if deadline > now { next = min(next, deadline) }
            return deadline <= now
        }
        return (late.map { taken($0, now) }, queue.isEmpty ? nil : next)
    }

    private mutating func taken(_ waiter: Waiter, _ now: Int64) -> Taken {
        lastWait = now - waiter.since
        return (waiter.element, lastWait)
    }
}
