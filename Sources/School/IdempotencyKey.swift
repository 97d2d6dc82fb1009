import Crypto
import HTTPServer
import HTTPWire
import Synchronization
import Values

/// A client's name for a `POST`, which makes it safe to repeat.
///
/// Implements draft-ietf-httpapi-idempotency-key-header with these decisions: a key lives 24 hours per caller and
/// route, and only successful answers (2xx) are kept and replayed. A refusal or failure has rolled back everything,
/// so a repetition is evaluated afresh and may well succeed.
struct IdempotencyKey: Sendable {
    /// 1 to 255 printable ASCII characters.
    let text: String

    /// - Returns: `nil` if the request has no key.
    init?(_ headers: HeaderFields) throws {
        let fields = headers.all("idempotency-key")
        guard let text = fields.first else { return nil }
        guard fields.count == 1, (1...255).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw Problem.malformedIdempotencyKey }
        self.text = text
    }
}

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
        route = "\(request.endpoint.method.name) \(request.endpoint.path)"
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

extension Problem {
    static let malformedIdempotencyKey = Problem(
        400, "invalid_header", "A header field cannot be used.",
        detail:
            "Idempotency-Key: send it once, with 1 to 255 printable ASCII characters."
    )

    /// A call that answers with a secret is never replayed.
    static let secretsAreNotReplayed = Problem(
        400, "idempotency_key_refused", "This call takes no Idempotency-Key.",
        detail: "Its answer holds a secret, which is not kept to be sent again.")

    static let idempotencyKeyInUse = Problem(
        409, "idempotency_key_in_use", "A call with this Idempotency-Key is still running.",
        detail: "Repeat it later to get the first answer.",
        headers: [ResponseField("Retry-After", "1")])

    static let idempotencyKeyReused = Problem(
        422, "idempotency_key_reused", "This Idempotency-Key was used for another request.",
        detail: "The body, path or query differs from the first; use a new key.")

    /// The first answer may contain what the caller may no longer see.
    static let answerWithheld = Problem(
        409, "answer_withheld", "The call took effect; its answer is not shown again.",
        detail: "Your roles or classes have changed since. Read what the call made instead.")

    /// It is unknown whether the call took effect, but a repetition finds out.
    static let outcomeUnknownWithKey = Problem(
        503, "outcome_unknown", "The connection to the database was lost.",
        detail: "Repeat the call with the same Idempotency-Key: it takes effect once.",
        headers: [ResponseField("Retry-After", "1")])
}
