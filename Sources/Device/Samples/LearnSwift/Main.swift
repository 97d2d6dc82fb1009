import ClassKit
import ClassKitLinux

/// A course in the terminal. Started as a context provider, it only brings its contexts up to date.
@main
struct LearnSwift {
    static func main() async {
        let creator = ContextCreator()
        CLSDataStore.shared.delegate = creator
        do {
            if CommandLine.arguments.count < 2 {
                // What the system's extension point does on Apple's platforms.
                try await ClassKitLinux.run(Provider())
            } else {
                try await learn(CommandLine.arguments[1])
            }
        } catch {
            print("Learn Swift: \(error.localizedDescription)")
            exit(1)
        }
        withExtendedLifetime(creator) {}
        exit(0)
    }

    private static func learn(_ identifier: String) async throws {
        guard let lesson = Lesson.all.first(where: { $0.identifier == identifier && $0.hasQuiz })
        else {
            print("There is no quiz \(identifier).")
            return
        }
        print(lesson.title)
        try await QuizOfLesson.run(of: lesson)
    }
}
