import ClassKitUplink
import Foundation
import Testing
import WaitKit

@testable import ClassKit

/// Several people on one device.
@Suite struct PersonTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test func `each person has a file of their own`() async throws {
        let sam = folder.store("sam")
        sam.mainAppContext.add("quiz").createNewActivity().progress = 1
        try await sam.save()
        let sue = folder.store("sue")
        #expect(await sue.mainAppContext.lacks("quiz"))
        #expect(try sue.queue() == [])
        #expect(sam.settings.file != sue.settings.file)
    }

    @Test(arguments: ["../x", "a/b", "A", "a", "_41", "ü", "."])
    func `a subject is a file name, whatever is in it`(subject: String) {
        let file = folder.settings(subject).file
        #expect(file.deletingLastPathComponent().path == folder.settings().folder.path)
        let all = Set(
            ["../x", "a/b", "A", "a", "_41", "ü", "."].map { folder.settings($0).file })
        #expect(all.count == 7)
    }

    @Test func `another person takes over, and the work of the first stays theirs`() async throws {
        let clocks = TestClocks()
        let store = folder.store("sam", clocks: clocks)
        let quiz = store.mainAppContext.add("quiz")
        try await store.save()
        let activity = quiz.createNewActivity()
        activity.start()
        quiz.becomeActive()
        clocks.advance(7)
        // Not saved yet: the change of persons saves it.
        try await store.turn(to: "sue")
        #expect(!activity.isStarted && store.runningActivity == nil && store.activeContext == nil)
        #expect(await store.mainAppContext.lacks("quiz"))
        #expect(try store.queue() == [])
        let own = store.mainAppContext.add("own")
        own.createNewActivity()
        try await store.save()
        #expect(try store.queue().count == 2)
        try await store.turn(to: "sam")
        #expect(store.mainAppContext.subtree.map(\.identifier) == ["org.example.app", "quiz"])
        let again = try await store.mainAppContext.find("quiz")
        #expect(again.currentActivity?.id == activity.id && again.currentActivity?.duration == 7)
    }

    @Test func `contexts come along at a sign-in, and attempts do not`() async throws {
        let store = folder.store(nil)
        let quiz = store.mainAppContext.add("book").add("quiz", "Quiz")
        quiz.topic = .math
        quiz.createNewActivity().progress = 1
        try await store.save()
        try await store.turn(to: "sam")
        let found = try await store.mainAppContext.find("book", "quiz")
        #expect(found.title == "Quiz" && found.topic == .math && found.currentActivity == nil)
        #expect(try store.queue() == ["context book", "context book/quiz"])
    }

    @Test func `nobody's work is sent by nobody`() async throws {
        var settings = folder.settings(nil)
        let transport = CountingTransport()
        settings.link = ServerLink(
            configuration: try UplinkConfiguration(
                server: try #require(URL(string: "http://127.0.0.1:9")),
                bundleID: "org.example.app"), tokens: FixedToken(text: "token"),
            transport: transport)
        let store = CLSDataStore(settings: settings)
        store.mainAppContext.add("quiz").createNewActivity()
        try await store.save()
        await store.synchronize()
        #expect(transport.count == 0)
        #expect(store.uplink == nil)
        try await store.turn(to: FixedToken(text: "token").subject)
        await store.synchronize()
        #expect(transport.count > 0)
    }

    @Test func `a sign-in that is over is said by saves, which keep the data`() async throws {
        var settings = folder.settings()
        settings.subject = FixedToken(text: "token").subject
        settings.link = ServerLink(
            configuration: try UplinkConfiguration(
                server: try #require(URL(string: "http://127.0.0.1:9")),
                bundleID: "org.example.app"), tokens: FixedToken(text: "token"),
            transport: CountingTransport(status: 401))
        let store = CLSDataStore(settings: settings)
        store.mainAppContext.add("a")
        try await store.save()
        await store.synchronize()
        store.mainAppContext.add("b")
        #expect(await store.errorOfSave()?.code == .invalidAccountCredentials)
        #expect(try store.queue() == ["context a", "context b"])
    }
}

/// Answers every call alike.
final class CountingTransport: Transport, @unchecked Sendable {
    private let lock = NSLock()
    private var calls = 0
    private let status: Int

    init(status: Int = 503) { self.status = status }

    var count: Int { lock.withLock { calls } }

    func answer(to call: HTTPCall) async throws -> HTTPAnswer {
        lock.withLock { calls += 1 }
        return HTTPAnswer(status: status)
    }
}

@Suite struct PictureTests {
    /// A server that has one picture, and fails otherwise.
    private struct PictureServer: Transport {
        func answer(to call: HTTPCall) async throws -> HTTPAnswer {
            guard call.url.path == "/v1/me/contexts/thumbnail" else {
                return HTTPAnswer(status: 503)
            }
            var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
            file += Array("IHDR".utf8) + [0, 0, 1, 0, 0, 0, 0, 100]
            return HTTPAnswer(status: 200, body: Data(file))
        }
    }

    @Test func `a picture that another device has set is fetched when it is asked for`()
        async throws
    {
        let folder = try TestFolder()
        var settings = folder.settings()
        settings.subject = FixedToken(text: "token").subject
        settings.link = ServerLink(
            configuration: try UplinkConfiguration(
                server: try #require(URL(string: "http://127.0.0.1:9")),
                bundleID: "org.example.app"), tokens: FixedToken(text: "token"),
            transport: PictureServer())
        let store = CLSDataStore(settings: settings)
        let outbox = try store.outbox()
        try await outbox.mirror(
            MirrorPage(
                contexts: [
                    MirroredContext(
                        record: ContextRecord(identifierPath: ["a"], title: "A", type: "book"),
                        origin: "native", createdAt: Date(), updatedAt: Date(), hasThumbnail: true)
                ], removed: [], cursor: Data(), isFirstOfWhole: false, isLast: true,
                reading: try await outbox.beginReading()))
        let context = try await store.mainAppContext.find("a")
        #expect(context.thumbnail == nil)
        try await eventually { context.thumbnail != nil }
        #expect(context.thumbnail?.width == 256 && context.thumbnail?.height == 100)
        #expect(try store.queue() == [])
    }
}
