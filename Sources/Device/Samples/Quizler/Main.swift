import ClassKit

/// A maths quiz in the terminal.
@main
struct Quizler {
    static func main() async {
        do {
            try await Contexts.publish()
            try await play(choose())
        } catch {
            print("Quizler: \(error.localizedDescription)")
            exit(1)
        }
        exit(0)
    }

    /// The quiz that is named when the app is started, or chosen now.
    private static func choose() -> Quiz? {
        let named = CommandLine.arguments.dropFirst().first
        if let named { return Quiz.all.first { $0.identifier == named } }
        for (place, quiz) in Quiz.all.enumerated() { print("\(place + 1)  \(quiz.title)") }
        print("Which quiz? ", terminator: "")
        guard let place = readLine().flatMap({ Int($0) }), Quiz.all.indices.contains(place - 1)
        else { return nil }
        return Quiz.all[place - 1]
    }

    private static func play(_ quiz: Quiz?) async throws {
        guard let quiz else {
            print("There is no such quiz. The quizzes: \(Quiz.all.map(\.identifier))")
            return
        }
        print(quiz.title)
        let run = try await QuizRun(quiz)
        for (place, question) in quiz.questions.enumerated() {
            print("\(question.text) = ", terminator: "")
            guard let text = readLine() else { break }
            print(run.answer(place, text) ? "Right." : "No, it is \(question.answer).")
        }
        print("\(try await run.finish()) of \(quiz.questions.count) right.")
    }
}
