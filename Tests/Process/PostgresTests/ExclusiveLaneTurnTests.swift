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
        settings.exclusiveQueueMilliseconds = 1000
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

    @Test func `within a tenant its people take turns`() {
        var lane = lane(connections: 1)
        let link = Link()
        for name in ["sam 1", "sam 2", "sam 3"] { lane.wait(name, sam) }
        lane.wait("sue 1", sue)
        lane.wait("quiet", quiet)
        let names = (0..<6).map { _ in lane.turn(after: link) }
        #expect(names == ["sam 1", "quiet", "sue 1", "sam 2", "sam 3", nil])
    }

    @Test func `no tenant gets more than half of the connections, whether others wait or not`() {
        var lane = lane(connections: 8)
        for link in (0..<8).map({ _ in Link() }) { lane.offer(link) }
        let loudLinks = lane.takeAll(loud)
        #expect(loudLinks.count == 4, "four are idle, but not for this tenant")
        for name in ["l1", "l2"] { lane.wait(name, loud) }
        #expect(lane.lendNext(now: 0) == nil)
        let quietLinks = lane.takeAll(quiet)
        #expect(quietLinks.count == 2, "a quarter is for signing in")
        lane.wait("q1", quiet)
        guard loudLinks.count == 4, quietLinks.count == 2 else { return }
        #expect(lane.turn(after: loudLinks[0]) == "l1")
        #expect(lane.turn(after: quietLinks[0]) == "q1")
        #expect(lane.turn(after: quietLinks[1]) == nil, "the loud one has its half")
        #expect(lane.turn(after: loudLinks[1]) == "l2")
        #expect(lane.isEmpty)
    }

    @Test func `who signs in gets a connection, whatever all the others do`() {
        var lane = lane(connections: 8)
        for link in (0..<8).map({ _ in Link() }) { lane.offer(link) }
        let busy = lane.takeAll(loud) + lane.takeAll(quiet)
        #expect(busy.count == 6)
        lane.wait("more", quiet)
        #expect(lane.lendNext(now: 0) == nil)
        #expect(lane.takeAll(nil).count == 2)
    }

    @Test func `what was cut off elsewhere leaves room for the rest`() {
        var lane = lane(connections: 8)
        for link in (0..<8).map({ _ in Link() }) { lane.offer(link) }
        #expect(lane.take(Wish(party: loud, wasCutOff: true)) != nil)
        #expect(lane.take(Wish(party: nil, wasCutOff: true)) != nil)
        #expect(lane.take(Wish(party: quiet, wasCutOff: true)) == nil)
        _ = lane.wait("cut off", Wish(party: quiet, wasCutOff: true), ticket: 1, now: 0)
        lane.wait("other", quiet)
        #expect(lane.lendNext(now: 0)?.taken.element == "other")
        #expect(lane.lendNext(now: 0) == nil)
    }

    @Test func `of requests that hold much, few wait`() {
        var lane = lane(connections: 1) { $0.largeQueueLimit = 3 }
        var (large, other) = (sam, sue)
        (large.holdsMuch, other.holdsMuch) = (true, true)
        lane.offer(Link())
        #expect(lane.take(Wish(party: large)) != nil)
        for name in ["a", "b"] {
            #expect(!lane.refuses(large))
            lane.wait(name, large)
        }
        #expect(lane.refuses(large) && !lane.refuses(sam) && !lane.refuses(other))
        lane.wait("c", other)
        #expect(lane.refuses(other) && !lane.refuses(sue))
        #expect(lane.leave(1) == "a" && !lane.refuses(large), "one that leaves makes room")
    }

    @Test func `no subject gets more than a quarter`() {
        var lane = lane(connections: 8)
        for link in (0..<8).map({ _ in Link() }) { lane.offer(link) }
        #expect((0..<3).compactMap { _ in lane.take(Wish(party: sam)) }.count == 2)
        #expect((0..<3).compactMap { _ in lane.take(Wish(party: sue)) }.count == 2)
        #expect(lane.take(Wish(party: loud)) == nil, "together they have half")
        #expect(lane.take(Wish(party: quiet)) != nil)
    }

    @Test func `a lane of workers is nobody's to share`() {
        var lane = lane(connections: 4) { $0.isShared = false }
        for link in (0..<4).map({ _ in Link() }) { lane.offer(link) }
        #expect((0..<5).compactMap { _ in lane.take(Wish(party: sam)) }.count == 4)
    }

    @Test func `a lone subject takes one connection, and the rest are for others`() {
        var lane = lane(connections: 8)
        let links = (0..<8).map { _ in Link() }
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
        #expect(lane.take(Wish(party: quiet)) == nil)
    }

    @Test func `of one subject only so many wait`() {
        var lane = lane(connections: 1) { $0.subjectQueueLimit = 2 }
        for name in ["a", "b"] {
            #expect(!lane.refuses(sam))
            lane.wait(name, sam)
        }
        #expect(lane.refuses(sam))
        #expect(!lane.refuses(sue))
        #expect(!lane.refuses(loud))
    }

    @Test func `a program's sixty-four requests wait`() {
        var lane = ExclusiveLaneState<Link, String>(Pool.Settings(""))
        for number in 1...64 {
            #expect(!lane.refuses(sam))
            lane.wait("\(number)", sam)
        }
        #expect(lane.refuses(sam) && !lane.refuses(sue))
    }

    @Test func `a full queue makes room for a tenant with little in it`() {
        var lane = lane(connections: 1) { $0.queueLimit = 4 }
        for name in ["a", "b", "c", "d"] {
            #expect(lane.displace(for: quiet) == nil)
            lane.wait(name, loud)
        }
        #expect(lane.refuses(loud))
        #expect(!lane.refuses(quiet))
        #expect(lane.displace(for: quiet) == "d")
        lane.wait("e", quiet)
        #expect(!lane.refuses(nil))
        #expect(lane.displace(for: nil) == "c")
        lane.wait("f", nil)
        #expect(lane.refuses(quiet) && lane.refuses(nil))
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
        var (late, next) = lane.takeLate(now: 1000 * ms - 1, isConnected: true, beingOpened: 0)
        #expect(late.isEmpty && next == 1000 * ms)
        (late, next) = lane.takeLate(now: 1050 * ms, isConnected: true, beingOpened: 0)
        #expect(late.map { $0.element } == ["a"] && late.map { $0.waited } == [1050 * ms])
        #expect(next == 1300 * ms)
        let link = Link()
        lane.offer(link)
        #expect(lane.lendNext(now: 1100 * ms)?.taken.waited == 800 * ms)
        (late, next) = lane.takeLate(now: 5000 * ms, isConnected: true, beingOpened: 0)
        #expect(late.isEmpty && next == nil)
    }

    @Test func `without a connection nobody waits long, and else as long as it may take`() {
        var lane = lane(connections: 1) { $0.exclusiveQueueMilliseconds = 10_000 }
        #expect(lane.retryAfterSeconds == 1)
        for ticket in 1...2 {
            _ = lane.wait("\(ticket)", Wish(party: loud), ticket: ticket, now: 0)
        }
        var (late, next) = lane.takeLate(now: 1000 * ms, isConnected: true, beingOpened: 0)
        #expect(late.isEmpty && next == 2000 * ms, "the database may be gone by then")
        let link = Link()
        lane.offer(link)
        _ = lane.lendNext(now: 4100 * ms)
        #expect(lane.retryAfterSeconds == 5, "so long the last one had to wait")
        (late, next) = lane.takeLate(now: 5000 * ms, isConnected: false, beingOpened: 0)
        #expect(late.map { $0.element } == ["2"] && next == nil)
    }

    @Test func `the first requests wait as long as opening connections may take`() {
        var lane = lane(connections: 2)
        for (ticket, name) in ["a", "b", "c"].enumerated() {
            _ = lane.wait(name, Wish(party: loud), ticket: ticket + 1, now: Int64(ticket) * ms)
        }
        // Two are being opened: for the first two.
        var (late, next) = lane.takeLate(now: 1002 * ms, isConnected: true, beingOpened: 2)
        #expect(late.map { $0.element } == ["c"])
        // No request that came later could be late before that.
        #expect(next == 2002 * ms)
        (late, next) = lane.takeLate(now: 3999 * ms, isConnected: true, beingOpened: 2)
        #expect(late.isEmpty && next == 4000 * ms)
        // One of them was opened for another request meanwhile.
        (late, next) = lane.takeLate(now: 3999 * ms, isConnected: true, beingOpened: 1)
        #expect(late.map { $0.element } == ["b"] && next == 4000 * ms)
        (late, next) = lane.takeLate(now: 4000 * ms, isConnected: true, beingOpened: 1)
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

    /// Takes as many connections as a party may have.
    fileprivate mutating func takeAll(_ party: Party?) -> [Link] {
        var links: [Link] = []
        while let link = take(Wish(party: party)) { links.append(link) }
        return links
    }

    /// Takes a connection back and returns who gets it.
    fileprivate mutating func turn(after link: Link) -> String? {
        end(link)
        offer(link)
        return lendNext(now: 0)?.taken.element
    }
}
