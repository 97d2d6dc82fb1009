import ClassKit

/// Creates what a look-up does not find.
final class ContextCreator: NSObject, CLSDataStoreDelegate {
    func createContext(
        forIdentifier identifier: String, parentContext: CLSContext, parentIdentifierPath: [String]
    ) -> CLSContext? {
        ContextMaker.context(identifier, below: parentIdentifierPath)
    }
}

/// The quiz at the end of a lesson.
enum QuizOfLesson {
    static let questions: [(text: String, isTrue: Bool)] = [
        ("A constant is declared with let.", true), ("A variable keeps its first value.", false),
        ("A variable has one type.", true),
    ]

    /// Starts the time of a context.
    static func beginActivity(_ path: [String]) async throws -> CLSContext {
        let context = try await CLSDataStore.shared.mainAppContext.descendant(
            matchingIdentifierPath: path)
        context.becomeActive()
        context.createNewActivity().start()
        try await CLSDataStore.shared.save()
        return context
    }

    /// Asks the questions, and reports for each whether it was answered correctly.
    static func run(of lesson: Lesson) async throws {
        let path = [lesson.identifier, Lesson.quiz]
        let context = try await beginActivity(path)
        var score = 0.0
        for (place, question) in questions.enumerated() {
            print("\(question.text) (t/f) ", terminator: "")
            guard let text = readLine() else { break }
            let isCorrect = (text == "t") == question.isTrue
            print(isCorrect ? "Correct." : "Incorrect.")
            score += isCorrect ? 1 : 0
            let item = CLSBinaryItem(
                identifier: "question-\(place + 1)", title: question.text, type: .correctIncorrect)
            item.value = isCorrect
            context.currentActivity?.addAdditionalActivityItem(item)
        }
        context.currentActivity?.primaryActivityItem = CLSScoreItem(
            identifier: "score", title: "Score", score: score, maxScore: Double(questions.count))
        context.currentActivity?.progress = 1
        context.currentActivity?.stop()
        context.resignActive()
        try await CLSDataStore.shared.save()
        CLSDataStore.shared.completeAllAssignedActivities(matching: path)
    }
}
