import ClassKitUplink
import Foundation
import Glibc
import Testing

@testable import ClassKit

@Suite struct PersistenceTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func mode(_ url: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test func `only the person can read the files`() async throws {
        let store = folder.store()
        store.mainAppContext.add("a")
        try await store.save()
        let file = folder.settings().file
        for suffix in ["", "-wal", "-shm"] {
            #expect(try mode(URL(fileURLWithPath: file.path + suffix)) == 0o600, "\(suffix)")
        }
        #expect(try mode(file.deletingLastPathComponent()) == 0o700)
        let (journal, sync) = try store.executor.sync {
            let sql = try store.opened().sql
            return (
                try sql.rows("pragma journal_mode") { $0.text(0) },
                try sql.rows("pragma synchronous") { $0.integer(0) }
            )
        }
        #expect(journal == ["wal"] && sync == [2])
    }

    @Test func `a file of a newer version is refused and stays as it is`() async throws {
        try await folder.store().save()
        let file = folder.settings().file
        try SQLite(file: file.path).script("pragma user_version = 99")
        let error = try #require(await folder.store().errorOfSave())
        #expect(error.code == .databaseInaccessible)
        #expect(error.localizedDescription.contains("was made by a newer version of ClassKit (99;"))
        let version = try SQLite(file: file.path).rows("pragma user_version") { $0.integer(0) }
        #expect(version == [99])
    }

    @Test func `a damaged file is set aside, and the next attempt has a new one`() async throws {
        let file = folder.settings().file
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let bytes = Data("This is not a database, whatever it is called. It is only text.".utf8)
        try bytes.write(to: file)
        let store = folder.store()
        let root = Unchecked(store.root)
        root.value.add("a")
        #expect(throws: CLSError.self) { try store.executor.sync { _ = try store.opened() } }
        #expect(await store.errorOfSave() == nil)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: file.deletingLastPathComponent().path)
        let aside = try #require(names.first { $0.contains(".damaged-") })
        let kept = try Data(
            contentsOf: file.deletingLastPathComponent().appendingPathComponent(aside))
        #expect(kept == bytes)
        #expect(try await folder.store().mainAppContext.find("a").identifier == "a")
    }

    @Test func `without a server nothing is saved, and look-ups find what the app added`()
        async throws
    {
        var settings = folder.settings()
        settings.obstacle = CLSError(.classKitUnavailable, "No server is configured.")
        let store = CLSDataStore(settings: settings)
        store.mainAppContext.add("a")
        #expect(await store.errorOfSave()?.code == .classKitUnavailable)
        #expect(!FileManager.default.fileExists(atPath: settings.file.path))
        #expect(store.root.children["a"] != nil)
    }

    @Test func `what could not be written is written by the next save`() async throws {
        let store = folder.store()
        let context = store.mainAppContext.add("a", "First")
        store.mainAppContext.add("gone")
        try await store.save()
        let sql = try store.executor.sync { try store.opened().sql }
        store.executor.sync {
            #expect(throws: Never.self) { try sql.script("pragma query_only = on") }
        }
        context.title = "Second"
        let activity = context.createNewActivity()
        store.root.children["gone"].map { store.remove($0) }
        store.root.add("new")
        #expect(await store.errorOfSave()?.code == .databaseInaccessible)
        store.executor.sync {
            #expect(throws: Never.self) { try sql.script("pragma query_only = off") }
        }
        #expect(await store.errorOfSave() == nil)
        let again = folder.store().mainAppContext
        #expect(again.subtree.map(\.title) == ["App", "Second", "new"])
        #expect(again.children["a"]?.currentActivity?.id == activity.id)
    }

    @Test func `another process of the app is seen at the next look-up`() async throws {
        let (one, other) = (folder.store(), folder.store())
        let mine = one.mainAppContext.add("a", "First")
        try await one.save()
        let theirs = try await other.mainAppContext.find("a")
        theirs.title = "Second"
        theirs.add("b")
        other.mainAppContext.add("c")
        try await other.save()
        let again = try await one.mainAppContext.find("a", "b")
        #expect(again.parent === mine && mine.title == "Second")
        other.remove(theirs)
        try await other.save()
        #expect(await one.mainAppContext.lacks("a"))
        #expect(mine.parent == nil)
    }

    @Test func `a running attempt of a living process is left alone`() async throws {
        let store = folder.store()
        let activity = store.mainAppContext.add("a").createNewActivity()
        activity.start()
        try await store.save()
        let other = folder.store()
        #expect(other.mainAppContext.children["a"]?.currentActivity?.id == activity.id)
        let running = try store.executor.sync {
            try store.opened().sql.rows("select runs_in from activity") { $0.optionalText(0) }
        }
        #expect(running == [ProcessMark.own])
    }

    @Test func `a process mark tells a process from one that had its number before`() {
        #expect(ProcessMark.isAlive(ProcessMark.own))
        #expect(!ProcessMark.isAlive("\(getpid()) 1"))
        #expect(!ProcessMark.isAlive("999999999 1") && !ProcessMark.isAlive("unknown"))
    }

    @Test func `path keys lead back to their paths`() {
        for path in [[], ["a"], ["a/b", "%"], ["%2F", "/"], ["", "a"], ["ü", "%25%", "//"]] {
            #expect(PathKey.path(PathKey.make(path)) == path)
        }
    }
}
