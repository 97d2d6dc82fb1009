// Runs the code that ClassKit was presented with, from the main actor, and prints what came of it. `ClassKitTests` runs
// it in each way in which an app may be compiled.
import ClassKit
import Dispatch

/// What a handler was called with, for the main thread to wait for.
nonisolated final class Answer<Value: Sendable>: @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private var value: Value?

    func give(_ value: Value) {
        self.value = value
        semaphore.signal()
    }

    func get() -> Value? {
        guard semaphore.wait(timeout: .now() + 60) == .success else { return nil }
        return value
    }
}

@MainActor final class Lesson {
    private let store = CLSDataStore.shared
    private let book = Book()
    private let path = ["chapter-1", "section-2"]

    func run() {
        store.delegate = book
        publish()
        read()
        takeQuiz()
        provide()
        lookUp()
    }

    private func publish() {
        Seeds.publishContexts()
        say("quizzes", until: { $0.hasSuffix("multiplication-quiz") }) { self.quizzes() }
        store.mainAppContext.addChildContext(Seeds.measurementsQuiz(bundle: .main))
        let saved = Answer<Bool>()
        store.save { error in saved.give(error == nil) }
        say("saved") { "\(saved.get() == true)" }
    }

    private func quizzes() -> String {
        let answer = Answer<String>()
        let parent = store.mainAppContext
        let children = NSPredicate(
            format: "%K == %@", CLSPredicateKeyPath.parent as CVarArg, parent)
        store.contexts(matching: children) { contexts, _ in
            // Closures in which the program stops if the handler were taken for code of the main actor.
            let quizzes = contexts.filter { $0.type == .quiz }
            answer.give(quizzes.map { $0.identifier }.sorted { $0 < $1 }.joined(separator: " "))
        }
        return answer.get() ?? "no answer"
    }

    private func read() {
        Seeds.startReading(path)
        say("runs", until: { $0 == "true" }) { "\(self.store.runningActivity != nil)" }
        let activity = store.runningActivity
        Seeds.turnPage(path, currentPage: 5, totalPages: 10)
        say("progress", until: { $0 == "0.5" }) { "\(activity?.progress ?? -1)" }
        Seeds.stopReading(path)
        say("stopped", until: { $0 == "true" }) { "\(self.store.runningActivity == nil)" }
    }

    private func takeQuiz() {
        Seeds.beginActivity(["addition-quiz"])
        say("active", until: { $0 == "addition-quiz" }) {
            self.store.activeContext?.identifier ?? "none"
        }
        guard let quiz = store.activeContext else { return }
        say("begun", until: { $0 == "true" }) { "\(quiz.currentActivity?.isStarted == true)" }
        let activity = quiz.currentActivity
        Seeds.answer(quiz, question: 1, isCorrect: true)
        Seeds.endQuiz(quiz, score: 1, of: 1)
        Seeds.finishQuiz()
        say("score") { "\((activity?.primaryActivityItem as? CLSScoreItem)?.score ?? -1)" }
    }

    private func provide() {
        let provided = Answer<String>()
        LessonProvider().updateDescendants(of: store.mainAppContext) { error in
            provided.give([error].map { $0 == nil ? "well" : "failed" }.joined())
        }
        say("provided") { provided.get() ?? "no answer" }
    }

    private func lookUp() {
        let found = Answer<String>()
        store.contexts(matchingIdentifierPath: path) { contexts, _ in
            found.give(contexts.map { $0.title }.joined(separator: ", "))
        }
        say("found") { found.get() ?? "no answer" }
        let lesson = Answer<String>()
        store.mainAppContext.descendant(matchingIdentifierPath: ["2_swift"]) { context, _ in
            lesson.give(context.map { $0.identifier } ?? "none")
        }
        say("lesson") { lesson.get() ?? "no answer" }
        let document = Answer<Bool>()
        store.fetchActivity(for: URL(fileURLWithPath: "/nothing")) { activity, error in
            document.give(activity.map { _ in true } ?? (error == nil))
        }
        say("document") { "\(document.get() == true)" }
    }

    /// Prints a value, as soon as it is what the code leads to; the last one if that never comes.
    private func say(
        _ word: String, until isRight: (String) -> Bool = { _ in true }, _ value: () -> String
    ) {
        let end = Date(timeIntervalSinceNow: 60)
        var last = value()
        while !isRight(last), Date() < end {
            usleep(1000)
            last = value()
        }
        print(word, last)
    }
}

@main enum Program {
    static func main() {
        MainActor.assumeIsolated { Lesson().run() }
    }
}
