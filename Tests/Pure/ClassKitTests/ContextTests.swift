import ClassKitSymbols
import ClassKitSymbols5
import Foundation
import Testing

@testable import ClassKit

@Suite struct ContextTests {
    let folder: TestFolder
    let store: CLSDataStore
    let root: CLSContext

    init() throws {
        folder = try TestFolder()
        store = folder.store()
        root = store.mainAppContext
    }

    @Test func `a new context has Apple's defaults`() {
        let context = CLSContext(type: .quiz, identifier: "quiz", title: "Quiz")
        #expect(context.displayOrder == 0 && context.isAssignable && !context.isActive)
        #expect(context.suggestedAge == NSRange(0...Int.max - 1))
        #expect(context.suggestedCompletionTime == NSRange(0...Int.max - 1))
        #expect(context.progressReportingCapabilities.map(\.kind) == [.duration])
        #expect(context.topic == nil && context.summary == nil && context.thumbnail == nil)
        #expect(context.parent == nil && context.currentActivity == nil)
        #expect(context.navigationChildContexts.isEmpty && context.identifierPath == ["quiz"])
    }

    @Test func `the main app context is the root and has the bundle id`() {
        #expect(root.identifier == "org.example.app" && root.type == .app && root.parent == nil)
        #expect(root.identifierPath == ["org.example.app"])
        #expect(root === store.mainAppContext)
    }

    @Test func `what is saved is there after a relaunch, with everything that was said`()
        async throws
    {
        let quiz = root.add("book").add("quiz", "Quiz 1")
        quiz.setType(.custom)
        quiz.customTypeName = "Riddle"
        quiz.displayOrder = 3
        quiz.topic = .science
        quiz.summary = "Line one\nLine two"
        quiz.isAssignable = false
        quiz.suggestedAge = NSRange(9...11)
        quiz.suggestedCompletionTime = NSRange(15...20)
        quiz.universalLinkURL = URL(string: "https://example.org/q?a=1")
        quiz.addProgressReportingCapabilities([
            CLSProgressReportingCapability(kind: .percent, details: "a\\b\nc"),
            CLSProgressReportingCapability(kind: .score, details: nil),
        ])
        try await store.save()
        let again = try await folder.store().mainAppContext.find("book", "quiz")
        #expect(again.fields == quiz.fields && again.type == .custom)
        #expect(again.suggestedAge == NSRange(9...11))
        #expect(
            Dictionary(
                uniqueKeysWithValues: again.progressReportingCapabilities.map {
                    ($0.kind, $0.details)
                }) == [.duration: nil, .percent: "a\\b\nc", .score: nil])
        #expect(again.identifierPath == ["org.example.app", "book", "quiz"])
        #expect(
            abs(again.dateLastModified.timeIntervalSince(quiz.dateLastModified)) < 0.001)
        #expect(try store.queue() == ["context book", "context book/quiz"])
    }

    @Test func `identifiers may hold anything that a path is written with`() async throws {
        for identifier in ["a/b", "50%", "%2F", "a b", "ü/%", "/"] {
            root.add(identifier).add("child")
        }
        try await store.save()
        let again = folder.store().mainAppContext
        for identifier in ["a/b", "50%", "%2F", "a b", "ü/%", "/"] {
            let child = try await again.find(identifier, "child")
            #expect(child.identifierPath == ["org.example.app", identifier, "child"])
        }
    }

    @Test func `nothing is kept without a save`() async throws {
        root.add("a")
        #expect(await folder.store().mainAppContext.lacks("a"))
    }

    @Test func `a topic is inherited`() {
        root.add("a").topic = .math
        #expect(root.children["a"]?.add("b").add("c").topic == .math)
    }

    @Test func `a second context at the same path is refused, and the first stays`() async throws {
        let first = root.add("a", "First")
        try await store.save()
        let second = root.add("a", "Second")
        let error = try #require(await store.errorOfSave())
        #expect(error.code == .invalidCreate && error.object === second)
        #expect(second.parent == nil)
        let found1 = try await root.find("a")
        #expect(found1 === first)
        #expect(await store.errorOfSave() == nil)
    }

    @Test func `two at once: the first is saved, and the error names the second`() async throws {
        let first = root.add("a")
        let second = root.add("a")
        let error = try #require(await store.errorOfSave())
        #expect(error.code == .partialFailure && error.object === second)
        #expect(error.underlying.map(\.code) == [.invalidCreate])
        #expect(error.successes.contains { $0 === first })
        let found2 = try await folder.store().mainAppContext.find("a")
        #expect(found2.title == "a")
    }

    @Test func `a path that the same save removes is free again`() async throws {
        let old = root.add("a", "Old")
        old.add("b")
        try await store.save()
        store.remove(old)
        root.add("a", "New")
        try await store.save()
        let found3 = try await root.find("a")
        #expect(found3.title == "New")
        #expect(await root.lacks("a", "b"))
        #expect(try store.queue() == ["removal a", "context a"])
    }

    @Test func `removing takes effect on save, with descendants`() async throws {
        let context = root.add("a")
        context.add("b").add("c")
        root.add("ab")
        try await store.save()
        store.remove(context)
        let found4 = try await root.find("a", "b", "c")
        #expect(found4.identifier == "c")
        try await store.save()
        #expect(await root.lacks("a"))
        let again = folder.store()
        #expect(again.mainAppContext.subtree.map(\.identifier) == ["org.example.app", "ab"])
    }

    @Test func `the main app context cannot be removed or get another type`() async throws {
        store.remove(root)
        let error = try #require(await store.errorOfSave())
        #expect(error.code == .invalidModification && error.object === root)
        root.setType(.book)
        #expect(await store.errorOfSave()?.code == .invalidModification)
        #expect(root.type == .app)
    }

    @Test func `a context that left its parent is removed, unless it got another`() async throws {
        let child = root.add("a").add("child")
        child.add("grandchild")
        root.add("b")
        try await store.save()
        child.removeFromParent()
        #expect(child.parent == nil)
        root.children["b"]?.addChildContext(child)
        try await store.save()
        let again = folder.store().mainAppContext
        #expect(
            again.subtree.map { $0.identifierPath.dropFirst().joined(separator: "/") }
                == ["", "a", "b", "b/child", "b/child/grandchild"])
        child.removeFromParent()
        try await store.save()
        #expect(folder.store().mainAppContext.subtree.count == 3)
    }

    @Test func `a context cannot be its own descendant`() async throws {
        let context = root.add("a")
        let below = context.add("b")
        below.addChildContext(context)
        #expect(context.parent === root)
        #expect(await store.errorOfSave()?.underlying.map(\.code) == [.invalidArgument])
    }

    @Test func `navigation children are second places and change no path`() async throws {
        let quiz = root.add("book").add("quiz")
        let shelf = root.add("shelf")
        shelf.addNavigationChildContext(quiz)
        shelf.addNavigationChildContext(quiz)
        try await store.save()
        let again = folder.store().mainAppContext
        let found = try await again.find("shelf")
        #expect(
            found.navigationChildContexts.map(\.identifierPath)
                == [["org.example.app", "book", "quiz"]])
        found.removeNavigationChildContext(found.navigationChildContexts[0])
        #expect(found.navigationChildContexts.isEmpty)
    }

    @Test func `one context is active`() {
        let (first, second) = (root.add("a"), root.add("b"))
        first.becomeActive()
        second.resignActive()
        #expect(store.activeContext === first && first.isActive)
        second.becomeActive()
        #expect(store.activeContext === second && !first.isActive)
        second.resignActive()
        #expect(store.activeContext == nil)
    }

    @Test func `an archive keeps a context`() throws {
        let context = CLSContext(type: .quiz, identifier: "quiz", title: "Quiz")
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: context, requiringSecureCoding: true)
        let again = try NSKeyedUnarchiver.unarchivedObject(ofClass: CLSContext.self, from: data)
        #expect(again?.identifier == "quiz" && again?.type == .quiz && again?.title == "Quiz")
    }
}
