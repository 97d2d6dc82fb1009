import ClassKit

/// One attempt of a student at a quiz.
final class QuizRun {
    private let context: CLSContext
    private let quiz: Quiz
    private var score = 0

    /// Begins an attempt: its time runs from now on.
    init(_ quiz: Quiz) async throws {
        self.quiz = quiz
        context = try await CLSDataStore.shared.mainAppContext.descendant(
            matchingIdentifierPath: [quiz.identifier])
        context.becomeActive()
        context.createNewActivity().start()
        try await CLSDataStore.shared.save()
    }

    /// Notes the answer to a question: an activity item for each, so that the teacher sees which ones were missed.
    func answer(_ place: Int, _ text: String) -> Bool {
        let question = quiz.questions[place]
        let isCorrect = Int(text.trimmingCharacters(in: .whitespaces)) == question.answer
        score += isCorrect ? 1 : 0
        guard let activity = context.currentActivity else { return isCorrect }
        let item = CLSBinaryItem(
            identifier: "question-\(place + 1)", title: question.text, type: .correctIncorrect)
        item.value = isCorrect
        activity.addAdditionalActivityItem(item)
        activity.progress = Double(place + 1) / Double(quiz.questions.count)
        return isCorrect
    }

    /// Ends the attempt. The score is what matters most, so it is the primary item.
    func finish() async throws -> Int {
        if let activity = context.currentActivity {
            activity.primaryActivityItem = CLSScoreItem(
                identifier: "total-score", title: "Total Score", score: Double(score),
                maxScore: Double(quiz.questions.count))
            activity.stop()
        }
        context.resignActive()
        try await CLSDataStore.shared.save()
        return score
    }
}
