import API
import Crypto
import HTTPServer
import HTTPWire
import Synchronization
import Values

/// One use of a key: the caller, the call, and a digest of its content.
struct KeyedCall: Sendable {
    let caller: Caller
    let route: String
    let key: IdempotencyKey
    /// Covers everything that the call says, so that reusing the key for something else is noticed.
    let digest: SHA256Digest

    /// - Parameter body: the digest of the body's bytes.
    init(_ request: Request, _ caller: Caller, _ key: IdempotencyKey, body: SHA256Digest) {
        self.caller = caller
        self.key = key
        route = "\(request.operation.method.name) \(request.operation.path)"
        let said = RunningSHA256()
        said.update(field: route)
        for segment in request.http.segments { said.update(field: segment) }
        for item in request.http.query.items {
            said.update(field: item.name)
            said.update(field: item.value)
        }
        said.update(body.bytes)
        digest = said.digest()
    }

    /// Identifies calls that must not run at the same time.
    fileprivate var fingerprint: String {
        let who = [
            caller.organizationID.uuid.description, caller.personID?.uuid.description ?? "",
            caller.serviceAccountID?.uuid.description ?? "",
            caller.standing.rawValue, caller.environment.rawValue, caller.app ?? "",
        ]
        return (who + [route, key.text]).joined(separator: "\n")
    }
}

/// The keyed calls that this process is running at the moment.
///
/// Saves the database from calls that it would refuse anyway, and saves the connections that would wait there for the
/// first call. Correctness does not depend on it: between processes, the primary key decides.
final class RunningCalls: Sendable {
    private let running = Mutex<Set<String>>([])

    /// Runs the body unless an equal call is already running: 409.
    func alone<Value>(_ call: KeyedCall, _ body: () async throws -> Value) async throws -> Value {
        let fingerprint = call.fingerprint
        guard running.withLock({ $0.insert(fingerprint).inserted }) else {
            throw Problem.idempotencyKeyInUse
        }
        defer { _ = running.withLock { $0.remove(fingerprint) } }
        return try await body()
    }
}

extension RunningSHA256 {
    /// Adds a text so that no two sequences of texts yield the same bytes.
    fileprivate func update(field text: String) {
        withUnsafeBytes(of: UInt64(text.utf8.count)) { update($0) }
        update(Array(text.utf8))
    }
}
