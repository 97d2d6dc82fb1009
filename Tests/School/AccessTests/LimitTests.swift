import API
import Crypto
import EventLoop
import HTTPServer
import HTTPWire
import JSONBytes
import School
import Synchronization
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
        for _ in 1...99 { people.count(Persona.tom.managedID, now: 0) }
        #expect(people.secondsToWait(Persona.tom.managedID, now: 0) == nil)
        people.count(Persona.tom.managedID, now: 0)
        #expect(people.secondsToWait(Persona.tom.managedID, now: 0) == 10)
        #expect(people.secondsToWait(Persona.tom.managedID, now: 10_000_000_000) == nil)
        #expect(people.secondsToWait(Persona.sam.managedID, now: 0) == nil)
    }

    @Test func `a person who signed in too often learns when to come back`() async throws {
        try await withSchool { school in
            let access = try #require(school.features.compactMap { $0 as? Access }.first)
            for _ in 1...100 {
                access.people.count(Persona.tom.managedID, now: .max / 2)
            }
            let answer = try await school.trySignIn("TOM@hillside.example")
            #expect(answer.status == 429)
            #expect(answer.code == "too_many_sign_ins")
            #expect(answer.header("retry-after") != nil)
            _ = try await school.signIn(.sam)
        }
    }

    /// Runs something that waits until it may go on.
    private func hold(_ passwords: PasswordThreads, _ account: String, _ gate: Gate) async throws {
        let asker = Asker(
            address: "192.0.2.7", organization: nil, account: account, isKnownDevice: false)
        try await passwords.run(asker, .call, nil) { gate.pass() }
    }

    @Test func `passwords are hashed on as many threads as there are`() async throws {
        let passwords = PasswordThreads(cost: .ofTests, threads: 3)
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...5 {
                group.addTask { try await hold(passwords, "\(number)", gate) }
            }
            try await eventually { passwords.load.running == 3 && passwords.load.waiting == 2 }
            for _ in 1...5 { gate.open() }
            try await group.waitForAll()
        }
        // A thread says that it is free after it has given its answer.
        try await eventually { passwords.load.running == 0 && passwords.load.waiting == 0 }
    }

    @Test func `who tries one account many times at once is asked to come back`() async throws {
        let passwords = PasswordThreads(cost: .ofTests, threads: 1)
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await hold(passwords, "tom", gate) }
            try await eventually { passwords.load.running == 1 }
            for _ in 1...4 { group.addTask { try await hold(passwords, "tom", gate) } }
            try await eventually { passwords.load.waiting == 4 }
            let refusal = await #expect(throws: Problem.self) {
                try await hold(passwords, "tom", gate)
            }
            #expect(refusal?.status == 503 && refusal?.code == "sign_in_busy")
            #expect(refusal?.headers.contains { $0.name == "Retry-After" } == true)
            group.addTask { try await hold(passwords, "sam", gate) }
            try await eventually { passwords.load.waiting == 5 }
            #expect(passwords.load.refused == 1)
            for _ in 1...6 { gate.open() }
            try await group.waitForAll()
        }
    }

    @Test func `known devices do not wait behind a flood of strangers, who all get a turn`()
        async throws
    {
        let passwords = PasswordThreads(cost: .ofTests, threads: 1)
        let gate = Gate()
        let done = Notes()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await hold(passwords, "first", gate) }
            try await eventually { passwords.load.running == 1 }
            for number in 1...60 {
                group.addTask {
                    try await hold(passwords, "\(number)", gate)
                    done.add("stranger")
                }
            }
            try await eventually { passwords.load.waiting == 60 }
            let tom = Asker(
                address: "192.0.2.7", organization: nil, account: "tom", isKnownDevice: true)
            group.addTask {
                _ = try await passwords.matches("right", nil, for: tom)
                done.add("tom")
            }
            try await eventually { passwords.load.waiting == 61 }
            gate.open()
            try await eventually { done.lines == ["tom"] }
            for _ in 1...60 { gate.open() }
            try await group.waitForAll()
        }
        #expect(done.lines.count == 61)
    }

    @Test func `a turn that does not come in time is given up, with the time it still takes`()
        async throws
    {
        let loop = try Loop(time: .manual())
        loop.start()
        defer { loop.stop() }
        let passwords = PasswordThreads(cost: .ofTests, threads: 1)
        let gate = Gate()
        let running = Task { try await hold(passwords, "first", gate) }
        try await eventually { passwords.load.running == 1 }
        let request = try HTTPRequest(method: .post, target: "/v1/sign-in")
        let tom = Asker(
            address: "192.0.2.7", organization: nil, account: "tom", isKnownDevice: false)
        let waiting = Task(executorPreference: loop) {
            _ = try await passwords.run(tom, .call, request) {}
        }
        try await eventually { passwords.load.waiting == 1 && request.secondsToWait == 1 }
        await loop.advance(milliseconds: 29_900)
        #expect(passwords.load.waiting == 1)
        await loop.advance(milliseconds: 200)
        let refusal = await #expect(throws: Problem.self) { try await waiting.value }
        #expect(refusal?.code == "sign_in_busy" && request.secondsToWait == nil)
        #expect(passwords.load.waiting == 0 && passwords.load.refused == 1)
        gate.open()
        try await running.value
    }
}

/// What several tasks note.
private final class Notes: Sendable {
    private let noted = Mutex<[String]>([])

    var lines: [String] { noted.withLock { $0 } }
    func add(_ line: String) { noted.withLock { $0.append(line) } }
}

/// Lets as many pass as it was opened for.
private final class Gate: Sendable {
    private let semaphore = Semaphore()

    func pass() { semaphore.wait() }
    func open() { semaphore.signal() }
}

/// Where many wrong passwords came from.
@Suite struct SlowSignIns {
    @Test func `after that one password a second is checked, and others wait as long as they can`()
    {
        let line = SlowLine()
        let second: Int64 = 1_000_000_000
        for turn in 0..<30 {
            #expect(
                line.takeTurn("192.0.2.0", .call, now: 5) == .goesOn(after: Int64(turn) * second))
        }
        #expect(line.takeTurn("192.0.2.0", .call, now: 5) == .comeBack(after: second))
        #expect(line.takeTurn("198.51.100.0", .call, now: 5) == .goesOn(after: 0))
        #expect(line.takeTurn("192.0.2.0", .page, now: 5) == .goesOn(after: 30 * second))
        #expect(
            line.takeTurn("192.0.2.0", .call, now: 2 * second + 5) == .goesOn(after: 29 * second))
    }

    @Test func `a school that mistypes and then signs in is not slow`() async throws {
        try await withSchool { school in
            let access = try #require(school.features.compactMap { $0 as? Access }.first)
            for _ in 1...60 { access.addresses.count("192.0.2.7", now: .max / 2) }
            #expect(access.addresses.secondsToWait("192.0.2.7", now: .max / 2) != nil)
            access.addresses.countSuccess("192.0.2.7", now: .max / 2)
            #expect(access.addresses.secondsToWait("192.0.2.7", now: .max / 2) == nil)
        }
    }

    @Test func `many wrong passwords from an address do not keep a right one out`() async throws {
        try await withSchool { school in
            let access = try #require(school.features.compactMap { $0 as? Access }.first)
            for _ in 1...500 { access.addresses.count("192.0.2.7", now: .max / 2) }
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
