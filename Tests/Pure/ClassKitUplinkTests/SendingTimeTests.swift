import ClassKitUplink
import DeviceKit
import Foundation
import Synchronization
import Testing

/// What a device without the server's time says of its own clock.
@Suite struct SendingTimeTests {
    /// A network on which every call takes half a minute.
    private struct SlowWire: Transport {
        let server: ModelServer
        let clock: ModelClock

        func answer(to call: HTTPCall) async throws -> HTTPAnswer {
            clock.pass(30)
            server.content.withLock { $0.time.addTimeInterval(30) }
            return try await server.answer(to: call)
        }
    }

    @Test func `each body of an upload says when it was sent itself`() async throws {
        let store = DeviceStore()
        let server = ModelServer()
        let clock = ModelClock()
        server.content.withLock {
            $0.saysTime = false
            $0.maximumItems = 1
        }
        for number in 0..<2 {
            store.save(
                ActivityRecord(
                    id: UUID(), identifierPath: ["\(number)"], startedAt: clock.now,
                    stoppedAt: clock.now, modifiedAt: clock.now, durationSeconds: 0))
        }
        let start = clock.now.wall
        let uplink = Uplink(
            configuration: try Sample.configuration(), outbox: store, tokens: ModelTokens(),
            transport: SlowWire(server: server, clock: clock), clock: clock, jitter: { 1 })
        #expect(await uplink.flush() == .empty)
        // One call asks for the time, and one body is too large.
        #expect(server.now.sentAts.map { $0.timeIntervalSince(start) } == [60, 90])
        let parts = try #require(server.now.parts["sam"])
        #expect(parts.count == 2 && parts[0].modifiedAt == parts[1].modifiedAt)
    }
}
