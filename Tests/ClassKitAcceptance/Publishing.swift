import ClassKit
import ClassKitLinux

extension Program {
    /// The quiz of the talk of 2020, with everything that teachers see of it.
    static func publishScience(picture: String?) async throws {
        let quiz = await Seeds.measurementsQuiz(bundle: .main)
        if let picture {
            quiz.thumbnail = await Seeds.thumbnailFromImage(atURL: URL(fileURLWithPath: picture))
        }
        print("thumbnail: \(quiz.thumbnail.map { "\($0.width) × \($0.height)" } ?? "none")")
        quiz.addProgressReportingCapabilities([
            CLSProgressReportingCapability(kind: .binary, details: "Reports whether it was passed"),
            CLSProgressReportingCapability(kind: .score, details: "Reports the points"),
        ])
        CLSDataStore.shared.mainAppContext.addChildContext(quiz)
        try await CLSDataStore.shared.save()
    }

    /// Publishes as at every launch, then answers the addition quiz.
    static func playQuizler() async throws {
        await Seeds.publishContexts()
        try await wait("the contexts") {
            try await CLSDataStore.shared.contexts(
                matching: NSPredicate(format: "identifier ENDSWITH '-quiz'")
            )
            .count == 2
        }
        try await CLSDataStore.shared.save()
        await Seeds.publishContexts()
        try await pause(seconds: 0.2)
        let published = try await CLSDataStore.shared.contexts(
            matching: NSPredicate(
                format: "%K = %@", CLSPredicateKeyPath.parent as any CVarArg,
                CLSDataStore.shared.mainAppContext))
        print(published.sorted { $0.displayOrder < $1.displayOrder }.map(\.title))

        await Seeds.beginActivity(["addition-quiz"])
        try await wait("the quiz runs") {
            try await context("addition-quiz").currentActivity?.isStarted == true
        }
        let quiz = try await context("addition-quiz")
        try await pause(seconds: 0.3)
        for question in 1...3 {
            await Seeds.answer(quiz, question: question, isCorrect: question != 2)
        }
        await Seeds.endQuiz(quiz, score: 2, of: 3)
        try await CLSDataStore.shared.save()
        print("items: \(quiz.currentActivity?.additionalActivityItems.map(\.title) ?? [])")
        print("started: \(quiz.currentActivity?.isStarted ?? true)")
    }

    /// The provider of the talk of 2019, for the app and then for one lesson.
    static func runProvider() async throws {
        let root = CLSDataStore.shared.mainAppContext
        try await LessonProvider().updateDescendants(of: root)
        let lessons = try await CLSDataStore.shared.contexts(
            matching: NSPredicate(format: "parent = %@", root))
        print(lessons.sorted { $0.displayOrder < $1.displayOrder }.map(\.identifier))
        try await LessonProvider().updateDescendants(of: try await context("3_datatypes"))
        print(try await context("3_datatypes", "3_datatypes_quiz").identifierPath.dropFirst())

        let many = CLSContext(type: .book, identifier: "many", title: "Many")
        root.addChildContext(many)
        let began = Date()
        for number in 1...2000 {
            many.addChildContext(
                CLSContext(type: .page, identifier: "\(number)", title: "\(number)"))
        }
        try await CLSDataStore.shared.save()
        let milliseconds = Int(Date().timeIntervalSince(began) * 1000)
        FileHandle.standardError.write(Data("2,000 children in \(milliseconds) ms\n".utf8))
    }

    /// Adds a context at a path that is taken.
    static func addTwice() async throws {
        let root = CLSDataStore.shared.mainAppContext
        root.addChildContext(CLSContext(type: .quiz, identifier: "quiz", title: "First"))
        try await CLSDataStore.shared.save()
        let second = CLSContext(type: .quiz, identifier: "quiz", title: "Second")
        root.addChildContext(second)
        do {
            try await CLSDataStore.shared.save()
            print("not refused")
        } catch CLSError.invalidCreate {
            print("refused: invalidCreate")
        } catch let error as CLSError {
            print("refused: \(error.code)")
        }
        await Seeds.beginActivity(["quiz"])
        try await wait("the quiz runs") {
            try await context("quiz").currentActivity?.isStarted == true
        }
        print("still: \(try await context("quiz").title)")
    }

    /// Opens a link as the desktop hands it over.
    static func open(_ arguments: [String]) {
        for link in arguments {
            let activity = URL(string: link).flatMap { ClassKitLinux.userActivity(from: $0) }
            var last: String?
            if let activity { last = Seeds.continueQuiz(activity) }
            print(last ?? "not a deep link")
        }
    }
}
