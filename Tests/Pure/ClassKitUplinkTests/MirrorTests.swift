import DeviceKit
import Foundation
import Synchronization
import Testing
import WaitKit

@testable import ClassKitUplink

/// What an app reads, and sending without being asked.
@Suite struct MirrorTests {
    private let store = DeviceStore()
    private let server = ModelServer()
    private let clock = ModelClock()
    private let tokens = ModelTokens()

    private func uplink() throws -> Uplink {
        Uplink(
            configuration: try Sample.configuration(), outbox: store, tokens: tokens,
            transport: server, clock: clock, jitter: { 1 })
    }

    private func page(
        _ paths: [[String]], removed: [[String]] = [], startsOver: Bool = false, cursor: String,
        next: String? = nil
    ) -> HTTPAnswer {
        let items = paths.map { path in
            """
            {"origin":"native","identifierPath":\(Uplink.text(path)),"title":"A","type":"quiz",
            "displayOrder":0,"isAssignable":true,"progressReportingCapabilities":[],
            "createdAt":"2026-11-23T03:04:05.678Z","updatedAt":"2026-11-23T03:04:05.678Z",
            "hasThumbnail":false,"navigationPaths":[],"hasChildren":false}
            """
        }
        let gone = removed.map { Uplink.text($0) }.joined(separator: ",")
        let token = next.map { ",\"nextPageToken\":\"\($0)\"" } ?? ""
        return HTTPAnswer(
            status: 200,
            body: Data(
                """
                {"items":[\(items.joined(separator: ","))],"removed":[\(gone)],
                "startsOver":\(startsOver),"updatedSince":"\(cursor)"\(token)}
                """.utf8))
    }

    private func queries() -> [String] {
        server.now.calls.map { $0.call.url.query(percentEncoded: false) ?? "" }
    }

    @Test func `pages are followed and the cursor is kept`() async throws {
        let uplink = try uplink()
        server.content.withLock {
            $0.changes = [
                page([["a"], ["b"]], startsOver: true, cursor: "1", next: "n"),
                page([["c"]], cursor: "2"), page([], removed: [["b"]], cursor: "3"),
            ]
        }
        try await uplink.refreshMirror()
        #expect(Set(store.now.mirror.keys) == [["a"], ["b"], ["c"]])
        try await uplink.refreshMirror()
        #expect(Set(store.now.mirror.keys) == [["a"], ["c"]])
        #expect(
            queries() == [
                "descendants=true&limit=1000", "descendants=true&limit=1000&pageToken=n",
                "descendants=true&limit=1000&updatedSince=2",
            ])
    }

    @Test func `a mirror that starts over forgets what is gone`() async throws {
        let uplink = try uplink()
        server.content.withLock {
            $0.changes = [
                page([["a"], ["b"]], startsOver: true, cursor: "1"),
                page([["b"]], startsOver: true, cursor: "2", next: "n"),
                page([["c"]], cursor: "3"),
            ]
        }
        try await uplink.refreshMirror()
        try await uplink.refreshMirror()
        #expect(Set(store.now.mirror.keys) == [["b"], ["c"]])
    }

    @Test func `look-ups read all pages`() async throws {
        server.content.withLock {
            $0.changes = [
                page([["a"]], cursor: "", next: "n&m"), page([["a", "b"]], cursor: ""),
            ]
        }
        let found = try await uplink().lookUp(["a", "b"])
        #expect(found.map(\.record.identifierPath) == [["a"], ["a", "b"]])
        #expect(queries().last == "path=[\"a\",\"b\"]&limit=1000&pageToken=n&m")
    }

    @Test func `refusals and failures are errors`() async throws {
        let uplink = try uplink()
        await #expect(throws: UplinkError.refused(status: 404, code: "", detail: "")) {
            try await uplink.refreshMirror()
        }
        server.script(.problem(500))
        await #expect(throws: UplinkError.network("The server answered 500.")) {
            try await uplink.lookUp([])
        }
        server.script(HTTPAnswer(status: 200, body: Data("<html>".utf8)))
        await #expect(throws: UplinkError.self) { try await uplink.lookUp([]) }
        #expect(try await uplink.thumbnail(of: ["a"]) == nil)
    }

    @Test func `pictures are read`() async throws {
        store.save(ContextRecord(identifierPath: ["a"], title: "A", type: "quiz"))
        store.save(ThumbnailRecord(identifierPath: ["a"], image: Data([1, 2])))
        let uplink = try uplink()
        await uplink.flush()
        #expect(try await uplink.thumbnail(of: ["a"]) == Data([1, 2]))
        store.save(ThumbnailRecord(identifierPath: ["a"], image: nil))
        await uplink.flush()
        #expect(try await uplink.thumbnail(of: ["a"]) == nil && store.isEmpty)
    }

    // MARK: Without being asked

    @Test func `a change is sent by itself`() async throws {
        let uplink = try uplink()
        uplink.wake(.soon)
        await uplink.start()
        store.save(ContextRecord(identifierPath: ["a"], title: "A", type: "quiz"))
        uplink.wake(.now)
        try await eventually { store.isEmpty }
        server.script(.problem(503), .problem(503))
        store.complete(["a"], at: clock.now)
        uplink.wake(.now)
        try await eventually { store.isEmpty }
        // An announced change is sent with a later one that was not announced.
        for name in ["d", "e"] {
            store.save(ContextRecord(identifierPath: [name], title: name, type: "quiz"))
            uplink.wake(.soon)
        }
        try await eventually { store.isEmpty }
        await uplink.stop()
        store.complete(["b"], at: clock.now)
        uplink.wake(.now)
        #expect(await uplink.flush() == .empty)
        #expect(server.now.completions["sam"] == [["a"], ["b"]])
    }
}
