import AloneKit
import Crypto
import Synchronization
import Testing
import Values
import WaitKit

@testable import School

/// What other systems publish, and when they are asked for it.
@Suite struct KeysThatOthersPublish {
    @Test func `a system is asked once an hour, and after a failure not at once`() async throws {
        let other = OtherSystem()
        let keys = other.newKeys()
        for _ in 1...3 { #expect(try await keys.find("a") == 1) }
        other.seconds(3599)
        #expect(try await keys.find("a") == 1)
        other.seconds(1)
        #expect(try await keys.find("a") == 2)
        #expect(try await keys.find("b") == 3, "another system is another question")

        other.seconds(3600)
        other.change { $0.failure = .down }
        for _ in 1...3 {
            await #expect(throws: Trouble.down) { try await keys.find("a") }
        }
        #expect(other.asked == 4)
        other.change { $0.failure = nil }
        other.seconds(9)
        await #expect(throws: Trouble.down) { try await keys.find("a") }
        other.seconds(1)
        #expect(try await keys.find("a") == 5)
    }

    @Test func `what is our own trouble is nothing to remember`() async throws {
        let other = OtherSystem()
        let keys = other.newKeys()
        other.change { $0.failure = .busy }
        for _ in 1...2 {
            await #expect(throws: Trouble.busy) { try await keys.find("a") }
        }
        #expect(other.asked == 2)
        other.change { $0.failure = nil }
        #expect(try await keys.find("a") == 3)
    }

    @Test func `an unknown key is looked for once a minute, and a failure takes none away`()
        async throws
    {
        let other = OtherSystem()
        let keys = other.newKeys()
        func isSigned(with key: Int) async throws {
            try await keys.verified(at: "a") { known in
                guard known == key else { throw IDTokenError.unknownKey }
            }
        }
        try await isSigned(with: 1)
        try await isSigned(with: 2)
        #expect(other.asked == 2)
        for _ in 1...3 {
            await #expect(throws: IDTokenError.unknownKey) { try await isSigned(with: 3) }
        }
        #expect(other.asked == 2, "looked for a moment ago")
        other.seconds(60)
        other.change { $0.failure = .down }
        await #expect(throws: Trouble.down) { try await isSigned(with: 9) }
        try await isSigned(with: 2)
        #expect(other.asked == 3)
        other.change { $0.failure = nil }
        #expect(try await keys.learn("a") == 4, "asked whatever is known")
    }

    /// The calls to other systems are few: without this, one slow system would take all of them.
    @Test(.alone) func `who needs the same keys at once waits for one question`() async throws {
        let slow = SlowSystem()
        let keys = slow.newKeys()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await keys.find("a") } }
            try await slow.answer(afterQuestions: 1)
            for try await key in group { #expect(key == 1) }
        }
        #expect(slow.asked == 1)
    }

    @Test(.alone) func `where the one who asked has gone, another one asks`() async throws {
        let slow = SlowSystem()
        let keys = slow.newKeys()
        let first = Task { try await keys.find("a") }
        try await slow.wait(forQuestions: 1)
        let others = (0..<5).map { _ in Task { try await keys.find("a") } }
        try await Task.sleep(for: .milliseconds(100))
        first.cancel()
        try await slow.answer(afterQuestions: 2)
        for other in others { #expect(try await other.value == 2) }
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(slow.asked == 2)
    }

    @Test func `a token that fails for another reason makes no question`() async throws {
        let other = OtherSystem()
        await #expect(throws: IDTokenError.badSignature) {
            try await other.newKeys().verified(at: "a") { _ in throw IDTokenError.badSignature }
        }
        #expect(other.asked == 1)
    }
}

/// A system that answers when it is told to.
private final class SlowSystem: Sendable {
    private let state = Mutex((asked: 0, answers: false))

    var asked: Int { state.withLock { $0.asked } }

    func newKeys() -> PublishedKeys<Int> {
        PublishedKeys(
            clock: .system, isFailing: { _ in true },
            ask: { _ in
                let number = self.state.withLock { state in
                    state.asked += 1
                    return state.asked
                }
                try await eventually { self.state.withLock { $0.answers } }
                return number
            })
    }

    func wait(forQuestions count: Int) async throws {
        try await eventually { asked >= count }
    }

    /// Leaves those who ask some time to come.
    func answer(afterQuestions count: Int) async throws {
        try await wait(forQuestions: count)
        try await Task.sleep(for: .milliseconds(200))
        state.withLock { $0.answers = true }
    }
}

private enum Trouble: Error {
    case down
    case busy
}

/// A system whose key is the number of the question, and a clock that stands still until it is moved.
private final class OtherSystem: Sendable {
    struct State {
        var asked = 0
        var failure: Trouble?
        var now: Int64 = 1_795_000_000_000
    }

    private let state = Mutex(State())

    var asked: Int { state.withLock { $0.asked } }

    func change(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    func seconds(_ seconds: Int64) { change { $0.now += seconds * 1000 } }

    /// What a server remembers of this system: each time one that knows nothing yet.
    func newKeys() -> PublishedKeys<Int> {
        PublishedKeys(
            clock: Clock { Timestamp(milliseconds: self.state.withLock { $0.now }) },
            isFailing: { $0 as? Trouble == .down },
            ask: { _ in
                try self.state.withLock { state in
                    state.asked += 1
                    if let failure = state.failure { throw failure }
                    return state.asked
                }
            })
    }
}
