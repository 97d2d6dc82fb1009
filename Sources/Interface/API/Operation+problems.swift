extension Operation {
    /// Every problem that the API document lists, one per status: the call's own, those of access tokens, and those
    /// of idempotency keys.
    var documentedProblems: [(status: Int, meaning: String)] {
        var documented = problems
        for common in keyProblems + tokenProblems {
            if let index = documented.firstIndex(where: { $0.status == common.status }) {
                documented[index].meaning += " Or: \(common.meaning)"
            } else {
                documented.append(common)
            }
        }
        return documented
    }

    /// Those of a call that honours or refuses idempotency keys.
    var keyProblems: [(status: Int, meaning: String)] {
        switch keys {
        case .honoured:
            [
                (
                    409,
                    "A call with this Idempotency-Key is still running (`idempotency_key_in_use`), or "
                        + "took effect with an answer too long to be kept (`answer_not_kept`), or "
                        + "what you may see changed since (`answer_withheld`)."
                ),
                (
                    422,
                    "The Idempotency-Key was used for another request (`idempotency_key_reused`)."
                ),
            ]
        case .refused:
            [(400, "An Idempotency-Key was sent: the answer holds a secret and is not kept.")]
        case .ignored: []
        }
    }

    private var tokenProblems: [(status: Int, meaning: String)] {
        guard case .token = access else { return [] }
        return [
            (
                429,
                "You asked for too much in a short time, or too many unknown tokens came from this address. "
                    + "`Retry-After` says how many seconds to wait. This call costs \(cost), and 1 more "
                    + "for every 10 items in the lists of its body; `RateLimit` says what is left."
            )
        ]
    }
}
