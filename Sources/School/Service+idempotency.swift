import Crypto
import HTTPServer
import Postgres

extension Service {
    /// Does what the call is for, once for its idempotency key if it has one.
    func act(_ endpoint: Endpoint, _ request: Request, _ caller: Caller) async throws -> Response {
        let key = endpoint.keys == .honoured ? try IdempotencyKey(request.http.headers) : nil
        if let receive = endpoint.receive {
            let received = try await receive(request)
            guard let key else { return try await received.act(caller) }
            let call = KeyedCall(request, caller, key, body: received.digest)
            return try await once(call) { try await received.act(caller) }
        }
        guard let handler = endpoint.handler else { throw Problem.notFound }
        guard let key else { return try await handler(request, caller) }
        // Before the transaction begins: no connection waits for a slow client.
        let body = try await request.http.body.preview(upTo: 1 << 20)
        let call = KeyedCall(request, caller, key, body: SHA256.digest(body))
        return try await once(call) { try await handler(request, caller) }
    }

    /// Runs a call in one transaction together with the claim of its key, or gives the answer that the key has
    /// already.
    ///
    /// Whatever does not take effect (an answer that is no 2xx, a failure, a client that leaves) leaves no
    /// trace of the key.
    private func once(
        _ call: KeyedCall, _ handler: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await runningCalls.alone(call) {
                try await database.openTransaction(as: call.caller) { open in
                    if let answer = try await claim(call, open.session) {
                        return try answer.replayed()
                    }
                    let response = try await handler()
                    guard (200...299).contains(response.status) else { throw NoEffect(response) }
                    try open.check()
                    try await open.session.query(.keep(KeptAnswer(response), to: call))
                    return response
                }
            }
        } catch let refusal as NoEffect {
            return refusal.response
        } catch PostgresError.connectionLost(mayHaveCommitted: true) {
            throw Problem.outcomeUnknownWithKey
        }
    }

    /// Claims the key for this transaction; the kept answer where another had it.
    private func claim(_ call: KeyedCall, _ session: Session) async throws -> KeptAnswer? {
        do {
            let results = try await session.query([
                .waitBriefly, .claim(call), .waitAsUsual, .keptAnswer(to: call),
            ])
            if results[1].count == 1 { return nil }
            guard let first = results[3].first else { throw Problem.idempotencyKeyInUse }
            guard try first.bytes("request_digest") == call.digest.bytes else {
                throw Problem.idempotencyKeyReused
            }
            guard try first.bool("is_in_sight") else { throw Problem.answerWithheld }
            return try KeptAnswer(first)
        } catch let error as PostgresError where error.sqlState == "55P03" {
            throw Problem.idempotencyKeyInUse
        }
    }
}

/// An answer that says that nothing was done; thrown so that nothing is.
private struct NoEffect: Error {
    let response: Response

    init(_ response: Response) {
        self.response = response
    }
}
