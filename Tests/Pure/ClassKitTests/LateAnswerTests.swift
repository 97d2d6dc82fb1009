import ClassKitUplink
import Foundation
import Testing
import WaitKit

@testable import ClassKit

/// Answers of the server that are older than what the app saved meanwhile.
@Suite struct LateAnswerTests {
    let folder: TestFolder
    let store: CLSDataStore
    let outbox: StoreOutbox

    init() throws {
        folder = try TestFolder()
        let store = folder.store()
        self.store = store
        outbox = try store.outbox()
    }

    /// Takes in an answer that tells everything there is, or what has changed.
    private func answer(
        _ paths: [[String]] = [], removed: [[String]] = [], isWhole: Bool = false, to reading: Int64
    ) async throws {
        try await outbox.mirror(
            MirrorPage(
                contexts: paths.map {
                    MirroredContext(
                        record: ContextRecord(identifierPath: $0, title: "Theirs", type: "lesson"),
                        origin: "native", createdAt: Date(timeIntervalSince1970: 1),
                        updatedAt: Date(timeIntervalSince1970: 2))
                }, removed: removed, cursor: Data("cursor".utf8), isFirstOfWhole: isWhole,
                isLast: true, reading: reading))
    }

    /// Saves, and has the server take everything.
    private func send() async throws {
        try await store.save()
        try await outbox.sent(try await outbox.removals(limit: 100).map(\.ticket))
        try await outbox.sent(try await outbox.contexts(limit: 100).map(\.ticket))
        #expect(try store.queue() == [])
    }

    private var titles: [String] { store.mainAppContext.subtree.dropFirst().map(\.title) }

    @Test func `a list from before a context was sent does not remove it`() async throws {
        let reading = try await outbox.beginReading()
        store.mainAppContext.add("a").add("b")
        try await send()
        try await answer(isWhole: true, to: reading)
        #expect(titles == ["a", "b"])
        // The next list knows what it says.
        try await answer([["a"]], isWhole: true, to: try await outbox.beginReading())
        #expect(titles == ["Theirs"])
    }

    @Test func `changes from before one was sent do not undo it`() async throws {
        for identifier in ["changed", "added", "removed"] { store.mainAppContext.add(identifier) }
        store.root.children["removed"]?.add("child")
        try await send()
        let reading = try await outbox.beginReading()
        store.root.children["changed"]?.title = "Mine"
        store.root.children["added"]?.title = "Added again"
        store.root.children["removed"].map { store.remove($0) }
        try await send()
        try await answer(
            [["changed"], ["removed"], ["removed", "child"]], removed: [["added"]], to: reading)
        #expect(titles == ["Mine", "Added again"])
        try await answer(
            [["changed"], ["removed"]], removed: [["added"]], to: try await outbox.beginReading())
        #expect(titles == ["Theirs", "Theirs"])
    }

    @Test func `another process of the app counts its readings on`() async throws {
        let other = StoreOutbox(
            subject: "sam", database: try Database.opening(folder.settings().file), of: store)
        let reading = try await other.beginReading()
        #expect(try await outbox.beginReading() == reading + 1)
        store.mainAppContext.add("a")
        try await send()
        try await other.mirror(
            MirrorPage(
                contexts: [], removed: [["a"]], cursor: Data(), isFirstOfWhole: true, isLast: true,
                reading: reading))
        #expect(!(await store.mainAppContext.lacks("a")))
    }

    @Test func `what is remembered of long ago goes`() async throws {
        store.mainAppContext.add("a")
        try await send()
        func count() throws -> Int {
            try store.executor.sync {
                try store.opened().sql.rows("select 1 from settled") { _ in 1 }.count
            }
        }
        #expect(try count() == 1)
        for _ in 1...101 { _ = try await outbox.beginReading() }
        #expect(try count() == 0)
    }

    @Test func `a file of the first version is taken over`() async throws {
        let file = try TestFolder().settings().file
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try SQLite(file: file.path).script(Schema.steps[0] + "; pragma user_version = 1")
        #expect(try Database.opening(file).beginReading() == 1)
    }
}

/// The tree while a save is on its way to the database.
@Suite struct UnwrittenSaveTests {
    /// Has the database read at the moment at which the tree has a context that the database does not have yet.
    private final class ReadingDelegate: NSObject, CLSDataStoreDelegate, @unchecked Sendable {
        let store: CLSDataStore

        init(_ store: CLSDataStore) { self.store = store }

        func createContext(
            forIdentifier identifier: String, parentContext: CLSContext,
            parentIdentifierPath: [String]
        ) -> CLSContext? {
            store.executor.async { [store] in
                #expect(becomes { ObjectLock.locked { store.unwrittenPlans > 0 } })
                #expect(throws: Never.self) { try store.read(try store.opened()) }
            }
            return CLSContext(type: .lesson, identifier: identifier, title: identifier)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `reading meanwhile does not take it out of the tree`() async throws {
        let folder = try TestFolder()
        let (store, other) = (folder.store(), folder.store())
        let delegate = ReadingDelegate(store)
        store.delegate = delegate
        let new = try await store.mainAppContext.find("new")
        #expect(new.parent === store.root)
        #expect(try await store.mainAppContext.find("new") === new)
        // What others saved is not lost over it.
        other.mainAppContext.add("theirs")
        try await other.save()
        #expect(store.mainAppContext.subtree.map(\.identifier).sorted().contains("new"))
        let children = try await store.contexts(matchingIdentifierPath: ["theirs"])
        #expect(children.map(\.identifier) == ["theirs"])
    }

    @Test func `a context that could not be written outlives what others save`() async throws {
        let folder = try TestFolder()
        let (store, other) = (folder.store(), folder.store())
        let sql = try store.executor.sync { try store.opened().sql }
        store.mainAppContext.add("mine").add("child")
        try store.executor.sync { try sql.script("pragma query_only = on") }
        #expect(await store.errorOfSave()?.code == .databaseInaccessible)
        try store.executor.sync { try sql.script("pragma query_only = off") }
        other.mainAppContext.add("theirs")
        try await other.save()
        _ = try await store.mainAppContext.find("theirs")
        #expect(
            store.root.subtree.map(\.identifier).sorted() == [
                "child", "mine", "org.example.app", "theirs",
            ])
        #expect(await store.errorOfSave() == nil)
        #expect(!(await folder.store().mainAppContext.lacks("mine", "child")))
    }
}
