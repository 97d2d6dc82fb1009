import ClassKit

/// The lessons of the app; some end with a quiz.
struct Lesson: Sendable {
    let identifier: String
    let title: String
    var hasQuiz = true

    static let quiz = "quiz"

    static let all = [
        Lesson(identifier: "0_about", title: "About This Course", hasQuiz: false),
        Lesson(identifier: "1_swift", title: "What Is Swift?", hasQuiz: false),
        Lesson(identifier: "2_vars", title: "What Is a Variable?"),
        Lesson(identifier: "3_datatypes", title: "Types of Data"),
        Lesson(identifier: "4_structs", title: "Structures"),
        Lesson(identifier: "5_conditions", title: "If and Else"),
        Lesson(identifier: "6_loops", title: "Loops"),
    ]
}

/// The one place that creates contexts: the provider and the app's look-ups both end here.
enum ContextMaker {
    /// The context below a path; `nil` if the app has nothing there.
    static func context(_ identifier: String, below path: [String]) -> CLSContext? {
        if path.isEmpty, let place = Lesson.all.firstIndex(where: { $0.identifier == identifier }) {
            let lesson = CLSContext(
                type: .lesson, identifier: identifier, title: Lesson.all[place].title)
            lesson.displayOrder = place
            lesson.topic = .computerScienceAndEngineering
            return lesson
        }
        guard path.count == 1, identifier == Lesson.quiz,
            let lesson = Lesson.all.first(where: { $0.identifier == path[0] }), lesson.hasQuiz
        else { return nil }
        let quiz = CLSContext(type: .quiz, identifier: identifier, title: "Quiz: \(lesson.title)")
        quiz.addProgressReportingCapabilities([
            CLSProgressReportingCapability(kind: .score, details: "Right answers"),
            CLSProgressReportingCapability(kind: .binary, details: "Each question"),
        ])
        return quiz
    }

    /// What is below a path.
    static func children(of path: [String]) -> [CLSContext] {
        let identifiers = path.isEmpty ? Lesson.all.map(\.identifier) : [Lesson.quiz]
        return identifiers.compactMap { context($0, below: path) }
    }
}
