import Crypto
import HTTPClient
import JSONBytes
import Synchronization
import Testing

/// A system that webhooks call, and that answers as a test says.
final class Receiver: OutgoingCalls {
    struct Call: Sendable {
        let url: String
        let headers: [String: String]
        let body: [UInt8]

        var json: JSONValue { (try? JSONValue(parsing: body)) ?? nil }
        var changes: [JSONValue] { json["data"]?["changes"]?.array ?? [] }
        var id: String? { headers["webhook-id"] }

        /// Whether one of the signatures was made with the secret, as receivers verify it.
        func isSigned(with secret: String) throws -> Bool {
            let key = try #require(Base64.decode(String(secret.dropFirst("whsec_".count))))
            let content = "\(id ?? "").\(headers["webhook-timestamp"] ?? "")."
            let expected = Base64.encode(HMACKey(key).code(for: Array(content.utf8) + body))
            let signatures = (headers["webhook-signature"] ?? "").split(separator: " ")
            return signatures.contains { $0 == "v1,\(expected)" }
        }
    }

    private struct State {
        var calls: [Call] = []
        var answer = Result<OutgoingAnswer, OutgoingFailure>.success(
            OutgoingAnswer(status: 204, body: []))
    }

    private let state = Mutex(State())

    var calls: [Call] { state.withLock { $0.calls } }

    func answer(_ status: Int, retryAfter: Int? = nil) {
        state.withLock {
            $0.answer = .success(OutgoingAnswer(status: status, body: [], retryAfter: retryAfter))
        }
    }

    func fail(_ failure: OutgoingFailure) {
        state.withLock { $0.answer = .failure(failure) }
    }

    func send(_ request: OutgoingRequest) async throws -> OutgoingAnswer {
        let call = Call(
            url: request.address.text,
            headers: Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) }),
            body: request.body ?? [])
        return try state.withLock { state in
            state.calls.append(call)
            return state.answer
        }.get()
    }
}
