import Testing

@testable import HTTPServer

@Suite struct HandshakeCounts {
    private let second: Int64 = 1_000_000_000

    private func limit(unfinished: Int = 100, burst: Int = 4, perSecond: Int = 2) -> HandshakeLimit
    {
        var limits = HandshakeLimits()
        limits.unfinished = unfinished
        limits.burst = burst
        limits.perSecond = perSecond
        return HandshakeLimit(limits)
    }

    @Test func `a burst is allowed at once, then the long-run rate`() throws {
        let limit = limit()
        let address = try #require(NetworkAddress("192.0.2.7"))
        let other = try #require(NetworkAddress("192.0.2.8"))
        #expect(
            (0..<6).map { _ in limit.begin(address, now: 0) } == [
                true, true, true, true, false, false,
            ])
        #expect(limit.begin(other, now: 0))
        #expect(limit.begin(address, now: second / 2))
        #expect(!limit.begin(address, now: second / 2))
        #expect(
            (0..<6).map { _ in limit.begin(address, now: 90 * second) }.filter { $0 }.count == 4)
    }

    @Test func `each end makes room for another handshake`() throws {
        let limit = limit(unfinished: 1, burst: 100)
        let address = try #require(NetworkAddress("192.0.2.7"))
        #expect(limit.begin(address, now: 0))
        #expect(!limit.begin(address, now: 0))
        limit.end(address)
        limit.end(address)
        #expect(limit.begin(address, now: 0))
        #expect(!limit.begin(address, now: 0))
    }

    @Test func `all addresses of an IPv6 network are one`() throws {
        let limit = limit(burst: 2)
        let addresses = try (1...3).map { try #require(NetworkAddress("2001:db8:0:1::\($0)")) }
        #expect(addresses.map { limit.begin($0, now: 0) } == [true, true, false])
        #expect(limit.begin(try #require(NetworkAddress("2001:db8:0:2::1")), now: 0))
    }

    @Test func `any number of addresses takes bounded memory`() throws {
        let limit = limit(unfinished: 1000, burst: 1, perSecond: 1)
        for number in 0..<40_000 {
            let address = NetworkAddress(high: UInt64(number) << 16, low: 1)
            #expect(limit.begin(address, now: 0))
            limit.end(address)
        }
        #expect(limit.addressCount <= 16_384)
        // An address that owes nothing any more is forgotten.
        #expect(limit.begin(NetworkAddress(high: 99, low: 1), now: 5 * second))
        #expect(limit.addressCount == 1)
    }
}
