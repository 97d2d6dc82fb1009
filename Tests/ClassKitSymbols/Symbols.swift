// Every symbol of ClassKit, used as an app would. That this compiles without warnings, in language modes 5 and 6, is the
// test; it is built with the tests and not run.
import ClassKit

final class Delegate: NSObject, CLSDataStoreDelegate {
    func createContext(
        forIdentifier identifier: String, parentContext: CLSContext, parentIdentifierPath: [String]
    ) -> CLSContext? {
        CLSContext(type: .chapter, identifier: identifier, title: identifier)
    }
}

struct CompletionProvider: CLSContextProvider {
    func updateDescendants(
        of context: CLSContext, completion: @escaping @Sendable (Error?) -> Void
    ) {
        CLSDataStore.shared.save(completion: completion)
    }
}

struct AsyncProvider: CLSContextProvider {
    func updateDescendants(of context: CLSContext) async throws {
        try await CLSDataStore.shared.save()
    }
}

func dataStore(_ delegate: Delegate, _ predicate: NSPredicate, _ url: URL) {
    let store: CLSDataStore = CLSDataStore.shared
    let _: CLSContext = store.mainAppContext
    let _: CLSContext? = store.activeContext
    let _: CLSActivity? = store.runningActivity
    store.delegate = delegate
    let _: CLSDataStoreDelegate? = store.delegate
    store.save()
    store.save(completion: nil)
    store.save { (error: Error?) in _ = error }
    store.contexts(matching: predicate) { (contexts: [CLSContext], error: Error?) in
        _ = (contexts, error)
    }
    store.contexts(matchingIdentifierPath: ["a", "b"]) {
        (contexts: [CLSContext], error: Error?) in _ = (contexts, error)
    }
    store.remove(store.mainAppContext)
    store.completeAllAssignedActivities(matching: ["a"])
    store.fetchActivity(for: url) { (activity: CLSActivity?, error: Error?) in
        _ = (activity, error)
    }
}

func dataStoreAsync(_ predicate: NSPredicate, _ url: URL) async throws {
    let store = CLSDataStore.shared
    try await store.save()
    let _: [CLSContext] = try await store.contexts(matching: predicate)
    let _: [CLSContext] = try await store.contexts(matchingIdentifierPath: ["a"])
    let _: CLSActivity = try await store.fetchActivity(for: url)
    let _: CLSContext = try await store.mainAppContext.descendant(matchingIdentifierPath: ["a"])
}

@MainActor
func onMainActor() async throws {
    let context = try await CLSDataStore.shared.mainAppContext.descendant(
        matchingIdentifierPath: ["a"])
    context.becomeActive()
    context.createNewActivity().start()
    try await CLSDataStore.shared.save()
}

func context(_ context: CLSContext, image: CGImage?) {
    let created: CLSContext = CLSContext(type: .quiz, identifier: "quiz", title: "Quiz")
    let _: String = created.identifier
    let _: [String] = created.identifierPath
    let _: CLSContextType = created.type
    created.setType(.lesson)
    created.title += "!"
    created.displayOrder = 1
    created.universalLinkURL = URL(string: "https://example.org/quiz")
    created.topic = .science
    created.summary = "All about it"
    created.thumbnail = image
    created.customTypeName = "Riddle"
    created.isAssignable = false
    created.suggestedAge = NSRange(9...11)
    created.suggestedCompletionTime = NSRange(0...Int.max - 1)
    let _: Set<CLSProgressReportingCapability> = created.progressReportingCapabilities
    created.addProgressReportingCapabilities([
        CLSProgressReportingCapability(kind: .score, details: nil)
    ])
    created.resetProgressReportingCapabilities()
    let _: Bool = created.isActive
    created.becomeActive()
    created.resignActive()
    let _: CLSContext? = created.parent
    context.addChildContext(created)
    context.addNavigationChildContext(created)
    let _: [CLSContext] = context.navigationChildContexts
    context.removeNavigationChildContext(created)
    created.removeFromParent()
    context.descendant(matchingIdentifierPath: ["a"]) { (context: CLSContext?, error: Error?) in
        _ = (context, error)
    }
    let _: Date = context.dateCreated
    let _: Date = context.dateLastModified
    let _: CLSObject = context
    let _: NSSecureCoding = context
}

func activity(of context: CLSContext) {
    let _: CLSActivity? = context.currentActivity
    context.createNewActivity()
    let activity: CLSActivity = context.createNewActivity()
    activity.start()
    activity.progress = 0.5
    let _: Double = activity.progress
    activity.addProgressRange(fromStart: 0, toEnd: 0.75)
    let _: TimeInterval = activity.duration
    let _: Bool = activity.isStarted
    let score = CLSScoreItem(identifier: "score", title: "Score", score: 7, maxScore: 10)
    score.score += 1
    score.maxScore = 12
    activity.primaryActivityItem = score
    let quantity = CLSQuantityItem(identifier: "hints", title: "Hints")
    quantity.quantity += 1
    activity.addAdditionalActivityItem(quantity)
    let binary = CLSBinaryItem(
        identifier: "first", title: "First question", type: .correctIncorrect)
    binary.value = true
    let _: CLSBinaryValueType = binary.valueType
    activity.addAdditionalActivityItem(binary)
    let item: CLSActivityItem = binary
    item.title = item.identifier
    let _: [CLSActivityItem] = activity.additionalActivityItems
    activity.removeAllActivityItems()
    activity.stop()
}

func enumerations() {
    let _: [CLSContextType] = [
        .none, .app, .chapter, .section, .level, .page, .task, .challenge, .quiz, .exercise,
        .lesson, .book, .game, .document, .audio, .video, .course, .custom,
    ]
    let _: CLSContextType? = CLSContextType(rawValue: 17)
    let _: [CLSContextTopic] = [
        .math, .science, .literacyAndWriting, .worldLanguage, .socialScience,
        .computerScienceAndEngineering, .artsAndMusic, .healthAndFitness, CLSContextTopic("chess"),
        CLSContextTopic(rawValue: "chess"),
    ]
    let _: [CLSBinaryValueType] = [.trueFalse, .passFail, .yesNo, .correctIncorrect]
    let _: [CLSProgressReportingCapability.Kind] = [
        .duration, .percent, .binary, .quantity, .score,
    ]
    let capability = CLSProgressReportingCapability(kind: .percent, details: "Pages read")
    let _: CLSProgressReportingCapability.Kind = capability.kind
    let _: String? = capability.details
    let _: [CLSPredicateKeyPath] = [
        .dateCreated, .identifier, .title, .universalLinkURL, .topic, .parent,
        CLSPredicateKeyPath("title"), CLSPredicateKeyPath(rawValue: "title"),
    ]
    let _: [CLSErrorUserInfoKey] = [.objectKey, .underlyingErrorsKey, .successfulObjectsKey]
    let _: String = CLSErrorCodeDomain
}

func errors(_ error: Error) -> Any? {
    let _: [CLSError.Code] = [
        .none, .classKitUnavailable, .invalidArgument, .invalidModification, .authorizationDenied,
        .databaseInaccessible, .limits, .invalidCreate, .invalidUpdate, .partialFailure,
        .invalidAccountCredentials,
    ]
    let _: [CLSError.Code] = [
        CLSError.none, CLSError.classKitUnavailable, CLSError.invalidArgument,
        CLSError.invalidModification, CLSError.authorizationDenied, CLSError.databaseInaccessible,
        CLSError.limits, CLSError.invalidCreate, CLSError.invalidUpdate, CLSError.partialFailure,
        CLSError.invalidAccountCredentials,
    ]
    let _: String = CLSError.errorDomain
    do {
        throw error
    } catch CLSError.invalidCreate {
        return nil
    } catch let error as CLSError where error.code == .limits {
        return error.userInfo[CLSErrorUserInfoKey.objectKey.rawValue]
    } catch {
        let general = error as NSError
        return general.domain == CLSErrorCodeDomain ? general.code : nil
    }
}

func predicates(_ context: CLSContext, since date: Date) -> [NSPredicate] {
    [
        NSPredicate(format: "parent = %@", context),
        NSPredicate(format: "%K = %@", CLSPredicateKeyPath.parent as CVarArg, context),
        NSPredicate(format: "%K == %@", CLSPredicateKeyPath.parent.rawValue, context),
        NSPredicate(format: "%K BEGINSWITH[cd] %@", CLSPredicateKeyPath.title as CVarArg, "a"),
        NSPredicate(format: "%K > %@", CLSPredicateKeyPath.dateCreated as CVarArg, date as NSDate),
        NSPredicate(format: "%K > %@", CLSPredicateKeyPath.dateCreated as CVarArg, date as CVarArg),
        NSPredicate(format: "identifier IN %@", ["a", "b"] as NSArray),
        NSPredicate(format: "topic = %@", argumentArray: [CLSContextTopic.math.rawValue]),
        NSCompoundPredicate(andPredicateWithSubpredicates: [NSPredicate(value: true)]),
    ]
}

func userActivity(_ userActivity: NSUserActivity) -> [String]? {
    let _: String = userActivity.activityType
    let _: [AnyHashable: Any]? = userActivity.userInfo
    let _: URL? = userActivity.webpageURL
    let _: String? = userActivity.title
    return userActivity.isClassKitDeepLink ? userActivity.contextIdentifierPath : nil
}
