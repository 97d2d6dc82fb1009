import ClassKit

extension Program {
    /// Measures saves and look-ups on this device; the server is not asked.
    static func measure() async throws {
        let store = CLSDataStore.shared
        let book = CLSContext(type: .book, identifier: "book", title: "Book")
        store.mainAppContext.addChildContext(book)
        try await store.save()

        let contexts = (1...2000).map {
            CLSContext(type: .page, identifier: "page-\($0)", title: "Page \($0)")
        }
        try await time("2,000 contexts saved") {
            for context in contexts { book.addChildContext(context) }
            try await store.save()
        }
        try await time("2,000 contexts looked up by path") {
            for context in contexts {
                _ = try await book.descendant(matchingIdentifierPath: [context.identifier])
            }
        }
        try await time("2,000 contexts found by a predicate") {
            _ = try await store.contexts(
                matching: NSPredicate(
                    format: "%K = %@", CLSPredicateKeyPath.parent as CVarArg, book)
            ).count
        }
        let activity = book.createNewActivity()
        activity.start()
        try await time("200 durable saves of an activity") {
            for step in 1...200 {
                activity.progress = Double(step) / 200
                try await store.save()
            }
        }
    }

    /// Prints how long something took, and how much of that was work of the processor: the rest depends on what else
    /// the device does.
    private static func time(_ what: String, _ body: () async throws -> Void) async throws {
        let (began, worked) = (Date(), processorSeconds)
        try await body()
        let passed = Date().timeIntervalSince(began) * 1000
        let work = (processorSeconds - worked) * 1000
        print("\(what): \(passed.tenths) ms, of which the processor worked \(work.tenths) ms")
    }

    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
