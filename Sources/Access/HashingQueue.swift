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
/// every fourth turn. Among strangers, the provider's network that was served longest ago goes first, within it the
/// organization's, then the customer's, and then the account that was served longest ago. A flood from one network, or
/// for one account, therefore waits behind itself, also if it comes from many small networks of a large one. A full
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
    /// How many networks an address lies in at most.
    private static var levels: Int { 3 }

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
        guard let index = indexGivingWay(to: asker) else { return (false, nil) }
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
        for network in next.asker.networks { servedNetworks[network] = turn }
        servedAccounts[next.asker] = turn
        return next.job
    }

    /// Removes a job that is no longer wanted, if it is still waiting.
    mutating func withdraw(_ ticket: Int) -> Job? {
        waiting.firstIndex { $0.ticket == ticket }.map { waiting.remove(at: $0).job }
    }

    private func isFirst(_ left: Int, _ right: Int) -> Bool {
        func rank(_ index: Int) -> [Int] {
            let asker = waiting[index].asker
            let networks = (0..<Self.levels).map { servedNetworks[asker.network(at: $0)] ?? 0 }
            return networks + [servedAccounts[asker] ?? 0, waiting[index].ticket]
        }
        return rank(left).lexicographicallyPrecedes(rank(right))
    }

    /// The newest job of the network of strangers with the most waiting, which gives way to one of a network with fewer.
    ///
    /// In the widest networks first. Where the asker's own has the most, the networks within it are compared.
    private func indexGivingWay(to asker: Asker) -> Int? {
        var strangers = waiting.indices.filter { !waiting[$0].asker.isKnown }
        var isFound = false
        for level in 0..<Self.levels {
            let networks = Dictionary(grouping: strangers) {
                waiting[$0].asker.network(at: level)
            }
            let own = networks[asker.network(at: level)] ?? []
            let largest = networks.values.max { ($0.count, $0.last!) < ($1.count, $1.last!) }
            guard let largest else { break }
            if isFound || largest.count > own.count + 1 {
                (strangers, isFound) = (largest, true)
            } else {
                strangers = own
            }
        }
        return isFound ? strangers.last : nil
    }
}
