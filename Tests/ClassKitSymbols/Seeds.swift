// The code that ClassKit was presented with, as its talks and articles show or tell it, in an app that runs on the main
// actor. It compiles unchanged except for a type, for a copy, and for one word, which the compiler asks for on Apple's
// platforms as well.
import ClassKit

@MainActor enum Seeds {
    // MARK: "Recording student progress"

    static func startReading(_ identifierPath: [String]) {
        CLSDataStore.shared.mainAppContext.descendant(matchingIdentifierPath: identifierPath) {
            context, _ in
            // You typically activate the context when you start an activity.
            context?.becomeActive()

            // Create and start a new activity.
            context?.createNewActivity().start()

            CLSDataStore.shared.save { error in
                // Handle the error
            }
        }
    }

    static func turnPage(_ identifierPath: [String], currentPage: Double, totalPages: Double) {
        // Progress defined as the current page as a fraction of the total pages.
        let progress = Double(max(0, min(1, currentPage / totalPages)))

        CLSDataStore.shared.mainAppContext.descendant(matchingIdentifierPath: identifierPath) {
            context, _ in

            // Ensure we have a started activity.
            guard let activity = context?.currentActivity,
                activity.isStarted
            else { return }

            activity.addProgressRange(fromStart: 0, toEnd: progress)
        }
    }

    static func stopReading(_ identifierPath: [String]) {
        CLSDataStore.shared.mainAppContext.descendant(matchingIdentifierPath: identifierPath) {
            context, _ in
            guard let activity = context?.currentActivity else { return }

            activity.stop()

            // Typically, you deactive the context at this point as well.
            context?.resignActive()

            CLSDataStore.shared.save { error in
                // Handle the error
            }
        }
    }

    static func finishQuiz() {
        CLSDataStore.shared.completeAllAssignedActivities(matching: ["chapter-1", "quiz-1"])
    }

    // MARK: WWDC 2020, "What's new in ClassKit"

    static func measurementsQuiz(bundle: Bundle) -> CLSContext {
        // Create a context for quiz
        let quizContext = CLSContext.init(
            type: CLSContextType.quiz, identifier: "science_Investigation_quiz",
            title: "Measurements Quiz")

        // Add a summary describing this context
        quizContext.summary =
            "A short quiz to test how much students know about scientific measurements and how to examine and analyze scientific data."

        // Add a thumbnail for this context - ClassKit will downsize thumbnails to 330 x 330 px if needed
        if let resourceURL = bundle.resourceURL {
            let imageURL = resourceURL.appendingPathComponent("measurements_quiz.jpg")
            if let thumbnail = thumbnailFromImage(atURL: imageURL) {
                quizContext.thumbnail = thumbnail
            }
        }

        // Add suggested age range appropriate for the content - ages 9 to 11 years
        quizContext.suggestedAge = NSRange(9...11)

        // Add suggested time to complete this quiz - 15 to 20 minutes
        quizContext.suggestedCompletionTime = NSRange(15...20)

        // Add progress reporting capabilities
        let reportingPercentDetails = "Reports percentage of progress"
        let reportingCapabilityPercent = CLSProgressReportingCapability.init(
            kind: .percent,
            details: reportingPercentDetails)
        let reportingQuantityDetails = "Reports number of hints used"
        let reportingCapabilityQuantity = CLSProgressReportingCapability.init(
            kind: .quantity,
            details: reportingQuantityDetails)
        quizContext.addProgressReportingCapabilities([
            reportingCapabilityPercent,
            reportingCapabilityQuantity,
        ])
        return quizContext
    }

    // Create a thumbnail of maximum dimension 330 x 330 px from an image file
    static func thumbnailFromImage(atURL: URL) -> CGImage? {
        if let imageSource = CGImageSourceCreateWithURL(atURL as CFURL, nil) {
            // The type is ours: the talk's literal of a truth and a number has none that can be inferred.
            let thumbnailOptions: [String: Any] = [
                kCGImageSourceCreateThumbnailFromImageAlways as String: true,
                kCGImageSourceThumbnailMaxPixelSize as String: 330,
            ]
            return CGImageSourceCreateThumbnailAtIndex(
                imageSource, 0, thumbnailOptions as CFDictionary)
        }
        return nil
    }

    // MARK: WWDC 2018, "Introducing ClassKit": the app Quizler

    static func publishContexts() {
        let addition = CLSContext(type: .quiz, identifier: "addition-quiz", title: "Addition Quiz")
        addition.displayOrder = 0
        let multiplication = CLSContext(
            type: .quiz, identifier: "multiplication-quiz", title: "Multiplication Quiz")
        multiplication.displayOrder = 1
        let toCreate = [
            addition.identifier: addition, multiplication.identifier: multiplication,
        ]
        let parent = CLSDataStore.shared.mainAppContext
        let predicate = NSPredicate(
            format: "%K = %@", CLSPredicateKeyPath.parent as CVarArg, parent)
        CLSDataStore.shared.contexts(matching: predicate) { contexts, error in
            // The copy is ours: the handler may run while the function goes on.
            var contextsToCreate = toCreate
            for context in contexts {
                contextsToCreate.removeValue(forKey: context.identifier)
            }
            for (_, context) in contextsToCreate {
                parent.addChildContext(context)
            }
            CLSDataStore.shared.save { error in
                if let error = error { print(error.localizedDescription) }
            }
        }
    }

    static func answer(_ context: CLSContext, question: Int, isCorrect: Bool) {
        guard let activity = context.currentActivity else { return }
        let item = CLSBinaryItem(
            identifier: "question-\(question)", title: "Question \(question)", type: .trueFalse)
        item.value = isCorrect
        activity.addAdditionalActivityItem(item)
    }

    static func endQuiz(_ context: CLSContext, score: Int, of maximum: Int) {
        guard let activity = context.currentActivity else { return }
        activity.primaryActivityItem = CLSScoreItem(
            identifier: "total-score", title: "Total Score", score: Double(score),
            maxScore: Double(maximum))
        activity.stop()
        CLSDataStore.shared.save()
    }

    nonisolated static func continueQuiz(_ userActivity: NSUserActivity) -> String? {
        guard userActivity.isClassKitDeepLink,
            let identifierPath = userActivity.contextIdentifierPath
        else { return nil }
        return identifierPath.last
    }

    // MARK: WWDC 2019, "What's new in ClassKit": an app that teaches Swift

    static func beginActivity(_ identifierPath: [String]) {
        CLSDataStore.shared.mainAppContext.descendant(matchingIdentifierPath: identifierPath) {
            context, error in
            guard let context = context else { return }
            context.becomeActive()
            let activity = context.createNewActivity()
            activity.start()
            CLSDataStore.shared.save { error in
            }
        }
    }
}

final class LessonProvider: CLSContextProvider {
    // That the handler may be called on any thread is ours.
    func updateDescendants(
        of context: CLSContext, completion: @escaping @Sendable (Error?) -> Void
    ) {
        // Only the main app context has no parent.
        let lessons =
            context.parent == nil
            ? ["1_ide", "2_swift", "3_datatypes"] : ["\(context.identifier)_quiz"]
        for (order, identifier) in lessons.enumerated() {
            let lesson = CLSContext(type: .lesson, identifier: identifier, title: identifier)
            lesson.displayOrder = order
            context.addChildContext(lesson)
        }
        CLSDataStore.shared.save(completion: completion)
    }
}

/// Makes the chapters of a book when they are looked up.
final class Book: NSObject, CLSDataStoreDelegate {
    func createContext(
        forIdentifier identifier: String, parentContext: CLSContext, parentIdentifierPath: [String]
    ) -> CLSContext? {
        let isChapter = parentIdentifierPath.isEmpty
        return CLSContext(
            type: isChapter ? .chapter : .section, identifier: identifier,
            title: identifier.split(separator: "-").map { $0.capitalized }.joined(separator: " "))
    }
}
