import ClassKitUplink
import DeviceKit
import Foundation
import Synchronization
import Testing

/// A save of contexts that seems lost may arrive after everything that follows it.
@Suite struct SaveOrderTests {
    private let store = DeviceStore()
    private let server = ModelServer()
    private let clock = ModelClock()

    private func uplink() throws -> Uplink {
        Uplink(
            configuration: try Sample.configuration(), outbox: store, tokens: ModelTokens(),
            transport: server, clock: clock, jitter: { 1 })
    }

    private func save(_ title: String) {
        store.save(ContextRecord(identifierPath: ["quiz"], title: title, type: "quiz"))
    }

    private var titles: [String] { server.now.contexts["sam"]?.values.map(\.title) ?? [] }

    /// Sends what the queue has; the answer is lost, and what was sent is on its way still.
    private func lose() async throws -> HTTPCall {
        server.script(.problem(504))
        #expect(try await uplink().flush() == .waiting(seconds: 1))
        let call = try #require(server.now.calls.last?.call)
        #expect(call.method == "POST" && titles == [])
        return call
    }

    @Test func `a late save does not put back what was changed since`() async throws {
        save("Former")
        let late = try await lose()
        save("Present")
        // Another process goes on.
        #expect(try await uplink().flush() == .empty)
        #expect(titles == ["Present"])
        #expect(try await server.answer(to: late).status == 202)
        #expect(titles == ["Present"])
        #expect(store.isEmpty)
    }

    @Test func `a late save does not put back what was removed since`() async throws {
        save("Former")
        let late = try await lose()
        store.remove(["quiz"])
        #expect(try await uplink().flush() == .empty)
        #expect(try await server.answer(to: late).status == 202)
        #expect(titles == [] && store.isEmpty)
    }

    @Test func `nothing passes a save without an answer`() async throws {
        save("Former")
        let late = try await lose()
        store.remove(["quiz"])
        save("Present")
        server.script(.problem(409, "{\"code\":\"idempotency_key_in_use\"}"))
        guard case .waiting = try await uplink().flush() else {
            Issue.record("it waits for the answer")
            return
        }
        #expect(server.now.calls.map(\.call.method) == ["POST", "POST"])
        let again = try #require(server.now.calls.last?.call)
        #expect(again.body == late.body)
        #expect(again.headers["Idempotency-Key"] == late.headers["Idempotency-Key"])
        #expect(try await uplink().flush() == .empty)
        #expect(titles == ["Present"] && store.isEmpty)
    }

    @Test(arguments: [400, 413, 422])
    func `a save that had no effect is told anew`(status: Int) async throws {
        save("Former")
        let late = try await lose()
        save("Present")
        server.script(.problem(status))
        #expect(try await uplink().flush() == .empty)
        #expect(titles == ["Present"] && store.isEmpty && store.now.quarantined.isEmpty)
        let keys = server.now.calls.compactMap { $0.call.headers["Idempotency-Key"] }
        #expect(keys.count == 3 && keys[0] == keys[1] && keys[1] != keys[2])
        #expect(late.headers["Idempotency-Key"] == keys[0])
    }

    @Test func `a save that took effect is over, also where its answer is not shown again`()
        async throws
    {
        save("Former")
        _ = try await lose()
        server.script(.problem(409, "{\"code\":\"answer_withheld\"}"))
        #expect(try await uplink().flush() == .empty)
        #expect(store.isEmpty && server.now.calls.count == 2)
    }

    @Test func `every save has a key of its own, also half a batch`() async throws {
        server.content.withLock { $0.maximumItems = 2 }
        for number in 0..<5 {
            store.save(ContextRecord(identifierPath: ["\(number)"], title: "C", type: "quiz"))
        }
        #expect(try await uplink().flush() == .empty)
        #expect(server.now.contexts["sam"]?.count == 5)
        let keys = server.now.calls.compactMap { $0.call.headers["Idempotency-Key"] }
        #expect(keys.count == server.now.calls.count && Set(keys).count == keys.count)
        let calls = server.now.calls.count
        #expect(try await uplink().flush() == .empty)
        #expect(server.now.calls.count == calls, "nothing is left to send")
    }
}
