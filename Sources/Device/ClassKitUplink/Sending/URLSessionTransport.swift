import Foundation
public import FoundationNetworking

/// Carries requests with Foundation's `URLSession`. It keeps no cookies and no answers.
public final class URLSessionTransport: Transport {
    private let session: URLSession
    private let delegate: AnswerCollector

    /// - Parameters:
    ///   - maximumBytes: the largest answer that is read.
    ///   - configuration: the session's; what it says of cookies, caches and credentials is overruled.
    public init(
        maximumBytes: Int = 16 << 20, configuration: URLSessionConfiguration = .ephemeral
    ) {
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        delegate = AnswerCollector(maximumBytes: maximumBytes)
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    public func answer(to call: HTTPCall) async throws -> HTTPAnswer {
        try ServerAddress.check(call.url)
        var request = URLRequest(url: call.url, timeoutInterval: call.timeoutSeconds)
        request.httpMethod = call.method
        request.httpBody = call.body
        for (name, value) in call.headers { request.setValue(value, forHTTPHeaderField: name) }
        let task = session.dataTask(with: request)
        // `timeoutInterval` begins anew with every byte, so that a slow server could hold the call for good.
        let limit = Task { [task] in
            try await Task.sleep(for: .seconds(call.timeoutSeconds))
            task.cancel()
        }
        defer { limit.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                delegate.await(task, continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }
}
