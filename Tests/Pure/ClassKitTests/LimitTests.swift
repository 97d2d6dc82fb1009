import Foundation
import Testing

@testable import ClassKit

@Suite struct LimitTests {
    let folder: TestFolder
    let store: CLSDataStore
    let root: CLSContext

    init() throws {
        folder = try TestFolder()
        store = folder.store()
        root = store.mainAppContext
    }

    @Test func `identifiers and titles have at most 256 characters`() async throws {
        let long = String(repeating: "x", count: 257)
        for context in [root.add(long), root.add("a", long)] {
            root.children.ordered.forEach { if $0 !== context { $0.removeFromParent() } }
            if context.parent == nil { root.addChildContext(context) }
            let error = try #require(await store.errorOfSave())
            #expect(error.code == .limits && error.object === context)
        }
    }

    @Test func `a summary has at most 4,000 characters`() async throws {
        let context = root.add("a")
        context.summary = String(repeating: "x", count: 4001)
        #expect(await store.errorOfSave()?.code == .limits)
        context.summary = String(repeating: "x", count: 4000)
        root.addChildContext(context)
        #expect(await store.errorOfSave() == nil)
    }

    @Test func `the tree has eight levels with the app`() async throws {
        var levels = [root]
        for level in 1...8 { levels.append(levels[level - 1].add("level \(level)")) }
        let error = try #require(await store.errorOfSave())
        #expect(error.code == .partialFailure && error.object === levels[8])
        #expect(error.underlying.map(\.code) == [.limits])
        #expect(folder.store().mainAppContext.subtree.count == 8)
    }

    @Test func `a path has at most 256 characters with the bundle id`() async throws {
        root.add(String(repeating: "x", count: 241), String(repeating: "x", count: 256))
        #expect(await store.errorOfSave() == nil)
        root.add(String(repeating: "x", count: 242))
        #expect(await store.errorOfSave()?.code == .limits)
    }

    @Test func `a context has 2,000 children and no more`() async throws {
        for number in 1...2000 { root.add("\(number)") }
        #expect(await store.errorOfSave() == nil)
        let more = root.add("2001")
        let error = try #require(await store.errorOfSave())
        #expect(error.code == .limits && error.object === more)
        #expect(folder.store().mainAppContext.subtree.count == 2001)
    }

    @Test func `a change that is refused waits until it is mended`() async throws {
        let context = root.add("a", "Good")
        try await store.save()
        context.title = ""
        #expect(await store.errorOfSave()?.code == .invalidArgument)
        #expect(await store.errorOfSave()?.code == .invalidArgument)
        let found5 = try await folder.store().mainAppContext.find("a")
        #expect(found5.title == "Good")
        context.title = "Better"
        #expect(await store.errorOfSave() == nil)
        let found6 = try await folder.store().mainAppContext.find("a")
        #expect(found6.title == "Better")
    }

    @Test func `a thumbnail is kept, and one that is too small is refused`() async throws {
        let context = root.add("a")
        context.thumbnail = try picture(80, 40)
        try await store.save()
        let again = try await folder.store().mainAppContext.find("a")
        #expect(again.thumbnail?.width == 80 && again.thumbnail?.height == 40)
        context.thumbnail = try picture(79, 79)
        #expect(await store.errorOfSave()?.code == .invalidArgument)
        #expect(context.thumbnail?.width == 80)
        context.thumbnail = nil
        try await store.save()
        let found7 = try await folder.store().mainAppContext.find("a")
        #expect(found7.thumbnail == nil)
    }
}

/// The beginning of a PNG file, which is all that the library reads.
func picture(_ width: UInt8, _ height: UInt8) throws -> CGImage {
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
    file += Array("IHDR".utf8) + [0, 0, 0, width, 0, 0, 0, height]
    return try #require(CGImage(file: Data(file)))
}
