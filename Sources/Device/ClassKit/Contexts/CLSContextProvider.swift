import Foundation

/// Brings contexts up to date while a teacher browses, without the app being started.
///
/// Implement one of the two methods: each has a default that calls the other. Update at least the direct children of
/// the context, save, and only then return or call the completion handler. It is called on any thread, so that code of
/// the main actor cannot be one.
public protocol CLSContextProvider: SendableMetatype {
    /// Brings the descendants of a context up to date.
    /// - Parameter completion: called once, after the save, with the error if there was one.
    @preconcurrency
    func updateDescendants(
        of context: CLSContext, completion: @escaping @Sendable ((any Error)?) -> Void)

    /// Brings the descendants of a context up to date, and returns after the save.
    func updateDescendants(of context: CLSContext) async throws
}

/// Detects a provider that implements neither method, whose defaults would call each other forever.
private enum ProviderDefaults {
    @TaskLocal static var areInUse = false
}

private struct ProviderCall {
    let provider: any CLSContextProvider
    let context: CLSContext
    let completion: @Sendable ((any Error)?) -> Void
}

extension CLSContextProvider {
    /// Calls the asynchronous method.
    @preconcurrency
    public func updateDescendants(
        of context: CLSContext, completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let provider: any CLSContextProvider = self
        let call = Unchecked(
            ProviderCall(provider: provider, context: context, completion: completion))
        let isNested = ProviderDefaults.areInUse
        Task {
            guard !isNested else {
                return call.value.completion(
                    CLSError(
                        .invalidArgument,
                        "\(type(of: call.value.provider)) implements neither updateDescendants(of:) nor "
                            + "updateDescendants(of:completion:)."))
            }
            do {
                try await ProviderDefaults.$areInUse.withValue(true) {
                    try await call.value.provider.updateDescendants(of: call.value.context)
                }
                call.value.completion(nil)
            } catch {
                call.value.completion(error)
            }
        }
    }

    /// Calls the method with a completion handler.
    public func updateDescendants(of context: CLSContext) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            ProviderDefaults.$areInUse.withValue(true) {
                updateDescendants(of: context) { continuation.resume(with: $0) }
            }
        }
    }
}

extension CheckedContinuation where T == Void, E == any Error {
    /// Resumes with what a completion handler received.
    func resume(with error: (any Error)?) {
        if let error { resume(throwing: error) } else { resume() }
    }
}
