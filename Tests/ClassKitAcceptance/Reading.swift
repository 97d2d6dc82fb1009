import ClassKit

extension Program {
    /// Reads a chapter, with the book running beside it; pauses; and begins a second attempt.
    static func readBook() async throws {
        try await publishBook()
        await Seeds.startReading(["book"])
        try await wait("the book runs") {
            try await context("book").currentActivity?.isStarted == true
        }
        try await pause(seconds: 0.5)
        await Seeds.startReading(["book", "chapter-1"])
        try await wait("the chapter runs") {
            try await context("book", "chapter-1").currentActivity?.isStarted == true
        }
        let chapter = try await context("book", "chapter-1")
        print(
            "running is the chapter: \(CLSDataStore.shared.runningActivity === chapter.currentActivity)"
        )
        print("active is the chapter: \(chapter.isActive)")
        await Seeds.turnPage(["book", "chapter-1"], currentPage: 3, totalPages: 10)
        try await wait("progress") { chapter.currentActivity?.progress == 0.3 }

        try await pause(seconds: 0.5)
        chapter.currentActivity?.stop()
        try await pause(seconds: 0.5)
        chapter.currentActivity?.start()
        try await pause(seconds: 0.5)
        await Seeds.stopReading(["book", "chapter-1"])
        try await wait("the chapter stops") { chapter.currentActivity?.isStarted == false }
        await Seeds.stopReading(["book"])
        try await wait("the book stops") {
            try await context("book").currentActivity?.isStarted == false
        }
        try await CLSDataStore.shared.save()
        print("chapter: \((chapter.currentActivity?.duration ?? 0).tenths) s")
        print("book: \((try await context("book").currentActivity?.duration ?? 0).tenths) s")

        try await readAgain(chapter)
    }

    private static func publishBook() async throws {
        let book = CLSContext(type: .book, identifier: "book", title: "A Book")
        CLSDataStore.shared.mainAppContext.addChildContext(book)
        book.addChildContext(
            CLSContext(type: .chapter, identifier: "chapter-1", title: "Chapter 1"))
        try await CLSDataStore.shared.save()
    }

    private static func readAgain(_ chapter: CLSContext) async throws {
        let first = chapter.currentActivity
        chapter.createNewActivity().start()
        chapter.currentActivity?.progress = 1
        chapter.currentActivity?.stop()
        try await CLSDataStore.shared.save()
        print("another attempt: \(chapter.currentActivity !== first)")
    }

    /// Works at a quiz until it is killed, saving now and then.
    static func work(seconds: Double) async throws {
        let root = CLSDataStore.shared.mainAppContext
        if try await CLSDataStore.shared.contexts(matchingIdentifierPath: ["quiz"]).isEmpty {
            root.addChildContext(CLSContext(type: .quiz, identifier: "quiz", title: "Quiz"))
        }
        try await CLSDataStore.shared.save()
        let quiz = try await context("quiz")
        let activity = quiz.currentActivity ?? quiz.createNewActivity()
        print("began with \(activity.progress.tenths)")
        activity.start()
        for step in 1...100 {
            activity.addProgressRange(fromStart: 0, toEnd: Double(step) / 100)
            try await CLSDataStore.shared.save()
            print("saved \(step)")
            fflush(nil)
            try await pause(seconds: seconds / 100)
        }
        activity.stop()
        try await CLSDataStore.shared.save()
    }
}
