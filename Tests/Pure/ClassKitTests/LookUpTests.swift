import Foundation
import Testing

@testable import ClassKit

/// Writes down what it is asked, and creates everything except what is called "no".
final class AskedDelegate: NSObject, CLSDataStoreDelegate {
    var asked: [String] = []

    func createContext(
        forIdentifier identifier: String, parentContext: CLSContext, parentIdentifierPath: [String]
    ) -> CLSContext? {
        asked.append("\(parentIdentifierPath) \(identifier)")
        // The data store is not locked: what an app does here must not wait for itself.
        _ = parentContext.identifierPath
        guard identifier != "no" else { return nil }
        return CLSContext(type: .chapter, identifier: identifier, title: identifier)
    }
}

@Suite struct LookUpTests {
    let folder: TestFolder
    let store: CLSDataStore
    let delegate = AskedDelegate()

    init() throws {
        folder = try TestFolder()
        store = folder.store()
    }

    @Test func `the delegate is asked top down, once for each missing context`() async throws {
        store.delegate = delegate
        let context = try await store.mainAppContext.find("a", "b", "c")
        #expect(context.identifierPath == ["org.example.app", "a", "b", "c"])
        #expect(delegate.asked == ["[] a", "[\"a\"] b", "[\"a\", \"b\"] c"])
        let again = try await store.mainAppContext.find("a", "b", "c")
        #expect(again === context && delegate.asked.count == 3)
        // The data store saved them.
        let relaunched = try await folder.store().mainAppContext.find("a", "b", "c")
        #expect(relaunched.type == .chapter)
    }

    @Test func `a look-up for many contexts finds those on the path`() async throws {
        store.mainAppContext.add("a").add("b")
        let both = try await store.contexts(matchingIdentifierPath: ["a", "b"])
        #expect(both.map(\.identifier) == ["a", "b"])
        let part = try await store.contexts(matchingIdentifierPath: ["a", "x", "y"])
        #expect(part.map(\.identifier) == ["a"])
        let none = try await store.contexts(matchingIdentifierPath: ["x"])
        #expect(none.isEmpty)
        let whole = try await store.contexts(
            matchingIdentifierPath: ["org.example.app", "a", "b"])
        #expect(whole.map(\.identifier) == ["org.example.app", "a", "b"])
    }

    @Test func `nil ends the look-up, and what was made above is kept`() async throws {
        store.delegate = delegate
        #expect(await store.mainAppContext.lacks("a", "no", "c"))
        #expect(delegate.asked == ["[] a", "[\"a\"] no"])
        #expect(folder.store().mainAppContext.subtree.map(\.identifier).last == "a")
    }

    @Test func `a relative look-up begins at the receiver`() async throws {
        store.delegate = delegate
        let context = store.mainAppContext.add("a")
        let found = try await context.find("b")
        #expect(found.parent === context && delegate.asked == ["[\"a\"] b"])
        let itself = try await context.find()
        #expect(itself === context)
    }

    @Test func `a predicate does not ask the delegate`() async throws {
        store.delegate = delegate
        let found = try await store.contexts(matching: NSPredicate(format: "title = 'x'"))
        #expect(found.isEmpty && delegate.asked.isEmpty)
    }

    @Test func `many look-ups at once ask once`() async throws {
        store.delegate = delegate
        let root = Unchecked(store.mainAppContext)
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...20 {
                group.addTask { _ = try? await root.value.find("a", "b") }
            }
        }
        #expect(delegate.asked.count == 2)
    }

    @Test func `a handler may wait for another call`() {
        let done = DispatchSemaphore(value: 0)
        let store = store
        store.mainAppContext.descendant(matchingIdentifierPath: []) { _, _ in
            let inner = DispatchSemaphore(value: 0)
            store.save { _ in inner.signal() }
            inner.wait()
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 10) == .success)
    }

    @Test func `Quizler publishes its contexts once, however often it starts`() async throws {
        for _ in 1...2 {
            let store = folder.store()
            let parent = store.mainAppContext
            let predicate = NSPredicate(
                format: "%K = %@", CLSPredicateKeyPath.parent as any CVarArg, parent)
            let known = try await store.contexts(matching: predicate).map(\.identifier)
            for identifier in ["addition", "multiplication"] where !known.contains(identifier) {
                parent.add(identifier)
            }
            try await store.save()
        }
        #expect(try folder.store().queue() == ["context addition", "context multiplication"])
    }
}
