import Testing
import Values

@testable import Postgres

/// Whose turn it is on the shared lane and who has waited too long, without a connection and without a clock.
@Suite struct SharedLaneTurns {
    private let loud = UUID(high: 1, low: 1)
    private let quiet = UUID(high: 1, low: 2)
    private let third = UUID(high: 1, low: 3)
    private let ms: Int64 = 1_000_000

    private func lane(
        limit: Int = 100, connections: Int = 4
    ) -> SharedLaneState<String> {
        var settings = Pool.Settings("")
        settings.sharedConnections = connections
        settings.sharedDepth = 1
        settings.sharedQueueLimit = limit
        settings.queueMilliseconds = 1000
        return SharedLaneState(settings)
    }

    @Test func `tenants take turns, and those without one are a tenant`() {
        var lane = lane()
        for (name, tenant) in [
            ("a", loud), ("b", loud), ("c", loud), ("d", quiet), ("e", nil), ("f", quiet),
        ] {
            #expect(lane.outcome(name, tenant) == "waits")
        }
        #expect(lane.order() == ["a", "d", "e", "b", "f", "c"])
        #expect(lane.isEmpty)
    }

    @Test func `what does not fit is refused, unless another tenant has more in the queue`() {
        var lane = lane(limit: 4)
        for name in ["a", "b", "c", "d"] { #expect(lane.outcome(name, loud) == "waits") }
        #expect(lane.outcome("e", loud) == "refused")
        #expect(lane.outcome("f", quiet) == "displaces d")
        #expect(lane.outcome("g", third) == "displaces c")
        // The longest line has no more than one element beyond what it would have.
        #expect(lane.outcome("h", quiet) == "refused")
        #expect(lane.outcome("i", loud) == "refused")
        #expect(lane.count == 4)
        #expect(lane.order() == ["a", "f", "g", "b"])
    }

    @Test func `no tenant gets more than half of the slots while others wait`() {
        var lane = lane(connections: 4)
        var inProgress: [UUID: Int] = [loud: 4, quiet: 0]
        func next() -> String? {
            let counts = inProgress
            return lane.takeNext(now: 0) { tenant in tenant.flatMap { counts[$0] } ?? 0 }?.element
        }
        for name in ["l1", "l2", "l3"] { #expect(lane.outcome(name, loud) == "waits") }
        // A lone tenant may have all of them.
        #expect(next() == "l1")
        for name in ["q1", "q2", "q3"] { #expect(lane.outcome(name, quiet) == "waits") }
        inProgress = [loud: 3, quiet: 0]
        #expect(next() == "q1")
        inProgress = [loud: 2, quiet: 1]
        #expect(next() == "q2")
        // Both have half: the next in turn gets one, and is not refused for having half.
        inProgress = [loud: 2, quiet: 2]
        #expect(next() == "l2")
        #expect(next() == "q3")
        #expect(next() == "l3")
        #expect(next() == nil)
    }

    @Test func `slots are counted only while several tenants wait`() {
        var lane = lane()
        var counted = 0
        func next() {
            _ = lane.takeNext(now: 0) { _ in
                counted += 1
                return 0
            }
        }
        for name in ["a", "b"] { #expect(lane.outcome(name, loud) == "waits") }
        next()
        #expect(counted == 0)
        #expect(lane.outcome("c", quiet) == "waits")
        next()
        #expect(counted > 0)
    }

    @Test func `what has waited too long is late, the first of each line before what follows`() {
        var lane = lane()
        #expect(lane.nextDeadline == nil)
        #expect(lane.outcome("a", loud, now: 0) == "waits")
        #expect(lane.outcome("b", loud, now: 400 * ms) == "waits")
        #expect(lane.outcome("c", quiet, now: 100 * ms) == "waits")
        #expect(lane.nextDeadline == 1000 * ms)
        #expect(lane.takeLate(now: 1000 * ms - 1) == nil)
        let late = lane.takeLate(now: 1000 * ms)
        #expect(late?.element == "a" && late?.waited == 1000 * ms)
        #expect(lane.takeLate(now: 1000 * ms) == nil)
        #expect(lane.nextDeadline == 1100 * ms)
        // A turn that is too late for the clock, but comes before it is looked at, is a turn.
        let next = lane.takeNext(now: 1250 * ms, inProgress: { _ in 0 })
        #expect(next?.element == "b" && next?.waited == 850 * ms)
        let last = lane.takeLate(now: 1250 * ms)
        #expect(last?.element == "c" && last?.waited == 1150 * ms)
        #expect(lane.isEmpty && lane.nextDeadline == nil)
    }

    @Test func `one that leaves is taken out once, and nobody else is`() {
        var lane = lane()
        let tickets = (0..<3).map { _ in lane.newTicket() }
        #expect(Set(tickets).count == 3 && !tickets.contains(0))
        for ticket in tickets {
            guard case .waits = lane.admit("\(ticket)", of: nil, ticket: ticket, now: 0) else {
                Issue.record("it does not wait")
                return
            }
        }
        #expect(lane.leave(tickets[1]) == "\(tickets[1])")
        #expect(lane.leave(tickets[1]) == nil)
        #expect(lane.count == 2)
        #expect(lane.removeAll() == ["\(tickets[0])", "\(tickets[2])"])
        #expect(lane.isEmpty)
    }
}

extension SharedLaneState<String> {
    /// The names in the order of their turns, while nothing is in progress.
    fileprivate mutating func order() -> [String] {
        var names: [String] = []
        while let next = takeNext(now: 0, inProgress: { _ in 0 }) { names.append(next.element) }
        return names
    }

    fileprivate mutating func outcome(_ name: String, _ tenant: UUID?, now: Int64 = 0) -> String {
        let party = tenant.map { Party(tenant: $0, subject: nil) }
        return switch admit(name, of: party, ticket: newTicket(), now: now) {
        case .waits: "waits"
        case .refused: "refused"
        case .displaces(let other): "displaces \(other)"
        }
    }
}
