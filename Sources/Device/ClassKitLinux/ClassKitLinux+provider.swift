import ClassKit
import Foundation

extension ClassKitLinux {
    /// Runs a context provider over the whole tree, as a teacher's browsing would: breadth-first from the main app
    /// context, until it adds nothing new. Then it sends what was made. Started by `classkit-catalog export`, it hands
    /// the tree to that command instead.
    ///
    /// Make this the main function of a small program, so that teachers find your app's contexts before anyone has
    /// started the app.
    /// - Parameter secondsPerContext: how long the provider may take for one context.
    /// - Throws: what the provider throws, or `CLSError.invalidArgument` if it takes longer.
    public static func run(
        _ provider: any CLSContextProvider, secondsPerContext: Double = 10
    ) async throws {
        try await walk(
            CLSDataStore.shared, with: provider, secondsPerContext: secondsPerContext)
        if let file = ProcessInfo.processInfo.environment["CLASSKIT_EXPORT"] {
            return try await export(CLSDataStore.shared, to: URL(fileURLWithPath: file))
        }
        await CLSDataStore.shared.synchronize()
    }

    static func walk(
        _ store: CLSDataStore, with provider: any CLSContextProvider, secondsPerContext: Double
    ) async throws {
        var waiting = [store.mainAppContext]
        var next = 0
        while next < waiting.count {
            let context = waiting[next]
            next += 1
            try await update(context, with: provider, within: secondsPerContext)
            let children = try await store.contexts(
                matching: NSPredicate(format: "parent = %@", context))
            waiting += children
        }
    }

    private static func update(
        _ context: CLSContext, with provider: any CLSContextProvider, within seconds: Double
    ) async throws {
        let path = context.identifierPath
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            let outcome = FirstOutcome(continuation)
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) {
                outcome.resume(
                    CLSError(
                        .invalidArgument,
                        userInfo: [
                            NSLocalizedDescriptionKey:
                                "The provider did not complete \(path) within \(seconds) seconds."
                        ]))
            }
            provider.updateDescendants(of: context) { outcome.resume($0) }
        }
    }
}

/// Resumes a continuation once: with what the provider says, or because it took too long.
private final class FirstOutcome: @unchecked Sendable {
    private let lock = NSLock()
    private var continuation: CheckedContinuation<Void, any Error>?

    init(_ continuation: CheckedContinuation<Void, any Error>) {
        self.continuation = continuation
    }

    func resume(_ error: (any Error)?) {
        let continuation = lock.withLock {
            defer { self.continuation = nil }
            return self.continuation
        }
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
    }
}
