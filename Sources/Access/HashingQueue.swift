/// How many passwords may wait to be hashed.
struct HashingLimits: Sendable {
    var known = 64
    var strangers = 64
    var strangersOfNetwork = 32
    var ofAccount = 4
}

/// Passwords that wait to be hashed one at a time, and their order.
///
/// Known askers (signed in, or at a device from which the person signed in before) go before strangers, who still get
/// every fourth turn. Among strangers, the network that was served longest ago goes first, and within it the account
/// that was served longest ago. A flood from one network, or for one account, therefore waits behind itself. A full
/// queue drops an entry of the network with the most waiting to admit a network with fewer.
struct HashingQueue<Job> {
    private struct Waiting {
        let ticket: Int
        let asker: Asker
        let job: Job
    }

    /// After this many turns of known askers, a stranger gets a turn.
    private static var knownInRow: Int { 3 }
    private static var rememberedMax: Int { 1000 }

    private let limits: HashingLimits
    private var waiting: [Waiting] = []
    private var servedNetworks: [String: Int] = [:]
    private var servedAccounts: [Asker: Int] = [:]
    private var turn = 0
    private var knownServedInRow = 0

    init(limits: HashingLimits = HashingLimits()) {
        self.limits = limits
    }

    var count: Int { waiting.count }

    /// Adds a job unless too many wait; also returns the job that was dropped for it, if any.
    mutating func add(_ job: Job, of asker: Asker, ticket: Int) -> (isIn: Bool, out: Job?) {
        func count(_ isMeant: (Asker) -> Bool) -> Int { waiting.count { isMeant($0.asker) } }
        guard count({ $0 == asker }) < limits.ofAccount else { return (false, nil) }
        let new = Waiting(ticket: ticket, asker: asker, job: job)
        if asker.isKnown {
            guard count({ $0.isKnown }) < limits.known else { return (false, nil) }
            waiting.append(new)
            return (true, nil)
        }
        let own = count { !$0.isKnown && $0.network == asker.network }
        guard own < limits.strangersOfNetwork else { return (false, nil) }
        guard count({ !$0.isKnown }) >= limits.strangers else {
            waiting.append(new)
            return (true, nil)
        }
        guard let index = newestOfLargestNetwork(above: own + 1) else { return (false, nil) }
        let out = waiting.remove(at: index).job
        waiting.append(new)
        return (true, out)
    }

    /// Removes and returns the next job; `nil` if nothing waits.
    mutating func next() -> Job? {
        let isKnownNext = knownServedInRow < Self.knownInRow
        let candidates = waiting.indices.filter { waiting[$0].asker.isKnown == isKnownNext }
        guard
            let index = (candidates.isEmpty ? Array(waiting.indices) : candidates).min(by: isFirst)
        else { return nil }
        let next = waiting.remove(at: index)
        turn += 1
        if servedNetworks.count + servedAccounts.count >= Self.rememberedMax {
            servedNetworks.removeAll()
            servedAccounts.removeAll()
        }
        knownServedInRow = next.asker.isKnown ? knownServedInRow + 1 : 0
        if !next.asker.isKnown { servedNetworks[next.asker.network] = turn }
        servedAccounts[next.asker] = turn
        return next.job
    }

    /// Removes a job that is no longer wanted, if it is still waiting.
    mutating func withdraw(_ ticket: Int) -> Job? {
        waiting.firstIndex { $0.ticket == ticket }.map { waiting.remove(at: $0).job }
    }

    private func isFirst(_ left: Int, _ right: Int) -> Bool {
        func rank(_ index: Int) -> (Int, Int, Int) {
            let asker = waiting[index].asker
            let network = asker.isKnown ? 0 : servedNetworks[asker.network] ?? 0
            return (network, servedAccounts[asker] ?? 0, waiting[index].ticket)
        }
        return rank(left) < rank(right)
    }

    /// The index of the newest job of the network of strangers with the most waiting, if that is more than `least`.
    private func newestOfLargestNetwork(above least: Int) -> Int? {
        var counts: [String: Int] = [:]
        for one in waiting where !one.asker.isKnown { counts[one.asker.network, default: 0] += 1 }
        guard let largest = counts.max(by: { $0.value < $1.value }), largest.value > least else {
            return nil
        }
        return waiting.lastIndex { !$0.asker.isKnown && $0.asker.network == largest.key }
    }
}
