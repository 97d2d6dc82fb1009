import Testing
import Values

@testable import Postgres

/// Who gets a connection of the exclusive lane and who has waited too long, without a server and without a clock.
@Suite struct ExclusiveLaneTurns {
    private typealias Lane = ExclusiveLaneState<Link, String>

    private let loud = Party(tenant: UUID(high: 1, low: 1), subject: nil)
    private let quiet = Party(tenant: UUID(high: 1, low: 2), subject: nil)
    private let sam = Party(tenant: UUID(high: 1, low: 1), subject: UUID(high: 2, low: 1))
    private let sue = Party(tenant: UUID(high: 1, low: 1), subject: UUID(high: 2, low: 2))
    private let ms: Int64 = 1_000_000

    private func lane(connections: Int, change: (inout Pool.Settings) -> Void = { _ in }) -> Lane {
        var settings = Pool.Settings("")
        settings.exclusiveConnections = connections
        settings.queueMilliseconds = 1000
        settings.connectionSeconds = 3
        change(&settings)
        return Lane(settings)
    }

    @Test func `tenants take turns on one connection`() {
        var lane = lane(connections: 1)
        let link = Link()
        for (name, party) in [
            ("a", loud), ("b", loud), ("c", loud), ("d", quiet), ("e", nil), ("f", quiet),
        ] {
            lane.wait(name, party)
        }
        let names = (0..<7).map { _ in lane.turn(after: link) }
        #expect(names == ["a", "d", "e", "b", "f", "c", nil])
    }

    @Test func `no tenant gets more than half of the connections while others wait`() {
        var lane = lane(connections: 4)
        let links = (0..<4).map { _ in Link() }
        for link in links { lane.offer(link) }
        // A lone tenant may have all of them.
        for _ in links { #expect(lane.take(Wish(party: loud)) != nil) }
        #expect(lane.take(Wish(party: quiet)) == nil)
        #expect(lane.isFull && lane.lentCount == 4)
        for name in ["l1", "l2"] { lane.wait(name, loud) }
        for name in ["q1", "q2", "q3"] { lane.wait(name, quiet) }
        #expect(lane.turn(after: links[0]) == "q1")
        #expect(lane.turn(after: links[1]) == "q2")
        #expect(lane.turn(after: links[0]) == "q3")
        #expect(lane.turn(after: links[2]) == "l1")
        #expect(lane.turn(after: links[3]) == "l2")
        #expect(lane.isEmpty)
    }

    @Test func `a lone subject takes one connection, and the rest are for others`() {
        var lane = lane(connections: 3)
        let links = (0..<3).map { _ in Link() }
        for link in links { lane.offer(link) }
        let first = lane.take(Wish(party: sam, isAlone: true))
        #expect(first != nil)
        #expect(lane.take(Wish(party: sam, isAlone: true)) == nil)
        lane.wait("sam again", sam, isAlone: true)
        #expect(lane.lendNext(now: 0) == nil, "a connection is idle, but not for sam")
        #expect(lane.take(Wish(party: sue, isAlone: true)) != nil)
        #expect(lane.take(Wish(party: sam)) != nil, "beside it, what changes nothing of sam's")
        guard let first else { return }
        #expect(lane.turn(after: first) == "sam again")
    }

    @Test func `a connection that broke is not lent, and a loan of it counts no longer`() {
        var lane = lane(connections: 2)
        let (broken, sound) = (Link(), Link())
        lane.offer(sound)
        lane.offer(broken)
        broken.isAlive = false
        #expect(lane.take(Wish(party: loud)) === sound)
        #expect(lane.take(Wish(party: loud)) == nil)
        sound.isAlive = false
        #expect(lane.lentCount == 0)
        lane.end(sound)
        let fresh = Link()
        lane.wait("a", loud)
        lane.offer(fresh)
        #expect(lane.lendNext(now: 0)?.lent === fresh)
        lane.offer(fresh)
        lane.forgetIdle()
        #expect(lane.take(Wish(party: loud)) == nil)
    }

    @Test func `two requests of a subject wait, and more for connections still to be opened`() {
        var lane = lane(connections: 1)
        for name in ["a", "b"] {
            #expect(!lane.refuses(sam, unopened: 0))
            lane.wait(name, sam)
        }
        #expect(lane.refuses(sam, unopened: 0))
        #expect(!lane.refuses(sam, unopened: 1))
        #expect(!lane.refuses(sue, unopened: 0))
        #expect(!lane.refuses(loud, unopened: 0))
    }

    @Test func `a full queue makes room for a tenant with little in it`() {
        var lane = lane(connections: 1) { $0.queueLimit = 4 }
        for name in ["a", "b", "c", "d"] {
            #expect(lane.displace(for: quiet) == nil)
            lane.wait(name, loud)
        }
        #expect(lane.refuses(loud, unopened: 1))
        #expect(!lane.refuses(quiet, unopened: 1))
        #expect(lane.displace(for: quiet) == "d")
        lane.wait("e", quiet)
        #expect(!lane.refuses(nil, unopened: 1))
        #expect(lane.displace(for: nil) == "c")
        lane.wait("f", nil)
        #expect(lane.refuses(quiet, unopened: 1) && lane.refuses(nil, unopened: 1))
        #expect(lane.removeAll() == ["a", "b", "e", "f"])
    }

    @Test func `one that leaves is taken out once, and nobody else is`() {
        var lane = lane(connections: 1)
        let tickets = (0..<3).map { _ in lane.newTicket() }
        for ticket in tickets { _ = lane.wait("\(ticket)", Wish(), ticket: ticket, now: 0) }
        #expect(lane.leave(tickets[0]) == "\(tickets[0])")
        #expect(lane.leave(tickets[0]) == nil)
        #expect(lane.count == 2)
    }

    @Test func `what has waited too long is late, and the next deadline is known`() {
        var lane = lane(connections: 1)
        #expect(lane.wait("a", Wish(party: loud), ticket: 1, now: 0) == 1000 * ms)
        #expect(lane.wait("b", Wish(party: quiet), ticket: 2, now: 300 * ms) == 1300 * ms)
        var (late, next) = lane.takeLate(now: 1000 * ms - 1, beingOpened: 0)
        #expect(late.isEmpty && next == 1000 * ms)
        (late, next) = lane.takeLate(now: 1050 * ms, beingOpened: 0)
        #expect(late.map { $0.element } == ["a"] && late.map { $0.waited } == [1050 * ms])
        #expect(next == 1300 * ms)
        let link = Link()
        lane.offer(link)
        #expect(lane.lendNext(now: 1100 * ms)?.taken.waited == 800 * ms)
        (late, next) = lane.takeLate(now: 5000 * ms, beingOpened: 0)
        #expect(late.isEmpty && next == nil)
    }

    @Test func `the first requests wait as long as opening connections may take`() {
        var lane = lane(connections: 2)
        for (ticket, name) in ["a", "b", "c"].enumerated() {
            _ = lane.wait(name, Wish(party: loud), ticket: ticket + 1, now: Int64(ticket) * ms)
        }
        // Two are being opened: for the first two.
        var (late, next) = lane.takeLate(now: 1002 * ms, beingOpened: 2)
        #expect(late.map { $0.element } == ["c"])
        // No request that came later could be late before that.
        #expect(next == 2002 * ms)
        (late, next) = lane.takeLate(now: 3999 * ms, beingOpened: 2)
        #expect(late.isEmpty && next == 4000 * ms)
        // One of them was opened for another request meanwhile.
        (late, next) = lane.takeLate(now: 3999 * ms, beingOpened: 1)
        #expect(late.map { $0.element } == ["b"] && next == 4000 * ms)
        (late, next) = lane.takeLate(now: 4000 * ms, beingOpened: 1)
        #expect(late.map { $0.element } == ["a"] && next == nil)
    }
}

/// A connection to nowhere.
private final class Link: Lendable {
    var isAlive = true
}

extension ExclusiveLaneState<Link, String> {
    fileprivate mutating func wait(
        _ name: String, _ party: Party?, isAlone: Bool = false
    ) {
        let wish = Wish(party: party, isAlone: isAlone)
        _ = wait(name, wish, ticket: newTicket(), now: 0)
    }

    /// Takes a connection back and returns who gets it.
    fileprivate mutating func turn(after link: Link) -> String? {
        end(link)
        offer(link)
        return lendNext(now: 0)?.taken.element
    }
}
