import AloneKit
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

    @Test(.alone) func `timers fire in the order of their deadlines and not after being cancelled`()
        async throws
    {
        let loop = try Loop()
        loop.start()
        defer { loop.stop() }
        let order = await withCheckedContinuation { continuation in
            loop.execute {
                let box = Box()
                loop.schedule(afterMilliseconds: 400) {
                    continuation.resume(returning: box.values)
                }
                loop.schedule(afterMilliseconds: 200) { box.values.append(10) }
                let cancelled = loop.schedule(afterMilliseconds: 5) { box.values.append(5) }
                loop.schedule(afterMilliseconds: 1) { box.values.append(1) }
                loop.schedule(afterMilliseconds: 200) { box.values.append(11) }
                cancelled.cancel()
            }
        }
        #expect(order == [1, 10, 11])
    }

    @Test func `a registration reports bytes, and nothing after it is cancelled`() async throws {
        let loop = try Loop()
        loop.start()
        defer { loop.stop() }
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        let signals = await withCheckedContinuation { continuation in
            loop.execute {
                let box = Box()
                do {
                    box.registration = try loop.register(reading, .read) { readiness in
                        box.values.append(readiness.canRead ? 1 : 0)
                        box.registration?.cancel()
                        loop.schedule(afterMilliseconds: 20) {
                            continuation.resume(returning: box.values)
                        }
                    }
                } catch {
                    continuation.resume(returning: [])
                }
                var byte: UInt8 = 7
                _ = write(writing, &byte, 1)
            }
        }
        close(reading)
        close(writing)
        #expect(signals == [1], "reported once although the byte was never read")
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

    @Test(.alone) func `a waiter that is cancelled gives up its turn to others`() async throws {
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
        // The second may arrive after its cancellation; it is not done in either case.
        let second = Task { try await threads.run { wasDone.open() } }
        await pause(milliseconds: 20)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        let third = Task { try await threads.run { 3 } }
        await pause(milliseconds: 20)
        gate.open()
        #expect(try await third.value == 3)
        #expect(try await first.value)
        #expect(!wasDone.isOpen)
    }
}

/// Values that only the loop touches.
private final class Box: @unchecked Sendable {
    var values: [Int] = []
    var registration: Registration?
}

/// Holds a thread until it is opened.
private final class Gate: Sendable {
    private let state = Atomic(false)

    var isOpen: Bool { state.load(ordering: .acquiring) }

    func open() {
        state.store(true, ordering: .releasing)
    }
}
