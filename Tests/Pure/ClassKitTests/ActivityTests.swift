import ClassKitUplink
import Foundation
import Testing

@testable import ClassKit

@Suite struct ActivityTests {
    let folder: TestFolder
    let clocks = TestClocks()
    let store: CLSDataStore
    let quiz: CLSContext

    init() throws {
        folder = try TestFolder()
        store = folder.store(clocks: clocks)
        quiz = store.mainAppContext.add("quiz")
    }

    /// The quiz as a process finds it that was started later.
    private func relaunched() async throws -> CLSContext {
        try await folder.store(clocks: clocks).mainAppContext.find("quiz")
    }

    @Test func `time adds up over starts and stops`() async throws {
        let activity = quiz.createNewActivity()
        #expect(activity.duration == 0 && !activity.isStarted && activity.progress == 0)
        activity.start()
        clocks.advance(10)
        activity.start()
        #expect(activity.duration == 10 && activity.isStarted)
        activity.stop()
        clocks.advance(100)
        activity.stop()
        activity.start()
        clocks.advance(5)
        activity.stop()
        #expect(activity.duration == 15 && !activity.isStarted)
    }

    @Test func `the time in which the device sleeps does not count`() {
        let activity = quiz.createNewActivity()
        activity.start()
        clocks.advance(3)
        clocks.sleep(3600)
        clocks.advance(4)
        #expect(activity.duration == 7)
    }

    @Test func `a process that was frozen did not work`() {
        let activity = quiz.createNewActivity()
        activity.start()
        clocks.advance(3600)
        #expect(activity.duration == Stopwatch.heartbeatSeconds)
    }

    @Test func `progress is the union of its ranges`() {
        let activity = quiz.createNewActivity()
        activity.addProgressRange(fromStart: 0.2, toEnd: 0.4)
        activity.addProgressRange(fromStart: 0.3, toEnd: 0.5)
        #expect(abs(activity.progress - 0.3) < 1e-12)
        activity.progress = 0.1
        #expect(abs(activity.progress - 0.4) < 1e-12)
        activity.progress = 1
        activity.progress = 0.5
        #expect(activity.progress == 1)
    }

    @Test(arguments: [(-0.1, 0.5), (0.5, 1.1), (0.5, 0.5), (0.6, 0.5), (.nan, 0.5), (0, .nan)])
    func `a wrong range is ignored, and the next save says so`(start: Double, end: Double)
        async throws
    {
        try await store.save()
        let activity = quiz.createNewActivity()
        activity.addProgressRange(fromStart: start, toEnd: end)
        #expect(activity.progress == 0)
        let error = try #require(await store.errorOfSave())
        #expect(error.underlying.map(\.code) == [.invalidArgument] && error.object === activity)
        #expect(await store.errorOfSave() == nil)
        #expect(try await relaunched().currentActivity?.id == activity.id)
    }

    @Test func `the current activity survives a relaunch, with its figures`() async throws {
        let activity = quiz.createNewActivity()
        activity.start()
        clocks.advance(12)
        activity.addProgressRange(fromStart: 0.25, toEnd: 0.75)
        activity.primaryActivityItem = CLSScoreItem(
            identifier: "score", title: "Score", score: 7, maxScore: 10)
        let hints = CLSQuantityItem(identifier: "hints", title: "Hints")
        hints.quantity = 2.5
        activity.addAdditionalActivityItem(hints)
        let answer = CLSBinaryItem(identifier: "q1", title: "Q 1", type: .correctIncorrect)
        answer.value = true
        activity.addAdditionalActivityItem(answer)
        activity.stop()
        try await store.save()

        let context = try await relaunched()
        let again = try #require(context.currentActivity)
        #expect(again.id == activity.id && again.duration == 12 && again.progress == 0.5)
        #expect(!again.isStarted)
        let score = try #require(again.primaryActivityItem as? CLSScoreItem)
        #expect(score.score == 7 && score.maxScore == 10 && score.title == "Score")
        #expect((again.additionalActivityItems[0] as? CLSQuantityItem)?.quantity == 2.5)
        let binary = try #require(again.additionalActivityItems[1] as? CLSBinaryItem)
        #expect(binary.value && binary.valueType == .correctIncorrect)
        again.start()
        clocks.advance(8)
        #expect(again.duration == 20)
    }

    @Test func `an item says what it says when it is saved`() async throws {
        let activity = quiz.createNewActivity()
        let item = CLSQuantityItem(identifier: "hints", title: "Hints")
        activity.addAdditionalActivityItem(item)
        try await store.save()
        item.quantity = 4
        #expect(try await relaunched().currentActivity?.quantities == [0])
        try await store.save()
        #expect(try await relaunched().currentActivity?.quantities == [4])
        let other = CLSQuantityItem(identifier: "hints", title: "Hints")
        other.quantity = 5
        activity.addAdditionalActivityItem(other)
        #expect(activity.quantities == [5])
        activity.removeAllActivityItems()
        try await store.save()
        #expect(try await relaunched().currentActivity?.quantities == [])
    }

    @Test func `figures that cannot be are refused until they are mended`() async throws {
        let activity = quiz.createNewActivity()
        let score = CLSScoreItem(identifier: "score", title: "Score", score: 11, maxScore: 10)
        activity.primaryActivityItem = score
        for _ in 1...2 {
            let error = try #require(await store.errorOfSave())
            #expect(error.underlying.first?.code ?? error.code == .invalidArgument)
            #expect(error.object === score)
        }
        score.score = 10
        #expect(await store.errorOfSave() == nil)
        score.maxScore = 0
        #expect(await store.errorOfSave()?.code == .invalidArgument)
        score.maxScore = .nan
        #expect(await store.errorOfSave()?.code == .invalidArgument)
    }

    @Test func `a new attempt makes the one before final`() async throws {
        let first = quiz.createNewActivity()
        first.start()
        clocks.advance(5)
        try await store.save()
        let second = quiz.createNewActivity()
        #expect(!first.isStarted && first.duration == 5 && quiz.currentActivity === second)
        first.progress = 1
        first.start()
        #expect(first.progress == 0 && !first.isStarted)
        let error = try #require(await store.errorOfSave())
        #expect(error.object === first)
        #expect(error.underlying.allSatisfy { $0.code == .invalidModification })
        #expect(try await relaunched().currentActivity?.id == second.id)
        // The former one is sent before the new one.
        #expect(
            try store.queue().suffix(2) == [
                "activity \(first.id.uuidString.lowercased())",
                "activity \(second.id.uuidString.lowercased())",
            ])
    }

    @Test func `a context and its ancestor can be worked on together`() async throws {
        let book = store.mainAppContext.add("book")
        let chapter = book.add("chapter")
        let (whole, part) = (book.createNewActivity(), chapter.createNewActivity())
        whole.start()
        clocks.advance(10)
        part.start()
        clocks.advance(10)
        #expect(store.runningActivity === part)
        part.stop()
        #expect(store.runningActivity === whole)
        clocks.advance(10)
        whole.stop()
        #expect(store.runningActivity == nil)
        #expect(whole.duration == 30 && part.duration == 10)
    }

    @Test func `an attempt at a context outside the tree is not recorded`() async throws {
        try await store.save()
        CLSContext(type: .quiz, identifier: "x", title: "x").createNewActivity().start()
        #expect(await store.errorOfSave() == nil)
        #expect(try store.queue() == ["context quiz"])
    }

    @Test func `an attempt that began before its context was in the tree comes along`() async throws
    {
        let context = CLSContext(type: .quiz, identifier: "late", title: "Late")
        let activity = context.createNewActivity()
        activity.start()
        store.mainAppContext.addChildContext(context)
        try await store.save()
        #expect(store.runningActivity === activity)
        let again = folder.store().mainAppContext.children["late"]
        #expect(again?.currentActivity?.id == activity.id)
    }

    @Test func `an attempt at a context that is removed is reported as far as it went`()
        async throws
    {
        let activity = quiz.createNewActivity()
        activity.start()
        try await store.save()
        clocks.advance(9)
        store.remove(quiz)
        try await store.save()
        #expect(!activity.isStarted && store.runningActivity == nil)
        let records = try await StoreOutbox(
            subject: "sam", database: try store.executor.sync { try store.opened() }, of: store
        ).activities(limit: 10).map(\.record)
        #expect(records.map(\.durationSeconds) == [9] && records[0].stoppedAt != nil)
        #expect(await store.errorOfSave() == nil)
    }

    @Test func `what a heartbeat kept is there after the process died`() async throws {
        let activity = quiz.createNewActivity()
        activity.start()
        try await store.save()
        clocks.advance(15)
        store.executor.sync { store.beat() }
        clocks.advance(14)
        let row = try #require(
            try store.executor.sync { try store.opened().currentActivities() }.first)
        #expect(row.seconds == 15 && row.isRunning && row.id == activity.id)
    }

    @Test func `a completion is queued at once, without a save`() throws {
        store.completeAllAssignedActivities(matching: ["a", "b/c"])
        store.completeAllAssignedActivities(matching: ["a", "b/c"])
        #expect(try store.queue() == ["completion a/b%2Fc"])
    }

    @Test func `no assignment has a file`() async throws {
        await #expect(throws: CLSError.self) {
            _ = try await Unchecked(store).value.fetchActivity(for: URL(fileURLWithPath: "/a"))
        }
    }
}

extension CLSActivity {
    var quantities: [Double] {
        additionalActivityItems.compactMap { ($0 as? CLSQuantityItem)?.quantity }
    }
}
