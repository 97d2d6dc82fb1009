import ClassKitUplink
import Foundation
import Testing

@testable import ClassKit

/// Looking up what only the device of a teacher made: a handout assigns it, so that the server tells it to an app that
/// asks for its path, and to nobody in a list.
@Suite struct AskedServerTests {
    /// A server that has one context, which it tells by its path.
    private final class AssigningServer: Transport, @unchecked Sendable {
        private let lock = NSLock()
        private var questions: [[String]] = []
        private var assigned: [String]
        private var isSilent = false

        init(assigned: [String]) { self.assigned = assigned }

        var asked: [[String]] { lock.withLock { questions } }

        func assign(_ path: [String]) { lock.withLock { assigned = path } }

        func fallSilent(_ isSilent: Bool) { lock.withLock { self.isSilent = isSilent } }

        func answer(to call: HTTPCall) async throws -> HTTPAnswer {
            let items = URLComponents(url: call.url, resolvingAgainstBaseURL: false)?.queryItems
            guard call.method == "GET", call.url.path.hasSuffix("/v1/me/contexts") else {
                return HTTPAnswer(status: 202, body: Data("{}".utf8))
            }
            guard let text = items?.first(where: { $0.name == "path" })?.value else {
                let list = #"{"items":[],"removed":[],"startsOver":true,"updatedSince":"1"}"#
                return HTTPAnswer(status: 200, body: Data(list.utf8))
            }
            let path = try JSONDecoder().decode([String].self, from: Data(text.utf8))
            let isThere = try lock.withLock {
                questions.append(path)
                if isSilent { throw UplinkError.network("no route") }
                return path.starts(with: assigned)
            }
            let context = """
                {"identifierPath":\(String(decoding: try JSONEncoder().encode(assigned), as: UTF8.self)),
                 "title":"Theirs","type":"quiz","displayOrder":0,"isAssignable":true,
                 "progressReportingCapabilities":[],"origin":"native",
                 "createdAt":"2026-09-01T08:00:00.000Z","updatedAt":"2026-09-01T08:00:00.000Z"}
                """
            let body = "{\"items\":[\(isThere ? context : "")]}"
            return HTTPAnswer(status: 200, body: Data(body.utf8))
        }
    }

    private let folder: TestFolder
    private let clocks = TestClocks()

    init() throws { folder = try TestFolder() }

    private func store(_ server: AssigningServer) throws -> CLSDataStore {
        var settings = folder.settings(FixedToken(text: "token").subject)
        settings.link = ServerLink(
            configuration: try UplinkConfiguration(
                server: try #require(URL(string: "http://127.0.0.1:9")),
                bundleID: "org.example.app"), tokens: FixedToken(text: "token"), transport: server)
        return CLSDataStore(settings: settings, clocks: clocks)
    }

    @Test(arguments: [["q1"], ["book", "chapter", "q1"]])
    func `what a handout assigns is found by its path, without a delegate`(
        path: [String]
    ) async throws {
        let store = try store(AssigningServer(assigned: path))
        let found = try await store.mainAppContext.descendant(matchingIdentifierPath: path)
        #expect(found.title == "Theirs" && found.type == .quiz)
        #expect(found.identifierPath == ["org.example.app"] + path)
        let all = try await store.contexts(matchingIdentifierPath: path)
        #expect(all.map(\.identifier) == path)
        // It is not the app's: nothing is sent, and the next start finds it without a network.
        #expect(try store.queue() == [])
        let again = try await folder.store(FixedToken(text: "token").subject).mainAppContext
            .descendant(matchingIdentifierPath: path)
        #expect(again.title == "Theirs")
    }

    @Test func `the server is asked before the delegate, and not for what is there`() async throws {
        let server = AssigningServer(assigned: ["q1"])
        let store = try store(server)
        let delegate = AskedDelegate()
        store.delegate = delegate
        #expect(try await store.mainAppContext.find("q1").title == "Theirs")
        #expect(delegate.asked == [])
        #expect(try await store.mainAppContext.find("own").title == "own")
        #expect(delegate.asked == ["[] own"])
        _ = try await store.mainAppContext.find("own")
        _ = try await store.mainAppContext.find("q1")
        #expect(server.asked == [["q1"], ["own"]])
    }

    @Test func `what is missing is asked for again, but not at once`() async throws {
        let server = AssigningServer(assigned: ["other"])
        let store = try store(server)
        #expect(await store.mainAppContext.lacks("q1"))
        server.assign(["q1"])
        #expect(await store.mainAppContext.lacks("q1"))
        #expect(server.asked == [["q1"]])
        clocks.advance(11)
        #expect(try await store.mainAppContext.find("q1").title == "Theirs")
    }

    @Test func `a server that gives no answer is not asked for each path of an app`() async throws {
        let server = AssigningServer(assigned: ["q1"])
        let store = try store(server)
        server.fallSilent(true)
        #expect(await store.mainAppContext.lacks("q0"))
        #expect(await store.mainAppContext.lacks("q1"))
        #expect(server.asked == [["q0"]])
        server.fallSilent(false)
        clocks.advance(11)
        #expect(try await store.mainAppContext.find("q1").title == "Theirs")
    }

    @Test func `a list of everything does not take away what was found by its path`() async throws {
        let server = AssigningServer(assigned: ["book", "q1"])
        let store = try store(server)
        #expect(try await store.mainAppContext.find("book", "q1").title == "Theirs")
        let uplink = try #require(ObjectLock.locked { store.uplink })
        try await uplink.refreshMirror()
        #expect(try await store.mainAppContext.find("book", "q1").title == "Theirs")
        #expect(try await store.mainAppContext.find("book").title == "book")
        #expect(server.asked == [["book", "q1"]])
    }
}
