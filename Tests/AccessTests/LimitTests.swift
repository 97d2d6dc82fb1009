import HTTPWire
import JSONBytes
import School
import TestKit
import Testing
import Values

@testable import Access

@Suite struct Limits {
    @Test func `one address may try sixty wrong passwords, then one every three seconds`() {
        let limit = AddressLimit(most: 60, secondsPerFailure: 3)
        for _ in 1...60 {
            #expect(limit.secondsToWait("192.0.2.7", now: 0) == nil)
            limit.countFailure("192.0.2.7", now: 0)
        }
        #expect(limit.secondsToWait("192.0.2.7", now: 0) == 3)
        #expect(limit.secondsToWait("192.0.2.8", now: 0) == nil)
        #expect(limit.secondsToWait("192.0.2.7", now: 1_500_000_000) == 2)
        #expect(limit.secondsToWait("192.0.2.7", now: 3_000_000_000) == nil)
    }

    @Test func `an IPv6 network is one address, and so is everybody unknown`() {
        let limit = AddressLimit(most: 60, secondsPerFailure: 3)
        for number in 1...60 {
            limit.countFailure("2001:db8::\(number)", now: 0)
            limit.countFailure("unknown", now: 0)
        }
        #expect(limit.secondsToWait("2001:db8::ffff:1", now: 0) == 3)
        #expect(limit.secondsToWait("2001:db8:0:1::1", now: 0) == nil)
        #expect(limit.secondsToWait("unknown", now: 0) == 3)
    }

    @Test func `a reverse proxy on the same machine is not one address`() {
        let limit = AddressLimit(most: 60, secondsPerFailure: 3)
        for address in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            for _ in 1...100 { limit.countFailure(address, now: 0) }
            #expect(limit.secondsToWait(address, now: 0) == nil)
        }
    }

    @Test func `a person who signs in a hundred times at once waits, and nobody else does`() {
        let people = Access(database: Database(pools: [])).people
        for _ in 1...99 { people.countFailure(Persona.tom.managedID, now: 0) }
        #expect(people.secondsToWait(Persona.tom.managedID, now: 0) == nil)
        people.countFailure(Persona.tom.managedID, now: 0)
        #expect(people.secondsToWait(Persona.tom.managedID, now: 0) == 10)
        #expect(people.secondsToWait(Persona.tom.managedID, now: 10_000_000_000) == nil)
        #expect(people.secondsToWait(Persona.sam.managedID, now: 0) == nil)
    }

    @Test func `a person who signed in too often is told when to come back`() async throws {
        try await withSchool { school in
            let access = try #require(school.features.compactMap { $0 as? Access }.first)
            for _ in 1...100 {
                access.people.countFailure(Persona.tom.managedID, now: .max / 2)
            }
            let answer = try await school.trySignIn("TOM@hillside.example")
            #expect(answer.status == 429)
            #expect(answer.code == "too_many_sign_ins")
            #expect(answer.header("retry-after") != nil)
            _ = try await school.signIn(.sam)
        }
    }

    @Test func `whoever comes when a class is waiting is told to come back`() async throws {
        let passwords = PasswordThreads(queueLimit: 2)
        let refused = await withTaskGroup(of: Bool.self) { group in
            for _ in 1...12 {
                group.addTask {
                    do {
                        _ = try await passwords.matches("wrong", nil)
                        return false
                    } catch {
                        return (error as? Problem)?.status == 429
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(refused > 0)
        #expect(refused < 12)
    }
}
