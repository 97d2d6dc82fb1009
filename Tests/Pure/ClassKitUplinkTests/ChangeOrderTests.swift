import ClassKitUplink
import DeviceKit
import Foundation
import Synchronization
import Testing

/// A removal or a picture that seems lost may arrive after everything that follows it, or have arrived already.
@Suite struct ChangeOrderTests {
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

    private func picture(_ text: String?) {
        store.save(
            ThumbnailRecord(identifierPath: ["quiz"], image: text.map { Data($0.utf8) }))
    }

    private var titles: [String] { server.now.contexts["sam"]?.values.map(\.title) ?? [] }
    private var shown: String? {
        server.now.thumbnails["sam"]?[["quiz"]].map { String(decoding: $0, as: UTF8.self) }
    }

    /// Sends what the queue has; the answer is lost.
    ///
    /// - Parameter arrives: whether the server has done it all the same. Otherwise it is on its way still.
    private func lose(arrives: Bool) async throws -> HTTPCall {
        server.script(.problem(504))
        #expect(try await uplink().flush() == .waiting(seconds: 1))
        let call = try #require(server.now.calls.last?.call)
        if arrives { #expect(try await server.answer(to: call).status < 300) }
        return call
    }

    private func begin() async throws {
        save("Former")
        picture("Former")
        #expect(try await uplink().flush() == .empty)
        #expect(titles == ["Former"] && shown == "Former")
    }

    @Test(arguments: [true, false])
    func `a late removal does not take what was saved since`(arrives: Bool) async throws {
        try await begin()
        store.remove(["quiz"])
        let late = try await lose(arrives: arrives)
        save("Present")
        // Another process goes on.
        #expect(try await uplink().flush() == .empty)
        #expect(titles == ["Present"] && store.isEmpty && store.now.quarantined.isEmpty)
        #expect(try await server.answer(to: late).status == 204)
        #expect(titles == ["Present"])
    }

    @Test(arguments: [true, false])
    func `a late picture does not replace a newer one, or come back`(arrives: Bool) async throws {
        for newer in ["Present", nil] {
            try await begin()
            picture("Between")
            let late = try await lose(arrives: arrives)
            #expect(late.method == "PUT")
            picture(newer)
            #expect(try await uplink().flush() == .empty)
            #expect(shown == newer)
            #expect(try await server.answer(to: late).status == 202)
            #expect(shown == newer)
        }
    }

    @Test(arguments: [true, false])
    func `a late removal of a picture does not take a newer one`(arrives: Bool) async throws {
        try await begin()
        picture(nil)
        let late = try await lose(arrives: arrives)
        #expect(late.method == "DELETE")
        picture("Present")
        #expect(try await uplink().flush() == .empty)
        #expect(try await server.answer(to: late).status == 204)
        #expect(shown == "Present")
    }

    @Test func `it is repeated with its key and its bytes, before anything else`() async throws {
        try await begin()
        picture("Between")
        let late = try await lose(arrives: false)
        picture("Present")
        save("Present")
        let before = server.now.calls.count
        server.script(.problem(409, "{\"code\":\"idempotency_key_in_use\"}"))
        guard case .waiting = try await uplink().flush() else {
            Issue.record("it waits for the answer")
            return
        }
        #expect(server.now.calls.count == before + 1)
        let again = try #require(server.now.calls.last?.call)
        #expect(again.method == "PUT" && again.url == late.url && again.body == late.body)
        #expect(again.headers["Content-Type"] == late.headers["Content-Type"])
        let key = try #require(late.headers["Idempotency-Key"])
        #expect(again.headers["Idempotency-Key"] == key)
        #expect(try await uplink().flush() == .empty)
        #expect(titles == ["Present"] && shown == "Present")
        let keys = server.now.calls.compactMap { $0.call.headers["Idempotency-Key"] }
        #expect(keys.count == server.now.calls.count, "every change of contexts has one")
        #expect(keys.filter { $0 == key }.count == 3, "and none has another's")
    }

    @Test func `one that took effect is over, also where its answer is not shown again`()
        async throws
    {
        try await begin()
        store.remove(["quiz"])
        _ = try await lose(arrives: true)
        let before = server.now.calls.count
        server.script(.problem(409, "{\"code\":\"answer_withheld\"}"))
        #expect(try await uplink().flush() == .empty)
        #expect(store.isEmpty && server.now.calls.count == before + 1)
    }

    @Test func `one that the server refuses in the end is put aside, once`() async throws {
        try await begin()
        picture("Too much")
        _ = try await lose(arrives: false)
        // Once for what was lost, once for what is in the queue.
        server.script(.problem(409, "{\"code\":\"too_many_thumbnails\"}"), .problem(409))
        #expect(try await uplink().flush() == .empty)
        #expect(store.now.quarantined.count == 1)
        let calls = server.now.calls.count
        #expect(try await uplink().flush() == .empty)
        #expect(server.now.calls.count == calls, "nothing is left to send")
    }
}
