import ClassKit

/// Records reading in a context, which is a chapter or the whole book.
///
/// It looks the context up every time, as the article on recording progress advises: the instance may change when
/// something arrives from the network.
struct Reading {
    let identifierPath: [String]

    private var context: CLSContext {
        get async throws {
            try await CLSDataStore.shared.mainAppContext.descendant(
                matchingIdentifierPath: identifierPath)
        }
    }

    /// Goes on with the attempt that was paused, or begins one.
    func begin() async throws {
        let context = try await context
        context.becomeActive()
        if let activity = context.currentActivity, activity.progress < 1 {
            activity.start()
        } else {
            context.createNewActivity().start()
        }
        try await CLSDataStore.shared.save()
    }

    /// Begins a new attempt, whatever has become of the former one.
    func beginAgain() async throws {
        let context = try await context
        context.becomeActive()
        context.createNewActivity().start()
        try await CLSDataStore.shared.save()
    }

    func turn(toPage page: Int, of pages: Int) async throws {
        guard let activity = try await context.currentActivity, activity.isStarted else { return }
        activity.addProgressRange(fromStart: 0, toEnd: Double(page) / Double(pages))
    }

    /// A pause or the end: what comes next decides.
    func stop() async throws {
        let context = try await context
        context.currentActivity?.stop()
        context.resignActive()
        try await CLSDataStore.shared.save()
    }

    /// The reader plans nothing more here. That is another thing than having read all of it.
    func markDone() {
        CLSDataStore.shared.completeAllAssignedActivities(matching: identifierPath)
    }
}
