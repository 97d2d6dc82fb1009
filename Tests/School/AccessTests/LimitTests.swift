import API
import Crypto
import HTTPWire
import JSONBytes
import School
import TestKit
import Testing
import Values
import WaitKit

@testable import Access

@Suite struct Limits {
    @Test func `a person who signs in a hundred times at once waits, and nobody else does`() {
        let people = Access(
            database: Database(pools: [], clock: .system), key: CredentialKey(at: "unused")
        ).people
        for _ in 1...99 { people.countFailure(Persona.tom.managedID, now: 0) }
        #expect(people.secondsToWait(Persona.tom.managedID, now: 0) == nil)
        people.countFailure(Persona.tom.managedID, now: 0)
        #expect(people.secondsToWait(Persona.tom.managedID, now: 0) == 10)
        #expect(people.secondsToWait(Persona.tom.managedID, now: 10_000_000_000) == nil)
        #expect(people.secondsToWait(Persona.sam.managedID, now: 0) == nil)
    }

    @Test func `a person who signed in too often learns when to come back`() async throws {
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

    @Test func `a sign-in is asked to come back when too many are waiting`() async throws {
        let cost = try #require(Scrypt.Cost("ln=15,r=8,p=1"))
        let passwords = PasswordThreads(limits: HashingLimits(strangers: 2), cost: cost)
        let refused = await withTaskGroup(of: Bool.self) { group in
            for number in 1...12 {
                group.addTask {
                    let asker = Asker(
                        address: "127.0.0.1", account: "\(number)", isKnownDevice: false)
                    do {
                        _ = try await passwords.matches("wrong", nil, for: asker)
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
        #expect(passwords.load.refused == refused)
    }

    @Test func `a flood of strangers is asked to come back while known devices pass`() async throws
    {
        let cost = try #require(Scrypt.Cost("ln=15,r=8,p=1"))
        let passwords = PasswordThreads(cost: cost)
        let strangers = Task {
            await withTaskGroup(of: Bool.self) { group in
                for number in 1...60 {
                    group.addTask {
                        let asker = Asker(
                            address: "192.0.2.\(number)", account: "\(number)", isKnownDevice: false
                        )
                        return (try? await passwords.matches("wrong", nil, for: asker)) != nil
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
        }
        try await eventually { passwords.load.waiting >= 30 }
        let asker = Asker(address: "192.0.2.7", account: "tom", isKnownDevice: true)
        _ = try await passwords.matches("right", nil, for: asker)
        #expect(passwords.load.waiting > 15, "it did not wait behind them")
        let answered = await strangers.value
        #expect(answered >= 30 && answered < 60)
    }
}

/// Where many wrong passwords came from.
@Suite struct SlowSignIns {
    @Test func `after that one password a second is checked, and sixteen wait`() {
        let line = SlowLine()
        for turn in 0..<16 {
            #expect(line.takeTurn("192.0.2.0", now: 5) == Int64(turn) * 1_000_000_000)
        }
        #expect(line.takeTurn("192.0.2.0", now: 5) == nil)
        #expect(line.takeTurn("198.51.100.0", now: 5) == 0)
        #expect(line.takeTurn("192.0.2.0", now: 1_000_000_005) == 15_000_000_000)
    }

    @Test func `many wrong passwords from an address do not keep a right one out`() async throws {
        try await withSchool { school in
            let access = try #require(school.features.compactMap { $0 as? Access }.first)
            for _ in 1...500 { access.addresses.countFailure("192.0.2.7", now: .max / 2) }
            #expect(access.addresses.secondsToWait("192.0.2.7", now: .max / 2) != nil)
            for persona in [Persona.tom, .sam] {
                let body: JSONValue = [
                    "managedId": .text(persona.managedID), "password": .text(Persona.password),
                ]
                let answer = try await school.send(
                    "POST", "/v1/sign-in", token: nil, body: body.bytes, from: "192.0.2.7")
                #expect(answer.status == 200)
            }
        }
    }
}

/// Which of the waiting passwords is checked next.
@Suite struct TurnsOfPasswords {
    private func stranger(_ network: String, _ account: String) -> Asker {
        Asker(address: network, account: account, isKnownDevice: false)
    }

    @Test func `networks take turns, and so do the accounts within each`() {
        var queue = HashingQueue<String>()
        let coming = [
            ("192.0.2.1", "a"), ("192.0.2.2", "a"), ("192.0.2.3", "b"), ("198.51.100.1", "a"),
            ("2001:db8::1", "c"), ("2001:db8::2", "d"),
        ]
        for (ticket, (network, account)) in coming.enumerated() {
            let added = queue.add(
                "\(network) \(account)", of: stranger(network, account), ticket: ticket)
            #expect(added.isIn && added.out == nil)
        }
        var order: [String] = []
        while let next = queue.next() { order.append(next) }
        #expect(
            order == [
                "192.0.2.1 a", "198.51.100.1 a", "2001:db8::1 c", "192.0.2.3 b", "2001:db8::2 d",
                "192.0.2.2 a",
            ])
    }

    @Test func `known devices go first, and strangers get every fourth turn`() {
        var queue = HashingQueue<String>()
        for number in 0..<2 {
            _ = queue.add("stranger", of: stranger("192.0.2.1", "\(number)"), ticket: number)
        }
        for number in 2..<8 {
            let known = Asker(address: "192.0.2.1", account: "\(number)", isKnownDevice: true)
            _ = queue.add("known", of: known, ticket: number)
        }
        var order: [String] = []
        while let next = queue.next() { order.append(next) }
        #expect(
            order == [
                "known", "known", "known", "stranger", "known", "known", "known", "stranger",
            ])
    }

    @Test func `a full queue makes room for a network with fewer waiting`() {
        var queue = HashingQueue<String>(limits: HashingLimits(strangers: 6, strangersOfNetwork: 4))
        func add(_ network: String, _ number: Int) -> (isIn: Bool, out: String?) {
            queue.add("\(network) \(number)", of: stranger(network, "\(number)"), ticket: number)
        }
        for number in 0..<4 { #expect(add("192.0.2.1", number).isIn) }
        #expect(!add("192.0.2.9", 4).isIn, "a network has its own bound")
        #expect(add("198.51.100.1", 5).isIn)
        #expect(add("198.51.100.1", 6).isIn)
        let first = add("203.0.113.1", 7)
        #expect(first.isIn && first.out == "192.0.2.1 3")
        #expect(!add("198.51.100.1", 8).isIn, "an equally full network gives way to nobody")
        #expect(queue.count == 6)
    }

    @Test func `many small networks of a large one wait behind each other`() {
        var queue = HashingQueue<String>(limits: HashingLimits(strangers: 6))
        for (ticket, network) in ["1:1", "1:2", "1:3", "2:1", "2:2", "3:1"].enumerated() {
            let asker = stranger("2001:db8:\(network)::1", "\(ticket)")
            #expect(queue.add("flood \(network)", of: asker, ticket: ticket).isIn)
        }
        let school = queue.add("school", of: stranger("2001:db9::1", "tom"), ticket: 6)
        #expect(school.isIn && school.out == "flood 1:3")
        let neighbour = queue.add("same provider", of: stranger("2001:db8:9::1", "sam"), ticket: 7)
        #expect(neighbour.isIn && neighbour.out == "flood 2:2")
        var order: [String] = []
        while let next = queue.next() { order.append(next) }
        #expect(
            order == [
                "flood 1:1", "school", "flood 2:1", "flood 3:1", "same provider", "flood 1:2",
            ])
    }

    @Test func `within a large network, a small one makes room for another`() {
        var queue = HashingQueue<String>(limits: HashingLimits(strangers: 4))
        for (ticket, network) in ["1:1", "1:1", "1:2", "2:1"].enumerated() {
            let asker = stranger("2001:db8:\(network)::1", "\(ticket)")
            #expect(queue.add("\(network) \(ticket)", of: asker, ticket: ticket).isIn)
        }
        let school = queue.add("school", of: stranger("2001:db8:9::1", "tom"), ticket: 4)
        #expect(school.isIn && school.out == "1:1 1")
    }

    @Test func `an account has four entries, and withdrawn ones do not wait`() {
        var queue = HashingQueue<Int>()
        for ticket in 0..<4 {
            #expect(queue.add(ticket, of: stranger("192.0.2.1", "tom"), ticket: ticket).isIn)
        }
        #expect(!queue.add(4, of: stranger("192.0.2.1", "tom"), ticket: 4).isIn)
        #expect(queue.withdraw(0) == 0)
        #expect(queue.withdraw(0) == nil)
        #expect(queue.add(5, of: stranger("192.0.2.1", "tom"), ticket: 5).isIn)
        #expect(queue.next() == 1)
    }
}
