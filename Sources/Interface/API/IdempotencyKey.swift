import HTTPWire

/// A client's name for a `POST`, which makes it safe to repeat.
///
/// Implements draft-ietf-httpapi-idempotency-key-header with these decisions: a key lives 24 hours per caller and
/// route, and only successful answers (2xx) are kept and replayed. A refusal or failure has rolled back everything,
/// so a repetition is evaluated afresh and may well succeed.
package struct IdempotencyKey: Sendable {
    /// 1 to 255 printable ASCII characters.
    package let text: String

    /// - Returns: `nil` if the request has no key.
    package init?(_ headers: HeaderFields) throws {
        let fields = headers.all("idempotency-key")
        guard let text = fields.first else { return nil }
        guard fields.count == 1, (1...255).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw Problem.malformedIdempotencyKey }
        self.text = text
    }
}

extension Problem {
    package static let malformedIdempotencyKey = Problem(
        400, "invalid_header", "A header field cannot be used.",
        detail:
            "Idempotency-Key: send it once, with 1 to 255 printable ASCII characters."
    )

    /// A call that answers with a secret is never replayed.
    package static let secretsAreNotReplayed = Problem(
        400, "idempotency_key_refused", "This call takes no Idempotency-Key.",
        detail: "Its answer holds a secret, which is not kept to be sent again.")

    package static let idempotencyKeyInUse = Problem(
        409, "idempotency_key_in_use", "A call with this Idempotency-Key is still running.",
        detail: "Repeat it later to get the first answer.",
        headers: [ResponseField("Retry-After", "1")])

    package static let idempotencyKeyReused = Problem(
        422, "idempotency_key_reused", "This Idempotency-Key was used for another request.",
        detail: "The body, path or query differs from the first; use a new key.")

    /// The first answer may contain what the caller may no longer see.
    package static let answerWithheld = Problem(
        409, "answer_withheld", "The call took effect; its answer is not shown again.",
        detail: "What you may see has changed since. Read what the call made instead.")

    /// It is unknown whether the call took effect, but a repetition finds out.
    package static let outcomeUnknownWithKey = Problem(
        503, "outcome_unknown", "The connection to the database was lost.",
        detail: "Repeat the call with the same Idempotency-Key: it takes effect once.",
        headers: [ResponseField("Retry-After", "1")])
}
