import ClassKitUplink
import Foundation
import Testing

@testable import ClassKit

@Suite struct OutboxTests {
    let folder: TestFolder
    let store: CLSDataStore
    let outbox: StoreOutbox

    init() throws {
        folder = try TestFolder()
        let store = folder.store()
        self.store = store
        outbox = try store.outbox()
    }

    @Test func `a context goes up as the server reads it`() async throws {
        let quiz = store.mainAppContext.add("a").add("quiz", "Quiz")
        quiz.setType(.quiz)
        quiz.suggestedAge = NSRange(9...11)
        quiz.suggestedCompletionTime = NSRange(location: 5, length: Int.max - 5)
        quiz.topic = .math
        quiz.addProgressReportingCapabilities([
            CLSProgressReportingCapability(kind: .binary, details: "Passed")
        ])
        store.root.add("shelf").addNavigationChildContext(quiz)
        try await store.save()
        let records = try await outbox.contexts(limit: 10).map(\.record)
        #expect(records.map(\.identifierPath) == [["a"], ["a", "quiz"], ["shelf"]])
        let record = records[1]
        #expect(record.type == "quiz" && record.topic == "math" && record.isAssignable)
        #expect(record.suggestedAge == Bounds(lower: 9, upper: 11))
        #expect(record.suggestedCompletionTime == Bounds(lower: 5, upper: nil))
        #expect(record.navigationPaths == [["shelf"]])
        #expect(
            record.progressReportingCapabilities == [
                Capability(kind: "duration", details: ""),
                Capability(kind: "binary", details: "Passed"),
            ])
        #expect(records[0].suggestedAge == nil)
    }

    @Test func `what changes while it is sent stays in the queue`() async throws {
        let context = store.mainAppContext.add("a", "First")
        try await store.save()
        let first = try await outbox.contexts(limit: 10)
        context.title = "Second"
        try await store.save()
        try await outbox.sent(first.map(\.ticket))
        let second = try await outbox.contexts(limit: 10)
        #expect(second.map(\.record.title) == ["Second"])
        try await outbox.sent(second.map(\.ticket))
        #expect(try await outbox.contexts(limit: 10).isEmpty)
    }

    @Test func `a picture waits for its context`() async throws {
        let context = store.mainAppContext.add("a")
        context.thumbnail = try picture(80, 40)
        try await store.save()
        #expect(try await outbox.thumbnails(limit: 10).isEmpty)
        try await outbox.sent(try await outbox.contexts(limit: 10).map(\.ticket))
        #expect(try await outbox.thumbnails(limit: 10).map(\.record.identifierPath) == [["a"]])
        context.title = "Again"
        try await store.save()
        #expect(try await outbox.thumbnails(limit: 10).isEmpty)
    }

    @Test func `what is saved again waits for its removal`() async throws {
        store.mainAppContext.add("a").add("b")
        store.mainAppContext.add("ab")
        try await store.save()
        try await outbox.sent(try await outbox.contexts(limit: 10).map(\.ticket))
        try await store.mainAppContext.find("a").removeFromParent()
        try await store.save()
        store.mainAppContext.add("a").add("b")
        try await store.mainAppContext.find("ab").title = "Other"
        try await store.save()
        let others = try await outbox.contexts(limit: 10)
        #expect(others.map(\.record.identifierPath) == [["ab"]])
        try await outbox.sent(try await outbox.removals(limit: 10).map(\.ticket))
        let all = try await outbox.contexts(limit: 10)
        #expect(Set(all.map(\.record.identifierPath)) == [["ab"], ["a"], ["a", "b"]])
    }

    @Test func `a parent that changes again stays before its children`() async throws {
        let parent = store.mainAppContext.add("a")
        parent.add("b")
        try await store.save()
        parent.title = "Later"
        try await store.save()
        let order = try await outbox.contexts(limit: 10).map(\.record.identifierPath)
        #expect(order == [["a"], ["a", "b"]])
    }

    @Test func `removing takes what was queued below out of the queue`() async throws {
        let parent = store.mainAppContext.add("a")
        parent.add("b")
        try await store.save()
        store.remove(parent)
        try await store.save()
        #expect(try await outbox.contexts(limit: 10).isEmpty)
        let removals = try await outbox.removals(limit: 10)
        #expect(removals.map(\.record) == [["a"]])
        try await outbox.sent(removals.map(\.ticket))
        #expect(try store.queue() == [])
    }

    @Test func `a former attempt goes first, and leaves its last time`() async throws {
        let quiz = store.mainAppContext.add("quiz")
        let first = quiz.createNewActivity()
        first.start()
        try await store.save()
        let second = quiz.createNewActivity()
        second.start()
        second.progress = 0.5
        try await store.save()
        let queued = try await outbox.activities(limit: 10)
        #expect(queued.map(\.record.id) == [first.id, second.id])
        #expect(queued[0].record.stoppedAt != nil && queued[1].record.stoppedAt == nil)
        #expect(queued[1].record.progressRanges == [ProgressRange(start: 0, end: 0.5)])
        let sentAt = Date(timeIntervalSince1970: 1_800_000_123)
        try await outbox.stamp([
            ActivityStamp(
                id: first.id, startedAt: sentAt, modifiedAt: sentAt,
                revisedAt: queued[0].record.modifiedAt)
        ])
        let stamped = try await outbox.activities(limit: 10)
        #expect(stamped[0].record.stamp?.modifiedAt == sentAt)
        #expect(stamped[1].record.formerModifiedAt == sentAt)
        try await outbox.sent([stamped[0].ticket])
        let rest = try await outbox.activities(limit: 10)
        #expect(rest.map(\.record.id) == [second.id])
        #expect(rest[0].record.formerModifiedAt == sentAt)
        let ids = try store.executor.sync {
            try store.opened().sql.rows("select id from activity") { $0.text(0) }
        }
        #expect(ids == [second.id.uuidString.lowercased()])
    }

    @Test func `a current attempt stays when it is sent`() async throws {
        let activity = store.mainAppContext.add("quiz").createNewActivity()
        try await store.save()
        try await outbox.sent(try await outbox.activities(limit: 10).map(\.ticket))
        #expect(try await outbox.activities(limit: 10).isEmpty)
        let again = try await folder.store().mainAppContext.find("quiz")
        #expect(again.currentActivity?.id == activity.id)
    }

    @Test func `what the server refuses is kept for the developer`() async throws {
        let context = store.mainAppContext.add("a")
        try await store.save()
        let ticket = try #require(try await outbox.contexts(limit: 1).first?.ticket)
        try await outbox.quarantine([
            Refusal(ticket: ticket, pointer: "/contexts/0/title", code: "too_long", detail: "No.")
        ])
        #expect(try await outbox.contexts(limit: 10).isEmpty)
        let kept = try store.executor.sync {
            try store.opened().sql.rows("select kind, ref, problem from quarantine") {
                ($0.text(0), $0.text(1), $0.text(2))
            }
        }
        #expect(kept.count == 1 && kept[0].0 == "context" && kept[0].1 == "a")
        #expect(kept[0].2.contains("too_long"))
        context.title = "Shorter"
        try await store.save()
        #expect(try await outbox.contexts(limit: 10).map(\.record.title) == ["Shorter"])
    }

    @Test func `states are kept`() async throws {
        #expect(try await outbox.state("clock") == nil)
        try await outbox.keep(Data([1, 2]), as: "clock")
        try await outbox.keep(Data([3]), as: "clock")
        #expect(try await outbox.state("clock") == Data([3]))
    }
}

@Suite struct MirrorTests {
    let folder: TestFolder
    let store: CLSDataStore
    let outbox: StoreOutbox

    init() throws {
        folder = try TestFolder()
        let store = folder.store()
        self.store = store
        outbox = try store.outbox()
    }

    private func mirror(
        _ contexts: [(path: [String], title: String)], removed: [[String]] = [],
        isFirst: Bool = false, isLast: Bool = true
    ) async throws {
        try await outbox.mirror(
            MirrorPage(
                contexts: contexts.map { path, title in
                    MirroredContext(
                        record: ContextRecord(
                            identifierPath: path, title: title, type: "lesson"),
                        origin: "catalog", createdAt: Date(timeIntervalSince1970: 1),
                        updatedAt: Date(timeIntervalSince1970: 2))
                }, removed: removed, cursor: Data("cursor".utf8), isFirstOfWhole: isFirst,
                isLast: isLast, reading: try await outbox.beginReading()))
    }

    /// Everything is with the server.
    private func settle() async throws {
        try await outbox.sent(try await outbox.contexts(limit: 5000).map(\.ticket))
    }

    @Test func `what the developer published is found, in any order`() async throws {
        try await mirror([(["a", "b"], "B"), (["a"], "A"), ([], "The App")])
        let found = try await store.mainAppContext.find("a", "b")
        #expect(found.title == "B" && found.dateCreated == Date(timeIntervalSince1970: 1))
        #expect(store.mainAppContext.title == "The App")
        #expect(try await outbox.state(Uplink.mirrorState) == Data("cursor".utf8))
        #expect(try store.queue() == [])
    }

    @Test func `objects are updated in place`() async throws {
        let mine = store.mainAppContext.add("a", "Mine")
        try await store.save()
        try await settle()
        try await mirror([(["a"], "Theirs")])
        #expect(mine.title == "Theirs")
    }

    @Test func `what waits for sending stays as it is`() async throws {
        let changed = store.mainAppContext.add("changed", "Mine")
        let removed = store.mainAppContext.add("removed")
        removed.add("child")
        try await store.save()
        store.remove(removed)
        try await store.save()
        try await mirror(
            [(["changed"], "Theirs"), (["removed"], "r"), (["removed", "child"], "c")],
            isFirst: true)
        #expect(changed.title == "Mine")
        #expect(await store.mainAppContext.lacks("removed"))
        // A change that is not saved yet stays as well.
        try await settle()
        changed.title = "Newer"
        try await mirror([(["changed"], "Theirs")])
        #expect(changed.title == "Newer")
        try await store.save()
        #expect(try await outbox.contexts(limit: 10).map(\.record.title) == ["Newer"])
    }

    @Test func `a tombstone removes what nobody changed here`() async throws {
        store.mainAppContext.add("a").add("b")
        store.mainAppContext.add("c")
        try await store.save()
        try await settle()
        try await mirror([], removed: [["a"], ["a", "b"], ["x"]])
        #expect(store.mainAppContext.subtree.map(\.identifier) == ["org.example.app", "c"])
    }

    @Test func `a whole list removes what is not in it`() async throws {
        for identifier in ["a", "b", "c"] { store.mainAppContext.add(identifier) }
        try await store.save()
        try await settle()
        store.root.children["c"]?.title = "Waits"
        try await store.save()
        try await mirror([(["a"], "A")], isFirst: true, isLast: false)
        #expect(store.mainAppContext.subtree.count == 4)
        try await mirror([(["d"], "D")])
        #expect(store.mainAppContext.subtree.map(\.title) == ["App", "A", "Waits", "D"])
    }
}
