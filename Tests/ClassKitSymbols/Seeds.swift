// The code that ClassKit was presented with, as its talks and articles show or tell it. It compiles unchanged except for
// one type, which the compiler asks for on Apple's platforms as well.
import ClassKit

// MARK: "Recording student progress"

func startReading(_ identifierPath: [String]) {
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

func turnPage(_ identifierPath: [String], currentPage: Double, totalPages: Double) {
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

func stopReading(_ identifierPath: [String]) {
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

func finishQuiz() {
    CLSDataStore.shared.completeAllAssignedActivities(matching: ["chapter-1", "quiz-1"])
}

// MARK: WWDC 2020, "What's new in ClassKit"

func measurementsQuiz(bundle: Bundle) -> CLSContext {
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
func thumbnailFromImage(atURL: URL) -> CGImage? {
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

func publishContexts() {
    let addition = CLSContext(type: .quiz, identifier: "addition-quiz", title: "Addition Quiz")
    addition.displayOrder = 0
    let multiplication = CLSContext(
        type: .quiz, identifier: "multiplication-quiz", title: "Multiplication Quiz")
    multiplication.displayOrder = 1
    var contextsToCreate = [
        addition.identifier: addition, multiplication.identifier: multiplication,
    ]
    let parent = CLSDataStore.shared.mainAppContext
    let predicate = NSPredicate(
        format: "%K = %@", CLSPredicateKeyPath.parent as CVarArg, parent)
    CLSDataStore.shared.contexts(matching: predicate) { contexts, error in
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

func answer(_ context: CLSContext, question: Int, isCorrect: Bool) {
    guard let activity = context.currentActivity else { return }
    let item = CLSBinaryItem(
        identifier: "question-\(question)", title: "Question \(question)", type: .trueFalse)
    item.value = isCorrect
    activity.addAdditionalActivityItem(item)
}

func endQuiz(_ context: CLSContext, score: Int, of maximum: Int) {
    guard let activity = context.currentActivity else { return }
    activity.primaryActivityItem = CLSScoreItem(
        identifier: "total-score", title: "Total Score", score: Double(score),
        maxScore: Double(maximum))
    activity.stop()
    CLSDataStore.shared.save()
}

func continueQuiz(_ userActivity: NSUserActivity) -> String? {
    guard userActivity.isClassKitDeepLink,
        let identifierPath = userActivity.contextIdentifierPath
    else { return nil }
    return identifierPath.last
}

// MARK: WWDC 2019, "What's new in ClassKit": an app that teaches Swift

final class LessonProvider: CLSContextProvider {
    func updateDescendants(of context: CLSContext, completion: @escaping (Error?) -> Void) {
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

func beginActivity(_ identifierPath: [String]) {
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
