import ClassKit

/// An app with plays that it knows and contexts that it makes when they are asked for.
private final class PlayLibrary: NSObject, CLSDataStoreDelegate {
    func createContext(
        forIdentifier identifier: String, parentContext: CLSContext, parentIdentifierPath: [String]
    ) -> CLSContext? {
        print("asked: \(parentIdentifierPath) \(identifier)")
        let types: [CLSContextType] = [.book, .chapter, .section]
        let context = CLSContext(
            type: identifier == "quiz" ? .quiz : types[min(parentIdentifierPath.count, 2)],
            identifier: identifier, title: identifier.capitalized)
        context.topic = parentIdentifierPath.isEmpty ? .literacyAndWriting : nil
        return context
    }
}

extension Program {
    /// Looks up the same path twice, in an empty tree.
    static func lookUpPlays() async throws {
        let library = PlayLibrary()
        CLSDataStore.shared.delegate = library
        for _ in 1...2 {
            let scene = try await context("hamlet", "act-1", "scene-1")
            print(
                "found: \(scene.identifierPath.dropFirst().joined(separator: "/")), \(scene.topic?.rawValue ?? "-")"
            )
        }
    }

    /// Reads a scene and answers its quiz.
    /// - Parameter asNew: begins a new attempt even if one is open.
    static func studyPlay(asNew: Bool) async throws {
        let library = PlayLibrary()
        CLSDataStore.shared.delegate = library
        let quiz = try await context("macbeth", "act-1", "scene-1", "quiz")
        let former = quiz.currentActivity
        let activity = asNew ? quiz.createNewActivity() : former ?? quiz.createNewActivity()
        print("goes on: \(former === activity)")
        activity.start()
        activity.addProgressRange(
            fromStart: activity.progress, toEnd: min(1, activity.progress + 0.25))
        let hints = CLSQuantityItem(identifier: "hints", title: "Hints")
        hints.quantity = 3
        activity.addAdditionalActivityItem(hints)
        let score = CLSScoreItem(identifier: "score", title: "Score", score: 8, maxScore: 10)
        activity.primaryActivityItem = score
        try await pause(seconds: 0.2)
        activity.stop()
        try await CLSDataStore.shared.save()
        print("progress: \(activity.progress)")
    }
}
