import EventLoop
import Glibc
import Synchronization
import Testing
import WaitKit

@Suite struct LoopTests {
    @Test func `a task stays on its loop's thread across suspensions`() async throws {
        let loop = try Loop()
        loop.start()
        defer { loop.stop() }
        let stayed = await withCheckedContinuation { continuation in
            loop.spawn {
                var stayed = loop.isCurrent
                for _ in 0..<10 {
                    await pause(milliseconds: 1)
                    stayed = stayed && loop.isCurrent && Loop.current === loop
                }
                continuation.resume(returning: stayed)
            }
        }
        #expect(stayed)
    }

    @Test func `timers fire in the order of their deadlines and not after being cancelled`()
        async throws
    {
        let loop = try Loop(time: .manual())
        loop.start()
        defer { loop.stop() }
        let box = Box()
        loop.execute {
            loop.schedule(afterMilliseconds: 400) { box.note(400, loop) }
            loop.schedule(afterMilliseconds: 200) { box.note(10, loop) }
            let cancelled = loop.schedule(afterMilliseconds: 5) { box.note(5, loop) }
            loop.schedule(afterMilliseconds: 1) { box.note(1, loop) }
            loop.schedule(afterMilliseconds: 200) { box.note(11, loop) }
            cancelled.cancel()
        }
        await loop.advance(milliseconds: 199)
        #expect(box.values == [1])
        await loop.advance(milliseconds: 1)
        #expect(box.values == [1, 10, 11])
        await loop.advance(milliseconds: 1000)
        #expect(box.values == [1, 10, 11, 400])
        #expect(box.moments.map { $0 - box.moments[0] } == [0, 199, 199, 399])
    }

    @Test func `a timer set by a timer is due in the same stretch of time`() async throws {
        let loop = try Loop(time: .manual())
        loop.start()
        defer { loop.stop() }
        let box = Box()
        @Sendable func repeatedly() {
            loop.schedule(afterMilliseconds: 30) {
                box.note(box.values.count, loop)
                repeatedly()
            }
        }
        loop.execute { repeatedly() }
        await loop.advance(milliseconds: 100)
        #expect(box.values == [0, 1, 2])
        loop.time.pass(milliseconds: 75)
        await loop.advance(milliseconds: 0)
        #expect(box.values == [0, 1, 2, 3], "late, and once")
        #expect(box.moments.map { $0 - box.moments[0] } == [0, 30, 60, 145])
    }

    @Test func `a registration reports bytes, and nothing after it is cancelled`() async throws {
        let loop = try Loop(time: .manual())
        loop.start()
        defer { loop.stop() }
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        let box = Box()
        loop.execute {
            box.registration = try? loop.register(reading, .read) { readiness in
                box.values.append(readiness.canRead ? 1 : 0)
                box.registration?.cancel()
                // If it is reported all the same, then not forever.
                var byte: UInt8 = 0
                if box.values.count > 1 { _ = read(reading, &byte, 1) }
            }
        }
        var byte: UInt8 = 7
        _ = write(writing, &byte, 1)
        await loop.advance(milliseconds: 20)
        #expect(box.values == [1], "reported once although the byte was never read")
        close(reading)
        close(writing)
    }

    @Test func `work from other threads arrives complete and in order`() async throws {
        let loop = try Loop()
        loop.start()
        defer { loop.stop() }
        let box = Box()
        for number in 0..<10_000 { loop.execute { box.values.append(number) } }
        let values = await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: box.values) }
        }
        #expect(values == Array(0..<10_000))
    }
}

@Suite struct BlockingThreadsTests {
    @Test func `a full queue refuses at once, and the rest is done`() async throws {
        let threads = BlockingThreads(count: 1, queueLimit: 2)
        let gate = Gate()
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    do {
                        return try await threads.run { becomes { gate.isOpen } }
                    } catch {
                        return false
                    }
                }
            }
            var outcomes: [Bool] = []
            while let outcome = await group.next() {
                outcomes.append(outcome)
                if outcomes.count == 5 { gate.open() }
            }
            return outcomes
        }
        #expect(outcomes.count { $0 } >= 2)
        #expect(outcomes.count { !$0 } >= 5, "refused while the first held the only thread")
    }

    @Test func `a waiter that is cancelled gives up its turn to others`() async throws {
        let threads = BlockingThreads(count: 1, queueLimit: 1)
        let gate = Gate()
        let hasBegun = Gate()
        let first = Task {
            try await threads.run {
                hasBegun.open()
                return becomes { gate.isOpen }
            }
        }
        try await eventually { hasBegun.isOpen }
        let wasDone = Gate()
        let second = Task { try await threads.run { wasDone.open() } }
        try await eventually { threads.load.waiting == 1 }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        let third = Task { try await threads.run { 3 } }
        try await eventually { threads.load.waiting == 1 }
        gate.open()
        #expect(try await third.value == 3)
        #expect(try await first.value)
        #expect(!wasDone.isOpen)
    }
}

/// Values that only the loop touches, and a test while the loop has nothing to do.
private final class Box: @unchecked Sendable {
    var values: [Int] = []
    /// In milliseconds, when each was noted.
    var moments: [Int64] = []
    var registration: Registration?

    func note(_ value: Int, _ loop: Loop) {
        values.append(value)
        moments.append(loop.now / 1_000_000)
    }
}

/// Holds a thread until it is opened.
private final class Gate: Sendable {
    private let state = Atomic(false)

    var isOpen: Bool { state.load(ordering: .acquiring) }

    func open() {
        state.store(true, ordering: .releasing)
    }
}
