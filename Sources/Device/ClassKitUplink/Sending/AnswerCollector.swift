import Foundation
import FoundationNetworking
import Synchronization

/// Collects the answers of a session's tasks.
final class AnswerCollector: NSObject, URLSessionDataDelegate, Sendable {
    private struct Pending {
        let continuation: CheckedContinuation<HTTPAnswer, any Error>
        var body = Data()
        var isTooLarge = false
        /// Whether the answer asks for a password, which nobody gives. What it says is an answer nevertheless.
        var isChallenge = false
    }

    private let maximumBytes: Int
    private let pending = Mutex<[Int: Pending]>([:])

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    func await(_ task: URLSessionTask, _ continuation: CheckedContinuation<HTTPAnswer, any Error>) {
        pending.withLock { $0[task.taskIdentifier] = Pending(continuation: continuation) }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {
        let isTooLarge = pending.withLock { pending in
            let id = dataTask.taskIdentifier
            guard pending[id] != nil else { return false }
            pending[id]?.body.append(data)
            guard (pending[id]?.body.count ?? 0) > maximumBytes else { return false }
            pending[id]?.isTooLarge = true
            return true
        }
        if isTooLarge { dataTask.cancel() }
    }

    /// A redirection within the server is followed. Elsewhere the token and the work would go to a stranger.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        guard let from = task.originalRequest?.url, let to = request.url,
            ServerAddress.isSameServer(from, to), task.originalRequest?.httpMethod == "GET"
        else { return completionHandler(nil) }
        completionHandler(request)
    }

    /// Takes a refusal as it came. Without this, or with any other disposition, an answer with `WWW-Authenticate: Basic`
    /// is an error that says nothing, or never ends; with it, the task is cancelled, and has its answer.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        pending.withLock { $0[task.taskIdentifier]?.isChallenge = true }
        completionHandler(.rejectProtectionSpace, nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        guard
            let pending = pending.withLock({ $0.removeValue(forKey: task.taskIdentifier) })
        else { return }
        if pending.isTooLarge {
            let limit = maximumBytes
            pending.continuation.resume(
                throwing: UplinkError.network("The answer has more than \(limit) bytes."))
        } else if let response = task.response as? HTTPURLResponse,
            error == nil || pending.isChallenge
        {
            let fields = response.allHeaderFields.compactMap { name, value -> (String, String)? in
                guard let name = name as? String, let value = value as? String else { return nil }
                return (name, value)
            }
            pending.continuation.resume(
                returning: HTTPAnswer(
                    status: response.statusCode,
                    headers: Dictionary(fields, uniquingKeysWith: { first, _ in first }),
                    body: pending.body))
        } else {
            let text = error.map { "\($0.localizedDescription)" } ?? "The server did not answer."
            pending.continuation.resume(throwing: UplinkError.network(text))
        }
    }
}
