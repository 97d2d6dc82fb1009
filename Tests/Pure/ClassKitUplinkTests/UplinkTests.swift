import DeviceKit
import Foundation
import Synchronization
import Testing

@testable import ClassKitUplink

/// The rules of sending.
@Suite struct UplinkTests {
    private let store = DeviceStore()
    private let server = ModelServer()
    private let clock = ModelClock()
    private let tokens = ModelTokens()
    private let notices = Notices()

    private func uplink() throws -> Uplink {
        Uplink(
            configuration: try Sample.configuration(), outbox: store, tokens: tokens,
            transport: server, clock: clock, jitter: { 1 },
            onNotice: { [notices] in notices.add($0) })
    }

    private func activity(_ path: [String] = ["quiz"], seconds: Double = 5) -> ActivityRecord {
        let start = clock.now
        clock.pass(seconds)
        server.content.withLock { $0.time.addTimeInterval(seconds) }
        return ActivityRecord(
            id: UUID(), identifierPath: path, startedAt: start, stoppedAt: clock.now,
            modifiedAt: clock.now, durationSeconds: seconds)
    }

    private func paths() -> [String] {
        server.now.calls.map { "\($0.call.method) \($0.call.url.path())" }
    }

    @Test func `everything is sent in order`() async throws {
        store.complete(["quiz"], at: clock.now)
        store.save(activity())
        store.save(ContextRecord(identifierPath: ["quiz"], title: "Quiz", type: "quiz"))
        store.save(ThumbnailRecord(identifierPath: ["quiz"], image: Data([0xFF, 0xD8, 1])))
        store.remove(["old"])
        #expect(try await uplink().flush() == .empty)
        #expect(
            paths() == [
                "DELETE /v1/me/contexts", "POST /v1/me/contexts", "PUT /v1/me/contexts/thumbnail",
                "POST /v1/activities", "POST /v1/me/completions",
            ])
        #expect(store.isEmpty && notices.all.isEmpty)
        let report = server.report(of: "sam")
        #expect(report.count == 1 && report.first?.durationSeconds == 5)
        #expect(server.now.completions == ["sam": [["quiz"]]])
        #expect(server.now.thumbnails["sam"]?[["quiz"]] == Data([0xFF, 0xD8, 1]))
        #expect(
            server.now.calls[2].call.headers["Content-Type"] == "image/jpeg")
    }

    @Test func `without work nothing is sent`() async throws {
        #expect(try await uplink().flush() == .empty)
        #expect(server.now.calls.isEmpty)
    }

    @Test func `large queues go in batches`() async throws {
        for number in 0..<450 {
            store.save(ContextRecord(identifierPath: ["\(number)"], title: "C", type: "quiz"))
        }
        #expect(try await uplink().flush() == .empty)
        #expect(server.now.calls.map(\.items) == [200, 200, 50])
    }

    @Test func `bodies are smaller than a megabyte`() async throws {
        let summary = String(repeating: "ü", count: 4000)
        for number in 0..<200 {
            store.save(
                ContextRecord(
                    identifierPath: ["\(number)"], title: "C", type: "quiz", summary: summary))
        }
        #expect(try await uplink().flush() == .empty)
        let sizes = server.now.calls.map { $0.call.body?.count ?? 0 }
        #expect(sizes.count == 2 && sizes.allSatisfy { $0 <= 1 << 20 })
        #expect(server.now.contexts["sam"]?.count == 200)
    }

    // MARK: Whose it is

    @Test func `another person's token sends nothing`() async throws {
        store.save(activity())
        tokens.set(AccessToken(text: "good", subject: "pat"))
        let uplink = try uplink()
        #expect(await uplink.flush() == .blocked(.otherPerson))
        await #expect(throws: UplinkError.otherPerson) { try await uplink.lookUp(["quiz"]) }
        #expect(server.now.calls.allSatisfy { $0.call.headers["Authorization"] == nil })
        #expect(server.now.parts.isEmpty && !store.isEmpty)
        tokens.set(AccessToken(text: "good", subject: "sam"))
        #expect(await uplink.flush() == .empty)
        #expect(server.report(of: "sam").count == 1)
    }

    @Test func `a renewed token of another person sends nothing`() async throws {
        store.save(activity())
        tokens.set(
            AccessToken(text: "old", subject: "sam"),
            next: AccessToken(text: "good", subject: "pat"))
        #expect(try await uplink().flush() == .blocked(.otherPerson))
        #expect(server.now.parts.isEmpty && !store.isEmpty)
    }

    @Test func `an expired token is renewed once`() async throws {
        store.save(activity())
        tokens.set(
            AccessToken(text: "old", subject: "sam"),
            next: AccessToken(text: "good", subject: "sam"))
        #expect(try await uplink().flush() == .empty)
        #expect(server.report(of: "sam").count == 1 && tokens.renewals == 1)
    }

    @Test func `a second refusal blocks`() async throws {
        store.save(activity())
        tokens.set(
            AccessToken(text: "old", subject: "sam"),
            next: AccessToken(text: "bad", subject: "sam"))
        let uplink = try uplink()
        #expect(await uplink.flush() == .blocked(.signInNeeded))
        #expect(await uplink.flush() == .blocked(.signInNeeded))
        #expect(notices.all == [.signInNeeded] && !store.isEmpty)
    }

    @Test func `a password to change is reported`() async throws {
        store.save(activity())
        server.content.withLock {
            $0.scripted = [
                HTTPAnswer(status: 200), .problem(403, "{\"code\":\"password_must_change\"}"),
            ]
        }
        #expect(try await uplink().flush() == .blocked(.passwordMustChange))
        #expect(notices.all == [.passwordMustChange] && !store.isEmpty)
    }

    // MARK: What the server does not take

    @Test func `what a pointer names is quarantined and the rest is sent`() async throws {
        for number in 0..<5 {
            store.save(
                ContextRecord(
                    identifierPath: ["\(number)"], title: number == 3 ? "" : "C", type: "quiz"))
        }
        #expect(try await uplink().flush() == .empty)
        #expect(server.now.contexts["sam"]?.count == 4 && store.isEmpty)
        #expect(store.now.quarantined.map(\.pointer) == ["/contexts/3/title"])
        #expect(store.now.quarantined.map(\.ticket.row) == ["context [\"3\"]"])
    }

    @Test func `refused activities are quarantined alone`() async throws {
        let wrong = activity(["refused"])
        store.save(activity(["a"]))
        store.save(wrong)
        store.save(activity(["b"]))
        #expect(try await uplink().flush() == .empty)
        #expect(server.report(of: "sam").map(\.path) == [["a"], ["b"]])
        #expect(store.now.quarantined.map(\.ticket.row) == ["activity \(wrong.id)"])
        #expect(store.isEmpty)
    }

    @Test func `numbers that JSON does not have stop nothing`() async throws {
        var wrong = activity(["a"])
        wrong.primaryItem = .quantity(identifier: "q", title: "Q", quantity: .nan)
        store.save(wrong)
        store.save(activity(["b"]))
        #expect(try await uplink().flush() == .empty)
        #expect(server.report(of: "sam").map(\.path) == [["b"]])
        #expect(store.now.quarantined.map(\.code) == ["not_encodable"])
    }

    @Test func `too large batches are halved`() async throws {
        server.content.withLock { $0.maximumItems = 3 }
        for number in 0..<10 { store.save(activity(["\(number)"])) }
        #expect(try await uplink().flush() == .empty)
        #expect(server.report(of: "sam").count == 10 && store.now.quarantined.isEmpty)
    }

    @Test func `a refusal without a pointer is found by halving`() async throws {
        for number in 0..<4 { store.save(activity(["\(number)"])) }
        server.script(
            HTTPAnswer(status: 200), .problem(422), .problem(422),
            .problem(422, "{\"code\":\"invalid\",\"detail\":\"No.\"}"))
        #expect(try await uplink().flush() == .empty)
        #expect(server.report(of: "sam").map(\.path) == [["1"], ["2"], ["3"]])
        #expect(store.now.quarantined.map(\.detail) == ["No."])
    }

    @Test(arguments: [404, 405, 302])
    func `a strange server loses nothing`(status: Int)
        async throws
    {
        store.save(ContextRecord(identifierPath: ["a"], title: "A", type: "quiz"))
        server.script(.problem(status))
        let uplink = try uplink()
        #expect(await uplink.flush() == .waiting(seconds: 1))
        #expect(await uplink.flush() == .empty)
        #expect(server.now.contexts["sam"]?.count == 1)
    }

    // MARK: Trying again

    @Test func `failures are reported once and tried again`() async throws {
        store.save(activity())
        server.script(.problem(500), .problem(503), .problem(502))
        server.content.withLock { $0.saysTime = false }
        let uplink = try uplink()
        #expect(await uplink.flush() == .waiting(seconds: 1))
        #expect(await uplink.flush() == .waiting(seconds: 2))
        #expect(await uplink.flush() == .waiting(seconds: 4))
        #expect(notices.all == [.unreachable("The server answered 500.")])
        #expect(await uplink.flush() == .empty)
        #expect(server.report(of: "sam").count == 1)
    }

    @Test func `the server's pause is kept`() async throws {
        store.save(ContextRecord(identifierPath: ["a"], title: "A", type: "quiz"))
        server.script(.problem(429, retryAfter: 30))
        let uplink = try uplink()
        #expect(await uplink.flush() == .waiting(seconds: 30))
        clock.pass(20)
        #expect(await uplink.flush() == .waiting(seconds: 10))
        #expect(server.now.calls.count == 1)
        clock.pass(10)
        #expect(await uplink.flush() == .empty)
    }

    @Test func `what is older than thirty days is forgotten`() async throws {
        store.save(activity(["old"]))
        store.complete(["old"], at: clock.now)
        clock.pass(31 * 86_400)
        server.content.withLock { $0.time.addTimeInterval(31 * 86_400) }
        store.save(activity(["new"]))
        #expect(try await uplink().flush() == .empty)
        #expect(server.report(of: "sam").map(\.path) == [["new"]])
        #expect(server.now.completions.isEmpty && store.isEmpty)
        #expect(notices.all == [.expired(1), .expired(1)])
    }

    // MARK: Times

    @Test func `times are the server's, whatever the wall clock says`() async throws {
        clock.setWall(Date(timeIntervalSince1970: 0))
        let first = activity(seconds: 60)
        clock.setWall(Date(timeIntervalSince1970: 9_000_000_000))
        store.save(first)
        #expect(try await uplink().flush() == .empty)
        let part = try #require(server.now.parts["sam"]?.first)
        let end = server.now.time
        #expect(abs(part.modifiedAt.timeIntervalSince(end)) <= 1)
        #expect(abs(part.startedAt.timeIntervalSince(end) + 60) <= 1)
        #expect(server.now.sentAts.isEmpty)
    }

    @Test func `a server without time corrects the times`() async throws {
        server.content.withLock { $0.saysTime = false }
        clock.setWall(Date(timeIntervalSince1970: 1_000_000_000))
        store.save(activity(seconds: 60))
        #expect(try await uplink().flush() == .empty)
        #expect(server.now.sentAts == [clock.now.wall])
        let part = try #require(server.now.parts["sam"]?.first)
        #expect(part.modifiedAt == server.now.time)
    }

    @Test func `a part is sent again with the same times`() async throws {
        var record = activity(seconds: 10)
        store.save(record)
        server.script(HTTPAnswer(status: 200), .problem(500))
        let uplink = try uplink()
        _ = await uplink.flush()
        let stamp = try #require(store.now.stamps[record.id])
        // The server's clock is set meanwhile.
        server.content.withLock { $0.time.addTimeInterval(-30) }
        #expect(await uplink.flush() == .empty)
        #expect(store.now.stamps[record.id] == stamp)
        clock.pass(5)
        record.modifiedAt = clock.now
        record.durationSeconds = 12
        store.save(record)
        #expect(await uplink.flush() == .empty)
        let later = try #require(store.now.stamps[record.id])
        #expect(later.startedAt == stamp.startedAt && later.modifiedAt > stamp.modifiedAt)
    }
}
