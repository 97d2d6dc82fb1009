import API
import Testing

@Suite struct AddressLimits {
    @Test func `one address may try sixty wrong passwords, then one every three seconds`() {
        let limit = AddressLimit(most: 60, secondsPerFailure: 3)
        for _ in 1...60 {
            #expect(limit.secondsToWait("192.0.2.7", now: 0) == nil)
            limit.count("192.0.2.7", now: 0)
        }
        #expect(limit.secondsToWait("192.0.2.7", now: 0) == 3)
        #expect(limit.secondsToWait("192.0.2.8", now: 0) == nil)
        #expect(limit.secondsToWait("192.0.2.7", now: 1_500_000_000) == 2)
        #expect(limit.secondsToWait("192.0.2.7", now: 3_000_000_000) == nil)
    }

    @Test func `an IPv6 network is one address, and so is everybody unknown`() {
        let limit = AddressLimit(most: 60, secondsPerFailure: 3)
        for number in 1...60 {
            limit.count("2001:db8::\(number)", now: 0)
            limit.count("unknown", now: 0)
        }
        #expect(limit.secondsToWait("2001:db8::ffff:1", now: 0) == 3)
        #expect(limit.secondsToWait("2001:db8:0:1::1", now: 0) == nil)
        #expect(limit.secondsToWait("unknown", now: 0) == 3)
    }

    @Test func `a success makes up for one failure, and never for one to come`() {
        let limit = AddressLimit(most: 2, secondsPerFailure: 3)
        limit.countSuccess("192.0.2.7", now: 0)
        for _ in 1...2 { limit.count("192.0.2.7", now: 0) }
        #expect(limit.secondsToWait("192.0.2.7", now: 0) == 3)
        limit.countSuccess("192.0.2.7", now: 0)
        #expect(limit.secondsToWait("192.0.2.7", now: 0) == nil)
        for _ in 1...5 { limit.countSuccess("192.0.2.7", now: 0) }
        for _ in 1...2 { limit.count("192.0.2.7", now: 0) }
        #expect(limit.secondsToWait("192.0.2.7", now: 0) == 3)
    }

    @Test func `a reverse proxy on the same machine is not one address`() {
        let limit = AddressLimit(most: 60, secondsPerFailure: 3)
        for address in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            for _ in 1...100 { limit.count(address, now: 0) }
            #expect(limit.secondsToWait(address, now: 0) == nil)
        }
    }
}
