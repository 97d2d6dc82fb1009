import ClassKit

/// What a teacher can assign: one context for each quiz. The high scores are no task, so they have none.
enum Contexts {
    /// Creates what is missing, as soon as the app starts. On the second start nothing is.
    static func publish() async throws {
        let parent = CLSDataStore.shared.mainAppContext
        let predicate = NSPredicate(
            format: "%K = %@", CLSPredicateKeyPath.parent as CVarArg, parent)
        let known = try await CLSDataStore.shared.contexts(matching: predicate).map(\.identifier)
        for (place, quiz) in Quiz.all.enumerated() where !known.contains(quiz.identifier) {
            let context = CLSContext(type: .quiz, identifier: quiz.identifier, title: quiz.title)
            context.displayOrder = place
            context.topic = .math
            context.suggestedCompletionTime = NSRange(2...5)
            context.addProgressReportingCapabilities([
                CLSProgressReportingCapability(kind: .score, details: "Right answers"),
                CLSProgressReportingCapability(kind: .binary, details: "Each answer"),
            ])
            parent.addChildContext(context)
        }
        try await CLSDataStore.shared.save()
    }
}
